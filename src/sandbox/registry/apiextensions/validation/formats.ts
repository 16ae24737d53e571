/** String formats. Source: kube-openapi pkg/validation/strfmt; apiextensions-apiserver v0.36 pkg/apiserver/validation/formats.go. */
import { isCidr, isIpv4, isIpv6 } from "./addresses.ts";
import type { JSONSchemaProps } from "../schema/structural.ts";

const uuid = (third: string, fourth = "[0-9a-f]"): RegExp =>
  new RegExp(`^[0-9a-f]{8}-?[0-9a-f]{4}-?${third}-?${fourth}[0-9a-f]{3}-?[0-9a-f]{12}$`, "i");
const anyThird = "[0-9a-f]{4}";
const shortName = "[a-z0-9]([-a-z0-9]*[a-z0-9])?";

const matching =
  (pattern: RegExp) =>
  (text: string): boolean =>
    pattern.test(text);

/** By name without dashes. */
const formats: Readonly<Record<string, (text: string) => boolean>> = {
  bsonobjectid: matching(/^[0-9a-f]{24}$/i),
  uri: isRequestUri,
  email: isEmail,
  hostname: isHostname,
  ipv4: isIpv4,
  ipv6: isIpv6,
  cidr: isCidr,
  mac: matching(
    /^([0-9a-f]{2}([:-])([0-9a-f]{2}\2){4}([0-9a-f]{2}\2[0-9a-f]{2}\2)?[0-9a-f]{2}|([0-9a-f]{4}\.){2,3}[0-9a-f]{4})$/i,
  ),
  uuid: matching(uuid(anyThird)),
  uuid3: matching(uuid("3[0-9a-f]{3}")),
  uuid4: matching(uuid("4[0-9a-f]{3}", "[89ab]")),
  uuid5: matching(uuid("5[0-9a-f]{3}", "[89ab]")),
  isbn: (text) => isIsbn10(text) || isIsbn13(text),
  isbn10: isIsbn10,
  isbn13: isIsbn13,
  creditcard: isCreditCard,
  ssn: matching(/^\d{3}[- ]?\d{2}[- ]?\d{4}$/),
  hexcolor: matching(/^#?([0-9a-fA-F]{3}|[0-9a-fA-F]{6})$/),
  rgbcolor: isRgbColor,
  byte: matching(/^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=|[A-Za-z0-9+/]{4})$/),
  password: () => true,
  date: isDate,
  duration: isDuration,
  datetime: isDateTime,
  k8sshortname: (text) => text.length <= 63 && new RegExp(`^${shortName}$`).test(text),
  k8slongname: (text) => text.length <= 253 && new RegExp(`^${shortName}(\\.${shortName})*$`).test(text),
};

/** The check for a schema's format; undefined if the format has none. */
export function formatCheck(format: string): ((text: string) => boolean) | undefined {
  const name = format.replaceAll("-", "");
  return Object.hasOwn(formats, name) ? formats[name] : undefined;
}

/** The format of a schema; `""` if it is unknown for its type, and therefore ignored. */
export function knownFormat({ type = "", format = "", ...more }: JSONSchemaProps): string {
  // An int-or-string has two types.
  const single = more["x-kubernetes-int-or-string"] === true ? "" : type;
  switch (single) {
    case "":
    case "string":
      return formatCheck(format) === undefined ? "" : format;
    case "integer":
      return format === "int32" || format === "int64" ? format : "";
    case "number":
      return format === "float" || format === "double" ? format : "";
    default:
      return "";
  }
}

