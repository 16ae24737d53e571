/** IP addresses as strings and as numbers. Source: Go net/ip.go; k8s.io/utils/net; differs: no zones. */

function v4(text: string): bigint | undefined {
  const parts = text.split(".");
  if (parts.length !== 4 || !parts.every((part) => /^\d{1,3}$/.test(part) && Number(part) < 256)) return undefined;
  return parts.reduce((sum, part) => sum * 256n + BigInt(part), 0n);
}

/** The last 32 bits may be written as an IPv4 address. */
function v6(text: string): bigint | undefined {
  const [, start, end] = /^(.*:)([\d.]+\.[\d.]+)$/.exec(text) ?? [];
  if (start === undefined || end === undefined) return v6InHex(text);
  const value = v4(end);
  return value === undefined
    ? undefined
    : v6InHex(`${start}${(value >> 16n).toString(16)}:${(value & 0xffffn).toString(16)}`);
}

function v6InHex(text: string): bigint | undefined {
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

/** An address as a number, and its number of bits; undefined for an invalid address. */
export function addressOf(text: string): { readonly bits: 32 | 128; readonly value: bigint } | undefined {
  const bits = text.includes(":") ? 128 : 32;
  const value = bits === 128 ? v6(text) : v4(text);
  return value === undefined ? undefined : { bits, value };
}

/** The families of addresses that Services and EndpointSlices name. */
export type IpFamily = "IPv4" | "IPv6";

/** An address in canonical form, and its family. */
export interface CanonicalAddress {
  readonly text: string;
  readonly family: IpFamily;
}

/**
 * An address without leading zeros, in lower case, its longest run of zeros omitted: `2001:db8::1`. An IPv4-mapped IPv6 address counts as
 * IPv4. Undefined for an invalid address.
 */
export function canonicalAddress(text: string): CanonicalAddress | undefined {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(text)?.[1];
  const address = addressOf(mapped ?? text);
  if (address === undefined) return undefined;
  const { bits, value } = address;
  if (bits === 32) return { text: dotted(value), family: "IPv4" };
  return value >> 32n === 0xffffn ? { text: dotted(value), family: "IPv4" } : { text: grouped(value), family: "IPv6" };
}

function dotted(value: bigint): string {
  return [24n, 16n, 8n, 0n].map((shift) => String((value >> shift) & 255n)).join(".");
}

function grouped(value: bigint): string {
  const groups = Array.from({ length: 8 }, (_, n) => ((value >> BigInt(112 - 16 * n)) & 0xffffn).toString(16));
  const run = longestZeros(groups);
  if (run === undefined) return groups.join(":");
  return `${groups.slice(0, run.from).join(":")}::${groups.slice(run.from + run.length).join(":")}`;
}

/** The first of the longest runs of at least two zeros. */
function longestZeros(groups: readonly string[]): { readonly from: number; readonly length: number } | undefined {
  let longest: { readonly from: number; readonly length: number } | undefined;
  for (let from = 0; from < groups.length; from++) {
    let length = 0;
    while (groups[from + length] === "0") length++;
    if (length >= 2 && length > (longest?.length ?? 0)) longest = { from, length };
    from += length;
  }
  return longest;
}
