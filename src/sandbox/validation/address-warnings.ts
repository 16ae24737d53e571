/**
 * Warnings about addresses that are valid, but not in canonical form. Source: apimachinery v0.36 util/validation/ip.go GetWarningsForIP,
 * GetWarningsForCIDR; differs: none about ranges that are refused in new objects.
 */
import { goQuoted } from "../../api/go-text.ts";
import { addressText, isMapped, prefixText, readAddress, readPrefix } from "../meta/go-addresses.ts";
import { fieldsIn, textOf } from "../meta/object.ts";

/** About an address at `field`. */
export function addressWarnings(text: string, field: string): string[] {
  const use = (better: string): string[] => [
    `${field}: non-standard IP address ${goQuoted(text)} is invalid: use ${goQuoted(better)}`,
  ];
  const read = readAddress(text);
  // Of unparsable addresses, only those with leading zeros are accepted.
  if ("problem" in read) return text.includes(":") ? [] : use(text.split(".").map(Number).join("."));
  const { value } = read;
  if (isMapped(value)) return use(addressText({ bits: 32, value: value.value & 0xffff_ffffn, zone: "" }));
  const canonical = addressText(value);
  if (value.bits === 32 || canonical === text) return [];
  return [`${field}: IPv6 address ${goQuoted(text)} ${shouldBe(canonical)}`];
}

/** About a range at `field`. */
export function rangeWarnings(text: string, field: string): string[] {
  const read = readPrefix(text);
  if ("problem" in read || read.value.address.bits === 32) return [];
  const canonical = prefixText(read.value);
  return canonical === text ? [] : [`${field}: IPv6 CIDR value ${goQuoted(text)} ${shouldBe(canonical)}`];
}

const shouldBe = (canonical: string): string => `should be in RFC 5952 canonical format (${goQuoted(canonical)})`;

/** About the addresses in a list of objects that have one as `ip`; `fieldOf` is the path of each. */
export const listedWarnings = (list: unknown, fieldOf: (index: number) => string): string[] =>
  fieldsIn(list).flatMap(({ ip }, index) => (textOf(ip) === "" ? [] : addressWarnings(textOf(ip), fieldOf(index))));
