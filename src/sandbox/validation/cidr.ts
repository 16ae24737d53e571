/** IP address ranges. Source: apimachinery v0.36 util/validation/ip.go. */
import { addressOf } from "../../api/ip-address.ts";
import { goQuoted } from "../../api/go-text.ts";
import { canonicalAddress, isMapped, readAddress } from "../meta/go-addresses.ts";
import { invalid, type FieldError } from "../meta/field-errors.ts";
import type { ApiObject } from "../meta/object.ts";

/** A range of IP addresses. */
export interface Cidr {
  /** The first address of the range. */
  readonly first: bigint;
  /** The prefix length. */
  readonly prefix: number;
  /** The bits of an address: 32 or 128. */
  readonly bits: number;
}

/** True if a text is an IP address. */
export function isAddress(text: string): boolean {
  return addressOf(text) !== undefined;
}

const noAddress = "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)";

/** Why a text is not an IP address. */
export function addressProblems(value: string): string[] {
  if (!isAddress(value)) return [noAddress];
  if (hasLeadingZeros(value)) return ["must not have leading 0s"];
  return isMappedAddress(value) ? [`must not be ${mapped}`] : [];
}

const mapped = "an IPv4-mapped IPv6 address";

/** `::ffff:10.0.0.1`: some software takes it for IPv4. */
function isMappedAddress(text: string): boolean {
  const read = readAddress(text);
  return "value" in read && isMapped(read.value);
}

/** Why a text is not an IP address in canonical form. */
export function canonicalAddressErrors(value: string, field: string): FieldError[] {
  const errors = addressErrors(value, field);
  const canonical = canonicalAddress(value);
  return errors.length > 0 || canonical === value
    ? errors
    : [invalid(field, value, `must be in canonical form (${goQuoted(canonical)})`)];
}

/** The value must be an IP address. */
export const addressErrors = (value: string, field: string): FieldError[] =>
  addressProblems(value).map((problem) => invalid(field, value, problem));

/** `010.0.0.1`: some parsers read it as octal. */
const hasLeadingZeros = (address: string): boolean =>
  !address.includes(":") && address.split(".").some((part) => part.length > 1 && part.startsWith("0"));

const onLoopback = "may not be in the loopback range (127.0.0.0/8, ::1/128)";

/** Ranges that endpoints may not be in, by family. */
const notForEndpoints: readonly { readonly range: readonly [v4: string, v6: string]; readonly why: string }[] = [
  { range: ["127.0.0.0/8", "::1/128"], why: onLoopback },
  { range: ["169.254.0.0/16", "fe80::/10"], why: "may not be in the link-local range (169.254.0.0/16, fe80::/10)" },
  {
    range: ["224.0.0.0/24", "ff02::/16"],
    why: "may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)",
  },
];

/** Ranges of addresses that are not global unicast: unspecified, broadcast, loopback, link-local and multicast. */
const notUnicast = [
  ["0.0.0.0/32", "255.255.255.255/32", "127.0.0.0/8", "169.254.0.0/16", "224.0.0.0/4"],
  ["::/128", "::1/128", "fe80::/10", "ff00::/8"],
] as const;

/** True for a global unicast address. Source: Go net/ip.go IsGlobalUnicast. */
export function isGlobalUnicast(text: string): boolean {
  const address = addressOf(text);
  return address !== undefined && !notUnicast[address.bits === 32 ? 0 : 1].some((range) => isWithin(address, range));
}

function isWithin({ bits, value }: { readonly bits: number; readonly value: bigint }, range: string): boolean {
  const cidr = cidrOf(range);
  if (cidr === undefined || cidr.bits !== bits) return false;
  const free = BigInt(bits - cidr.prefix);
  return value >> free === cidr.first >> free;
}

/** Validates the address of an endpoint. Source: kubernetes v1.36 pkg/apis/core/validation/validation.go ValidateEndpointIP. */
export function endpointAddressErrors(value: string, field: string): FieldError[] {
  const address = addressOf(value);
  if (address === undefined) return [invalid(field, value, "must be a valid IP address")];
  if (address.value === 0n) return [invalid(field, value, `may not be unspecified (${value})`)];
  return notForEndpoints.flatMap(({ range, why }) =>
    isWithin(address, range[address.bits === 32 ? 0 : 1]) ? [invalid(field, value, why)] : [],
  );
}

/** Parses `10.0.0.0/8`; undefined for an invalid range. */
export function cidrOf(text: string): Cidr | undefined {
  const [start = "", length = ""] = text.split("/");
  const address = addressOf(start);
  if (address === undefined) return undefined;
  const { bits, value } = address;
  if (!/^\d{1,3}$/.test(length) || Number(length) > bits || text.split("/").length !== 2) return undefined;
  const free = BigInt(bits - Number(length));
  return { first: (value >> free) << free, prefix: Number(length), bits };
}

/** True if `inner` is in `outer`, and smaller. */
export function isStrictPart(inner: Cidr, outer: Cidr): boolean {
  if (inner.bits !== outer.bits || inner.prefix <= outer.prefix) return false;
  const free = BigInt(outer.bits - outer.prefix);
  return inner.first >> free === outer.first >> free;
}

/** Validates a range, which must begin at its first address. */
export function cidrErrors(value: string, field: string): FieldError[] {
  const [cidr, address] = [cidrOf(value), addressOf(value.split("/")[0] ?? "")];
  if (cidr === undefined || address === undefined) return [noCidr(field, value)];
  const [start = "", length = ""] = value.split("/");
  const hasZeros = hasLeadingZeros(start) || (length.length > 1 && length.startsWith("0"));
  if (hasZeros) return [invalid(field, value, "must not have leading 0s in IP or prefix length")];
  if (isMappedAddress(start)) return [invalid(field, value, `must not have ${mapped}`)];
  return cidr.first === address.value ? [] : [invalid(field, value, "must not have bits set beyond the prefix length")];
}

/** The error for an invalid range. */
const noCidr = (field: string, value: string): FieldError =>
  invalid(field, value, "must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)");

/**
 * Drops errors about loopback addresses of the API server's own endpoints, `default/kubernetes`: a sandbox listens nowhere else, and on a
 * real server clients do not write them.
 */
export function withoutOwnAddress({ metadata }: ApiObject, errors: FieldError[]): FieldError[] {
  if (metadata.namespace !== "default" || metadata.name !== "kubernetes") return errors;
  return errors.filter(({ message }) => !message.includes(onLoopback));
}
