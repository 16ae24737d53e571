/** Ranges of IP addresses, and which of them contain an address or each other. Source: Go net/netip; kubernetes v1.36 pkg/api/servicecidr. */
import { addressOf } from "./ip-address.ts";

/** A range as a number and the count of its fixed bits: `10.96.0.0/12`. */
export interface IpPrefix {
  /** Of an address: 32 or 128. */
  readonly bits: 32 | 128;
  /** The first address of the range. */
  readonly first: bigint;
  /** How many bits are the same in all addresses. */
  readonly length: number;
}

/** A range in CIDR notation; undefined for what is none. */
export function prefixOf(text: string): IpPrefix | undefined {
  const [start = "", end = "", more] = text.split("/");
  const address = addressOf(start);
  const length = Number(end);
  if (address === undefined || more !== undefined || !/^\d{1,3}$/.test(end) || length > address.bits) return undefined;
  const { bits, value } = address;
  return { bits, first: masked(value, { bits, length }), length };
}

function masked(value: bigint, { bits, length }: Pick<IpPrefix, "bits" | "length">): bigint {
  const free = BigInt(bits - length);
  return (value >> free) << free;
}

/** Whether two ranges have addresses in common: then one contains the other. */
export function overlaps(one: IpPrefix, other: IpPrefix): boolean {
  const length = Math.min(one.length, other.length);
  const { bits } = one;
  return bits === other.bits && masked(one.first, { bits, length }) === masked(other.first, { bits, length });
}

/** Whether the first range has all addresses of the second one. */
export function containsPrefix(outer: IpPrefix, inner: IpPrefix): boolean {
  return overlaps(outer, inner) && outer.length <= inner.length;
}

/**
 * Whether a Service can get the address from a range of ServiceCIDRs: one in it, but neither its first nor, of IPv4, its last one.
 * Source: pkg/api/servicecidr/servicecidr.go PrefixContainsIP.
 */
export function containsServiceAddress(range: IpPrefix, text: string): boolean {
  const address = addressOf(text);
  if (address === undefined || address.bits !== range.bits) return false;
  const { bits, first, length } = range;
  const { value } = address;
  const last = first + (1n << BigInt(bits - length)) - 1n;
  return value > first && value <= last && !(bits === 32 && value === last);
}
