/** Ranges of addresses. Source: apimachinery v0.36 util/validation/ip.go; differs: how an address is written is not looked at. */
import { invalid, type FieldError } from "../field-errors.ts";

export interface Cidr {
  /** The first address of the range. */
  readonly first: bigint;
  /** How many bits are fixed. */
  readonly prefix: number;
  /** Of an address: 32 or 128. */
  readonly bits: number;
}

function v4(text: string): bigint | undefined {
  const parts = text.split(".");
  if (parts.length !== 4 || !parts.every((part) => /^\d{1,3}$/.test(part) && Number(part) < 256)) return undefined;
  return parts.reduce((sum, part) => sum * 256n + BigInt(part), 0n);
}

function v6(text: string): bigint | undefined {
  const [head = "", tail, more] = text.split("::");
  if (more !== undefined) return undefined;
  const groups = (part: string): string[] => (part === "" ? [] : part.split(":"));
  const [left, right] = [groups(head), groups(tail ?? "")];
  const missing = 8 - left.length - right.length;
  if (tail === undefined ? missing !== 0 : missing < 1) return undefined;
  const all = [...left, ...Array.from({ length: tail === undefined ? 0 : missing }, () => "0"), ...right];
  if (!all.every((group) => /^[0-9a-f]{1,4}$/i.test(group))) return undefined;
  return all.reduce((sum, group) => sum * 65536n + BigInt(`0x${group}`), 0n);
}

/** Whether a text is an address. */
export function isAddress(text: string): boolean {
  return (text.includes(":") ? v6(text) : v4(text)) !== undefined;
}

/** `10.0.0.0/8`; undefined for what is no range. */
export function cidrOf(text: string): Cidr | undefined {
  const [address = "", length = ""] = text.split("/");
  const bits = address.includes(":") ? 128 : 32;
  const value = bits === 128 ? v6(address) : v4(address);
  if (value === undefined || !/^\d{1,3}$/.test(length) || Number(length) > bits || text.split("/").length !== 2)
    return undefined;
  const free = BigInt(bits - Number(length));
  return { first: (value >> free) << free, prefix: Number(length), bits };
}

/** Whether `inner` lies in `outer`, and is smaller. */
export function isStrictPart(inner: Cidr, outer: Cidr): boolean {
  if (inner.bits !== outer.bits || inner.prefix <= outer.prefix) return false;
  const free = BigInt(outer.bits - outer.prefix);
  return inner.first >> free === outer.first >> free;
}

export const noCidr = (field: string, value: string): FieldError =>
  invalid(field, value, "must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)");
