/**
 * The IP ranges of Services, and how an address is chosen.
 * Source: kubernetes v1.36 pkg/registry/core/service/ipallocator/{cidrallocator,ipallocator,bitmap}.go, pkg/api/servicecidr/servicecidr.go.
 */
import { below, type Random } from "../../../../platform/random.ts";
import {
  addressText,
  familyOf,
  type IpFamily,
  masked,
  type Prefix,
  prefixText,
  readAddress,
  readPrefix,
} from "../../../meta/go-addresses.ts";
import type { ServiceAddresses } from "../../strategy/rest-strategy.ts";

/** A range of addresses, without the network address and, in IPv4, the broadcast address. */
export interface AddressRange {
  /** `10.0.0.0/16`. */
  readonly cidr: string;
  readonly prefix: Prefix;
  readonly first: bigint;
  readonly last: bigint;
  /** Allocation starts here: lower addresses are reserved for explicit requests. */
  readonly upper: bigint;
}

/** Undefined if the text is not a range. */
function addressRange(text: string): AddressRange | undefined {
  const read = readPrefix(text);
  if ("problem" in read) return undefined;
  const prefix = masked(read.value);
  const { bits, value } = prefix.address;
  const size = 1n << BigInt(bits - prefix.length);
  const [first, last] = [value + 1n, value + size - (bits === 32 ? 2n : 1n)];
  return { cidr: prefixText(prefix), prefix, first, last, upper: first + keptLow(size) };
}

/** How many addresses are reserved for explicit requests: a sixteenth, but at least 16 and at most 256. */
function keptLow(size: bigint): bigint {
  if (size <= 16n) return 0n;
  const sixteenth = size / 16n;
  return sixteenth < 16n ? 16n : sixteenth > 256n ? 256n : sixteenth;
}

/** A request for addresses. */
export interface AddressRequest {
  readonly addresses: ServiceAddresses;
  /** True: nothing is stored, and addresses are not checked for being taken. */
  readonly dryRun: boolean;
}

interface Candidate {
  readonly range: AddressRange;
  readonly isReady: boolean;
}

function rangesOf(addresses: ServiceAddresses, family: IpFamily): Candidate[] {
  return addresses.ranges().flatMap(({ cidr, isReady }) => {
    const range = familyOf(cidr) === family ? addressRange(cidr) : undefined;
    return range === undefined ? [] : [{ range, isReady }];
  });
}

const notReady = "allocator not ready";

/** Why a Service cannot have the address that it requests; undefined if it can. */
export function requestedProblem(text: string, { addresses, dryRun }: AddressRequest): string | undefined {
  const read = readAddress(text);
  if ("problem" in read) return read.problem;
  const [{ value }, ip] = [read.value, addressText(read.value)];
  const holds = ({ range: { first, last } }: Candidate): boolean => first <= value && value <= last;
  const candidates = rangesOf(addresses, familyOf(text));
  if (dryRun) {
    const [any] = candidates;
    if (any?.isReady !== true) return notReady;
    const where = `The range of valid IPs is ${any.range.cidr}`;
    return holds(any) ? undefined : `the provided IP (${ip}) is not in the valid range. ${where}`;
  }
  if (!candidates.some((candidate) => candidate.isReady && holds(candidate)))
    return "the provided network does not match the current range";
  return addresses.isTaken(ip) ? "provided IP is already allocated" : undefined;
}

/** An address of a family, or why there is none. */
export type Given = { readonly is: "address"; readonly ip: string } | { readonly is: "not ready" | "full" };

/**
 * A free address: searched from a random position in the upper part of a range, then in the lower part. A dry run gets the network address,
 * as nothing is stored.
 */
export function nextAddress(
  family: IpFamily,
  { addresses, dryRun, random }: AddressRequest & { readonly random: Random },
): Given {
  const candidates = rangesOf(addresses, family);
  if (dryRun) {
    const [any] = candidates;
    return any?.isReady === true ? { is: "address", ip: addressText(any.range.prefix.address) } : { is: "not ready" };
  }
  for (const { range, isReady } of candidates) {
    const ip = isReady ? freeIn(range, { addresses, random }) : undefined;
    if (ip !== undefined) return { is: "address", ip };
  }
  return { is: "full" };
}

interface Search {
  readonly addresses: ServiceAddresses;
  readonly random: Random;
}

function freeIn({ prefix, first, upper, last }: AddressRange, { addresses, random }: Search): string | undefined {
  const free = (from: bigint, to: bigint): string | undefined => {
    const size = to - from + 1n;
    if (size <= 0n) return undefined;
    const start = bigBelow(random, size);
    for (let step = 0n; step < size; step++) {
      const ip = addressText({ ...prefix.address, value: from + ((start + step) % size) });
      if (!addresses.isTaken(ip)) return ip;
    }
    return undefined;
  };
  return free(upper, last) ?? free(first, upper - 1n);
}

const word = 2 ** 32;

function bigBelow(random: Random, bound: bigint): bigint {
  if (bound <= BigInt(word)) return BigInt(below(random, Number(bound)));
  return ((BigInt(below(random, word)) << 32n) | BigInt(below(random, word))) % bound;
}

/** The minimum size of the first range. Source: kubernetes v1.36 pkg/controlplane/apiserver/options/options.go ServiceIPRange. */
const fewest = 8;
const shortestPrefix = 64;

/**
 * One range, or one per family, as in kube-apiserver's `--service-cluster-ip-range`.
 * Source: kubernetes v1.36 cmd/kube-apiserver/app/options/{completion,validation}.go.
 * @throws RangeError with kube-apiserver's message.
 */
export function serviceRangesOf(texts: readonly string[]): readonly string[] {
  const flag = "service-cluster-ip-range";
  const [primary, secondary] = texts.map(addressRange);
  if (primary === undefined) throw new RangeError(`${flag}[0] is not a valid cidr`);
  if (primary.prefix.length > primary.prefix.address.bits - Math.log2(fewest)) {
    const why = `the service cluster IP range must be at least ${fewest} IP addresses`;
    throw new RangeError(`error determining service IP ranges for primary service cidr: ${why}`);
  }
  if (texts.length > 1 && secondary === undefined) throw new RangeError(`${flag}[1] is not an ip net`);
  if (texts.length > 2) throw new RangeError(`--${flag} must not contain more than two entries`);
  const ranges = [primary, ...(secondary === undefined ? [] : [secondary])];
  if (secondary !== undefined && familyOf(primary.cidr) === familyOf(secondary.cidr))
    throw new RangeError(`--${flag}[0] and --${flag}[1] must be of different IP family`);
  for (const { prefix } of ranges)
    if (prefix.address.bits === 128 && prefix.length < shortestPrefix)
      throw new RangeError(
        `shortest allowed prefix length for service CIDR is ${shortestPrefix}, got ${prefix.length}`,
      );
  return ranges.map(({ cidr }) => cidr);
}