/** As accepted by Go's net/url ParseRequestURI: a path, or a URI with a scheme. */
function isRequestUri(text: string): boolean {
  // oxlint-disable-next-line no-control-regex -- these are what Go rejects in a URI
  if (text === "" || /[\x00-\x20\x7f]/.test(text) || /%(?![0-9a-fA-F]{2})/.test(text)) return false;
  if (text.startsWith("/")) return true;
  return /^[a-zA-Z][a-zA-Z0-9+.-]*:/.test(text) && !/^[a-zA-Z][a-zA-Z0-9+.-]*:\/\/[^/]*[<>"\\^`{|}]/.test(text);
}

/** Roughly Go's net/mail ParseAddress: a bare address, or one in angle brackets after a name. */
function isEmail(text: string): boolean {
  const bare = /^\s*(?:[^<>@",]*|"[^"]*"\s*)<([^<>]+)>\s*$/.exec(text)?.[1] ?? text.trim();
  return /^[^\s@<>(),;:\\"[\]]+@[^\s@<>(),;:\\"[\]]+$/.test(bare) && !/^\.|\.@|\.\.|@\.|\.$/.test(bare);
}

function isHostname(text: string): boolean {
  const pattern =
    /^([a-zA-Z0-9\p{S}\p{L}]((-?[a-zA-Z0-9\p{S}\p{L}]{0,62})?)|([a-zA-Z0-9\p{S}\p{L}](([a-zA-Z0-9-\p{S}\p{L}]{0,61}[a-zA-Z0-9\p{S}\p{L}])?)(\.))+([a-zA-Z\p{L}]){2,63})$/u;
  const bytes = new TextEncoder().encode(text).length;
  return bytes <= 255 && pattern.test(text) && text.split(".").every((part) => part.length <= 63);
}

function isIsbn10(text: string): boolean {
  const digits = text.replaceAll(/[\s-]+/g, "");
  if (!/^(?:\d{9}X|\d{10})$/.test(digits)) return false;
  const sum = Array.from(digits).reduce(
    (all, digit, index) => all + (digit === "X" ? 10 : Number(digit)) * (10 - index),
    0,
  );
  return sum % 11 === 0;
}

function isIsbn13(text: string): boolean {
  const digits = text.replaceAll(/[\s-]+/g, "");
  if (!/^\d{13}$/.test(digits)) return false;
  return (
    Array.from(digits).reduce((all, digit, index) => all + Number(digit) * (index % 2 === 0 ? 1 : 3), 0) % 10 === 0
  );
}

function isCreditCard(text: string): boolean {
  const digits = text.replaceAll(/\D+/g, "");
  const issuers =
    /^(?:4\d{12}(?:\d{3})?|5[1-5]\d{14}|6(?:011|5\d\d)\d{12}|3[47]\d{13}|3(?:0[0-5]|[68]\d)\d{11}|(?:2131|1800|35\d{3})\d{11})$/;
  if (!issuers.test(digits)) return false;
  const sum = Array.from(digits)
    .reverse()
    .reduce((all, digit, index) => {
      const doubled = Number(digit) * (index % 2 === 0 ? 1 : 2);
      return all + (doubled > 9 ? doubled - 9 : doubled);
    }, 0);
  return sum % 10 === 0;
}

function isRgbColor(text: string): boolean {
  const part = "\\s*(0|[1-9]\\d?|1\\d\\d?|2[0-4]\\d|25[0-5])\\s*";
  return new RegExp(`^rgb\\(${part},${part},${part}\\)$`).test(text);
}

function isDate(text: string): boolean {
  const [, year, month, day] = /^(\d{4})-(\d\d)-(\d\d)$/.exec(text) ?? [];
  if (year === undefined) return false;
  const leap = Number(year) % 4 === 0 && (Number(year) % 100 !== 0 || Number(year) % 400 === 0);
  const days = [31, leap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
  return Number(day) >= 1 && Number(day) <= (days[Number(month) - 1] ?? 0);
}

function isDateTime(text: string): boolean {
  const [date = "", time, ...rest] = text.toLowerCase().split("t");
  if (text.length < 4 || time === undefined || !isDate(date) || rest.length > 0) return false;
  const [, hour = "", minute = "", second = ""] = /^(\d\d):(\d\d):(\d\d)(.\d+)?(z|[+-]\d\d:\d\d)$/.exec(time) ?? [];
  return hour !== "" && hour <= "23" && minute <= "59" && second <= "59";
}

const goDuration = /^[-+]?(?:0|(?:(?:\d+\.?\d*|\.\d+)(?:ns|us|µs|μs|ms|s|m|h))+)$/;
const unitWord = /^(?:ns|nano.*|us|µs|micro.*|ms|milli.*|s|sec.*|m|min.*|h|hr|hour.*|d|day.*|w|wk|week.*)$/i;

/** As Go parses it, or in Scala's notation: `5 days`. */
function isDuration(text: string): boolean {
  if (goDuration.test(text)) return true;
  return [...text.matchAll(/\d+\s*([A-Za-zµ]+)/g)].some(([, unit = ""]) => unitWord.test(unit));
}
