/** IP addresses as string formats; leading zeros are ignored. Source: kube-openapi pkg/validation/strfmt/default.go. */

/** Four numbers up to 255. */
export function isIpv4(text: string): boolean {
  const parts = text.split(".");
  return parts.length === 4 && parts.every((part) => /^\d{1,10}$/.test(part) && Number(part) <= 255);
}

/** Up to eight groups of four hexadecimal digits; the last two may be an IPv4 address. */
export function isIpv6(text: string): boolean {
  const embedded = text.slice(text.lastIndexOf(":") + 1);
  const groups = embedded.includes(".") ? (isIpv4(embedded) ? `${text.slice(0, -embedded.length)}0:0` : "") : text;
  const halves = groups.split("::");
  if (!groups.includes(":") || halves.length > 2) return false;
  const parts = halves.flatMap((half) => (half === "" ? [] : half.split(":")));
  return (
    parts.every((part) => /^[0-9a-f]{1,4}$/i.test(part)) &&
    (halves.length === 2 ? parts.length <= 7 : parts.length === 8)
  );
}

/** An address, a slash, and the prefix length. */
export function isCidr(text: string): boolean {
  const [address = "", bits = "", ...rest] = text.split("/");
  if (rest.length > 0 || !/^\d{1,3}$/.test(bits)) return false;
  if (isIpv4(address)) return Number(bits) <= 32;
  return isIpv6(address) && Number(bits) <= 128;
}
