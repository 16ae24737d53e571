/** Ranges of IP addresses, and which of them contain an address or each other. Source: Go net/netip; kubernetes v1.36 pkg/api/servicecidr. */
import { addressOf } from "./ip-address.ts";

/** A range as its first address and prefix length: `10.96.0.0/12`. */
export interface IpPrefix {
  /** The number of bits of an address: 32 or 128. */
  readonly bits: 32 | 128;
  /** The first address of the range. */
  readonly first: bigint;
  /** How many leading bits all addresses share. */
  readonly length: number;
}

/** A range in CIDR notation; undefined if invalid. */
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

/** Whether two ranges overlap: then one contains the other. */
export function overlaps(one: IpPrefix, other: IpPrefix): boolean {
  const length = Math.min(one.length, other.length);
  const { bits } = one;
  return bits === other.bits && masked(one.first, { bits, length }) === masked(other.first, { bits, length });
}

/** Whether the first range contains the second. */
export function containsPrefix(outer: IpPrefix, inner: IpPrefix): boolean {
  return overlaps(outer, inner) && outer.length <= inner.length;
}

/**
 * Whether a Service can get the address from a ServiceCIDR range: any in it except the first and, for IPv4, the last.
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
