/** IP addresses and networks as Go parses them. Source: Go net/netip/netip.go. */
import { goQuoted } from "../../api/go-text.ts";

/** An address; IPv4 has 32 bits, IPv6 128. */
export interface Address {
  readonly bits: 32 | 128;
  readonly value: bigint;
  readonly zone: string;
}

/** A network: an address and its prefix length. */
export interface Prefix {
  readonly address: Address;
  readonly length: number;
}

/** A family of IP addresses, as named in Services. */
export type IpFamily = "IPv4" | "IPv6";

/** The family of an address, or of a network. */
export const familyOf = (text: string): IpFamily => (text.includes(":") ? "IPv6" : "IPv4");

/** A parsed value, or why the text is invalid. */
export type Read<T> = { readonly value: T } | { readonly problem: string };

/** Parses an address; errors are those of Go's ParseAddr. */
export function readAddress(text: string): Read<Address> {
  const first = /[.:%]/.exec(text)?.[0];
  const failed = (why: string, at = ""): Read<Address> => ({
    problem: `ParseAddr(${goQuoted(text)}): ${why}${at === "" ? "" : ` (at ${goQuoted(at)})`}`,
  });
  if (first === ".") {
    const octets = readOctets(text);
    return typeof octets === "bigint"
      ? { value: { bits: 32, value: octets, zone: "" } }
      : failed(octets.why, octets.at);
  }
  if (first === ":") {
    const found = readSixteen(text);
    return "why" in found ? failed(found.why, found.at) : { value: found };
  }
  return failed(first === "%" ? "missing IPv6 address" : "unable to parse IP");
}

interface Failure {
  readonly why: string;
  readonly at?: string;
}

function readOctets(text: string): bigint | Failure {
  let value = 0n;
  let fields = 0;
  let octet = "";
  for (let at = 0; at < text.length; at++) {
    const character = text[at] ?? "";
    if (character >= "0" && character <= "9") {
      if (octet === "0") return { why: "IPv4 field has octet with leading zero" };
      octet += character;
      if (Number(octet) > 255) return { why: "IPv4 field has value >255" };
    } else if (character === ".") {
      if (at === 0 || at === text.length - 1 || text[at - 1] === ".")
        return { why: "IPv4 field must have at least one digit", at: text.slice(at) };
      if (fields === 3) return { why: "IPv4 address too long" };
      value = value * 256n + BigInt(octet);
      fields++;
      octet = "";
    } else return { why: "unexpected character", at: text.slice(at) };
  }
  return fields < 3 ? { why: "IPv4 address too short" } : value * 256n + BigInt(octet);
}

function readSixteen(text: string): Address | Failure {
  const percent = text.indexOf("%");
  const zone = percent < 0 ? "" : text.slice(percent + 1);
  if (percent >= 0 && zone === "") return { why: "zone must be a non-empty string" };
  const groups = readGroups(percent < 0 ? text : text.slice(0, percent));
  if ("why" in groups) return groups;
  return { bits: 128, value: groups.reduce((all, group) => all * 65_536n + BigInt(group), 0n), zone };
}

/** The eight groups of an IPv6 address. */
function readGroups(text: string): readonly number[] | Failure {
  const groups: number[] = [];
  let ellipsis = -1;
  let rest = text;
  if (rest.startsWith("::")) {
    ellipsis = 0;
    rest = rest.slice(2);
  }
  while (rest !== "" && groups.length < 8) {
    const digits = /^[0-9a-fA-F]*/.exec(rest)?.[0] ?? "";
    if (digits.length > 4) return { why: "each group must have 4 or less digits", at: rest };
    if (digits === "") return { why: "each colon-separated field must have at least one digit", at: rest };
    if (rest[digits.length] === ".") {
      const failure = embed(rest, { groups, hasEllipsis: ellipsis >= 0 });
      if (failure !== undefined) return failure;
      rest = "";
      break;
    }
    groups.push(Number.parseInt(digits, 16));
    rest = rest.slice(digits.length);
    if (rest === "") break;
    if (rest[0] !== ":") return { why: "unexpected character, want colon", at: rest };
    if (rest.length === 1) return { why: "colon must be followed by more characters", at: rest };
    rest = rest.slice(1);
    if (rest[0] === ":") {
      if (ellipsis >= 0) return { why: "multiple :: in address", at: rest };
      ellipsis = groups.length;
      rest = rest.slice(1);
    }
  }
  if (rest !== "") return { why: "trailing garbage after address", at: rest };
  if (groups.length === 8) return ellipsis < 0 ? groups : { why: "the :: must expand to at least one field of zeros" };
  if (ellipsis < 0) return { why: "address string too short" };
  return [...groups.slice(0, ellipsis), ...Array<number>(8 - groups.length).fill(0), ...groups.slice(ellipsis)];
}

