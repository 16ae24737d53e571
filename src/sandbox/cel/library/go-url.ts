/** URLs as Go parses and prints them. Source: Go net/url/url.go. */
import { readAddress, type Read } from "../../meta/go-addresses.ts";

/** A parsed URL. */
export interface GoUrl {
  readonly scheme: string;
  /** The part after the scheme if it is not a path. */
  readonly opaque: string;
  readonly user: string | undefined;
  readonly host: string;
  /** The path as it was written. */
  readonly rawPath: string;
  readonly query: string | undefined;
  readonly fragment: string;
}

class UrlProblem extends Error {}

const hex = /^[0-9a-fA-F]{2}/;
const hostCharacter = /[A-Za-z0-9\-_.~!$&'()*+,;=:[\]<>"]/;

/** The characters of nearly all hosts. */
const plainHost = /^[A-Za-z0-9\-_.:]*$/;

/** Checks escapes and, in hosts, characters. */
function checkEscapes(text: string, isHost: boolean): void {
  if (isHost ? plainHost.test(text) : !text.includes("%")) return;
  for (let at = 0; at < text.length; at++) {
    const character = text[at] ?? "";
    if (character === "%") {
      const digits = text.slice(at + 1, at + 3);
      if (!hex.test(digits)) throw new UrlProblem(`invalid URL escape ${JSON.stringify(text.slice(at, at + 3))}`);
      if (isHost && Number.parseInt(digits, 16) < 0x80 && digits !== "25")
        throw new UrlProblem(`invalid URL escape ${JSON.stringify(text.slice(at, at + 3))}`);
      at += 2;
    } else if (isHost && character < "\u0080" && !hostCharacter.test(character)) {
      throw new UrlProblem(`invalid character ${JSON.stringify(character)} in host name`);
    }
  }
}

const unescaped = (text: string): string => {
  if (plainHost.test(text)) return text;
  const bytes: number[] = [];
  const encoder = new TextEncoder();
  for (let at = 0; at < text.length;) {
    if (text[at] === "%") {
      bytes.push(Number.parseInt(text.slice(at + 1, at + 3), 16));
      at += 3;
      continue;
    }
    const character = String.fromCodePoint(text.codePointAt(at) ?? 0);
    bytes.push(...encoder.encode(character));
    at += character.length;
  }
  return new TextDecoder().decode(Uint8Array.from(bytes));
};

const isPort = (text: string): boolean => text === "" || /^:\d*$/.test(text);

function readHost(host: string): string {
  const open = host.lastIndexOf("[");
  if (open > 0) throw new UrlProblem("invalid IP-literal");
  if (open === 0) {
    const close = host.lastIndexOf("]");
    if (close < 0) throw new UrlProblem("missing ']' in host");
    const port = host.slice(close + 1);
    if (!isPort(port)) throw new UrlProblem(`invalid port ${JSON.stringify(port)} after host`);
    const inner = host.slice(1, close);
    checkEscapes(inner.split("%25")[0] ?? "", true);
    const address = readAddress(unescaped(inner));
    if ("problem" in address) throw new UrlProblem(`invalid host: ${address.problem}`);
    if (address.value.bits === 32) throw new UrlProblem("invalid IP-literal");
    return `[${unescaped(inner)}]${port}`;
  }
  return readName(host);
}

function readName(host: string): string {
  const colon = host.indexOf(":");
  const port = colon < 0 ? "" : host.slice(colon);
  if (!isPort(port)) throw new UrlProblem(`invalid port ${JSON.stringify(port)} after host`);
  checkEscapes(host, true);
  return unescaped(host);
}

function readAuthority(authority: string): Pick<GoUrl, "user" | "host"> {
  const at = authority.lastIndexOf("@");
  const host = readHost(authority.slice(at + 1));
  if (at < 0) return { user: undefined, host };
  const user = authority.slice(0, at);
  if (!/^[A-Za-z0-9\-._:~!$&'()*+,;=%@]*$/.test(user)) throw new UrlProblem("net/url: invalid userinfo");
  checkEscapes(user, false);
  return { user, host };
}

function readScheme(text: string): { readonly scheme: string; readonly rest: string } {
  if (text.startsWith(":")) throw new UrlProblem("missing protocol scheme");
  const scheme = /^[A-Za-z][A-Za-z0-9+\-.]*(?=:)/.exec(text)?.[0];
  return scheme === undefined
    ? { scheme: "", rest: text }
    : { scheme: scheme.toLowerCase(), rest: text.slice(scheme.length + 1) };
}

function read(text: string): GoUrl {
  // oxlint-disable-next-line no-control-regex -- these are rejected
  if (/[\x00-\x1f\x7f]/.test(text)) throw new UrlProblem("net/url: invalid control character in URL");
  if (text === "") throw new UrlProblem("empty url");
  const nothing = { scheme: "", opaque: "", user: undefined, host: "", rawPath: "", query: undefined, fragment: "" };
  if (text === "*") return { ...nothing, rawPath: "*" };
  const { scheme, rest } = readScheme(text);
  const mark = rest.indexOf("?");
  const path = mark < 0 ? rest : rest.slice(0, mark);
  const url = { ...nothing, scheme, query: mark < 0 ? undefined : rest.slice(mark + 1) };
  if (!path.startsWith("/")) {
    if (scheme === "") throw new UrlProblem("invalid URI for request");
    return { ...url, opaque: path };
  }
  if (scheme === "" || !path.startsWith("//")) {
    checkEscapes(path, false);
    return { ...url, rawPath: path };
  }
  const slash = path.indexOf("/", 2);
  const authority = readAuthority(slash < 0 ? path.slice(2) : path.slice(2, slash));
  const rawPath = slash < 0 ? "" : path.slice(slash);
  checkEscapes(rawPath, false);
  return { ...url, ...authority, rawPath };
}

function attempt(text: string, original: string): Read<GoUrl> {
  try {
    return { value: read(text) };
  } catch (error) {
    if (error instanceof UrlProblem) return { problem: `parse ${JSON.stringify(original)}: ${error.message}` };
    throw error;
  }
}

/** Parses a request URL; errors are those of Go's ParseRequestURI. */
export const readRequestUri = (text: string): Read<GoUrl> => attempt(text, text);

/** Parses a URL with a fragment, which request URLs do not have. */
export function readUrl(text: string): Read<GoUrl> {
  const hash = text.indexOf("#");
  if (hash < 0) return attempt(text, text);
  const url = attempt(text.slice(0, hash), text);
  return "problem" in url ? url : { value: { ...url.value, fragment: text.slice(hash + 1) } };
}

const pathCharacter = /[A-Za-z0-9\-_.~$&+,/:;=@]/;
const written = /^[A-Za-z0-9\-_.~!$&'()*+,;=:@[\]%/]*$/;

/** The path, escaped where necessary. */
export function escapedPath({ rawPath }: GoUrl): string {
  if (rawPath === "*" || written.test(rawPath)) return rawPath;
  return Array.from(new TextEncoder().encode(unescaped(rawPath)), (byte) => {
    const character = String.fromCharCode(byte);
    if (byte < 0x80 && pathCharacter.test(character)) return character;
    return `%${byte.toString(16).toUpperCase().padStart(2, "0")}`;
  }).join("");
}

/** The host without its port and brackets, and the port. */
export function hostAndPort({ host }: GoUrl): { readonly name: string; readonly port: string } {
  const colon = host.lastIndexOf(":");
  const hasPort = colon >= 0 && isPort(host.slice(colon));
  const name = hasPort ? host.slice(0, colon) : host;
  return {
    name: name.startsWith("[") && name.endsWith("]") ? name.slice(1, -1) : name,
    port: hasPort ? host.slice(colon + 1) : "",
  };
}

/** The query parameters, each with its values; invalid ones are dropped. */
export function queryOf({ query = "" }: GoUrl): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, string[]>();
  for (const part of query.split("&")) {
    if (part === "" || part.includes(";")) continue;
    const equals = part.indexOf("=");
    const [key, value] = equals < 0 ? [part, ""] : [part.slice(0, equals), part.slice(equals + 1)];
    if (/%(?![0-9a-fA-F]{2})/.test(key + value)) continue;
    const [name, text] = [key, value].map((one) => unescaped(one.replaceAll("+", " ")));
    const values = found.get(name ?? "");
    if (values === undefined) found.set(name ?? "", [text ?? ""]);
    else values.push(text ?? "");
  }
  return found;
}

/** The URL as Go prints it. */
export function urlText(url: GoUrl): string {
  const scheme = url.scheme === "" ? "" : `${url.scheme}:`;
  const query = url.query === undefined ? "" : `?${url.query}`;
  const fragment = url.fragment === "" ? "" : `#${url.fragment}`;
  if (url.opaque !== "") return `${scheme}${url.opaque}${query}${fragment}`;
  const user = url.user === undefined ? "" : `${url.user}@`;
  const path = escapedPath(url);
  const authority = url.host !== "" || user !== "" || path.startsWith("//") ? `//${user}${url.host}` : "";
  return `${scheme}${authority}${path}${query}${fragment}`;
}