/** The last two groups written as an IPv4 address. */
function embed(
  text: string,
  { groups, hasEllipsis }: { readonly groups: number[]; readonly hasEllipsis: boolean },
): Failure | undefined {
  if (!hasEllipsis && groups.length !== 6)
    return { why: "embedded IPv4 address must replace the final 2 fields of the address", at: text };
  if (groups.length > 6)
    return { why: "too many hex fields to fit an embedded IPv4 at the end of the address", at: text };
  const octets = readOctets(text);
  if (typeof octets !== "bigint") return octets;
  groups.push(Number(octets >> 16n), Number(octets & 0xffffn));
  return undefined;
}

/** Parses a network; errors are those of Go's ParsePrefix. */
export function readPrefix(text: string): Read<Prefix> {
  const failed = (why: string): Read<Prefix> => ({ problem: `netip.ParsePrefix(${goQuoted(text)}): ${why}` });
  const slash = text.lastIndexOf("/");
  if (slash < 0) return failed("no '/'");
  const address = readAddress(text.slice(0, slash));
  if ("problem" in address) return failed(address.problem);
  if (address.value.zone !== "") return failed("IPv6 zones cannot be present in a prefix");
  const digits = text.slice(slash + 1);
  if (!/^\d+$/.test(digits) || (digits.length > 1 && digits.startsWith("0")))
    return failed(`bad bits after slash: ${goQuoted(digits)}`);
  const length = Number(digits);
  if (length > address.value.bits) return failed("prefix length out of range");
  return { value: { address: address.value, length } };
}

const octetsOf = ({ value }: Address): string =>
  [24n, 16n, 8n, 0n].map((shift) => String((value >> shift) & 0xffn)).join(".");

/** The canonical text: lower case, the longest run of zeros left out. */
export function addressText(address: Address): string {
  if (address.bits === 32) return octetsOf(address);
  if (isMapped(address)) return `::ffff:${octetsOf(address)}`;
  const groups = Array.from({ length: 8 }, (_, n) => (address.value >> BigInt(112 - 16 * n)) & 0xffffn);
  let [start, end] = [-1, -1];
  for (let from = 0; from < 8; from++) {
    let to = from;
    while (to < 8 && groups[to] === 0n) to++;
    if (to - from >= 2 && to - from > end - start) [start, end] = [from, to];
  }
  const hex = (from: number, to: number): string =>
    groups
      .slice(from, to)
      .map((group) => group.toString(16))
      .join(":");
  const text = start < 0 ? hex(0, 8) : `${hex(0, start)}::${hex(end, 8)}`;
  return address.zone === "" ? text : `${text}%${address.zone}`;
}

/** An address in canonical form: `fd00::1` for `FD00::0001`. Invalid ones are returned unchanged. */
export function canonicalAddress(text: string): string {
  const read = readAddress(text);
  return "problem" in read ? text : addressText(read.value);
}

/** The address after that of a network: `10.0.0.1` for `10.0.0.0/16`. @throws RangeError for an invalid network. */
export function firstAddressIn(network: string): string {
  const read = readPrefix(network);
  if ("problem" in read) throw new RangeError(`Cannot read a network: ${read.problem}`);
  const { address } = masked(read.value);
  return addressText({ ...address, value: address.value + 1n });
}

/** `10.0.0.0/8`. */
export const prefixText = ({ address, length }: Prefix): string => `${addressText(address)}/${length}`;

/** True for an IPv4 address in IPv6 form. */
export const isMapped = ({ bits, value }: Address): boolean => bits === 128 && value >> 32n === 0xffffn;

/** The network's own address: all host bits are zero. */
export function masked({ address, length }: Prefix): Prefix {
  const rest = BigInt(address.bits - length);
  return { address: { ...address, value: (address.value >> rest) << rest }, length };
}

/** True for an address in a network. */
export function isWithin(address: Address, network: Prefix): boolean {
  if (address.bits !== network.address.bits) return false;
  const rest = BigInt(address.bits - network.length);
  return address.value >> rest === network.address.value >> rest;
}

const top = ({ bits, value }: Address, count: number): bigint => value >> BigInt(bits - count);

/** `127.0.0.0/8` and `::1`. */
export const isLoopback = (address: Address): boolean =>
  address.bits === 32 ? top(address, 8) === 127n : address.value === 1n;

/** `169.254.0.0/16` and `fe80::/10`. */
export const isLinkLocalUnicast = (address: Address): boolean =>
  address.bits === 32 ? top(address, 16) === 0xa9fen : top(address, 10) === 0x3fan;

/** `224.0.0.0/24` and the link-local scope of `ff00::/8`. */
export const isLinkLocalMulticast = (address: Address): boolean =>
  address.bits === 32 ? top(address, 24) === 0xe00000n : (top(address, 16) & 0xff0fn) === 0xff02n;

/** All but loopback, multicast, link-local, unspecified and broadcast addresses. */
export function isGlobalUnicast(address: Address): boolean {
  if (address.value === 0n || (address.bits === 32 && address.value === 0xffff_ffffn)) return false;
  const isMulticast = address.bits === 32 ? top(address, 4) === 0xen : top(address, 8) === 0xffn;
  return !isLoopback(address) && !isMulticast && !isLinkLocalUnicast(address);
}
