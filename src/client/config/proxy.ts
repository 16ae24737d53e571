/** Which proxy is used for a server. */
import { addressOf } from "../../api/ip-address.ts";
import { containsPrefix, prefixOf } from "../../api/ip-prefix.ts";
import { KubeconfigError } from "./kubeconfig-types.ts";
import { withoutUserinfo } from "./redacted.ts";

/**
 * The URL of a proxy, if it is supported: http, https or socks5. `what` describes where the URL was found.
 *
 * @throws KubeconfigError
 * Source: client-go v0.36 tools/clientcmd/helpers.go parseProxyURL; differs: socks5h is accepted too, as by Go's
 * transport.
 */
export function checkedProxy(url: string, what: string): string {
  if (URL.canParse(url) && /^(https?|socks5h?):$/.test(new URL(url).protocol)) return url;
  throw new KubeconfigError(`Cannot use ${what}, ${withoutUserinfo(url)}: it is not an http, https or socks5 URL`);
}

/**
 * The proxy of the environment: HTTPS_PROXY or HTTP_PROXY, unless NO_PROXY contains the host. Loopback is never
 * proxied.
 *
 * @throws KubeconfigError for an unsupported one.
 * Source: golang.org/x/net/http/httpproxy, which client-go uses.
 */
export function proxyFromEnvironment(
  server: string,
  env: Readonly<Record<string, string | undefined>>,
): string | undefined {
  const { protocol, hostname, port } = new URL(server);
  const host = hostname.replace(/^\[|\]$/g, "").toLowerCase();
  const of = (name: string): string => env[name] || env[name.toLowerCase()] || "";
  const variable = protocol === "https:" ? "HTTPS_PROXY" : "HTTP_PROXY";
  const proxy = of(variable);
  if (proxy === "" || isLoopback(host)) return undefined;
  const number = port === "" ? (protocol === "https:" ? "443" : "80") : port;
  const excluded = of("NO_PROXY")
    .split(",")
    .map((entry) => entry.trim().toLowerCase())
    .filter((entry) => entry !== "");
  if (excluded.some((entry) => names(entry, host, number))) return undefined;
  return checkedProxy(proxy.includes("://") ? proxy : `http://${proxy}`, variable);
}

function isLoopback(host: string): boolean {
  return host === "localhost" || host === "::1" || /^127\.\d+\.\d+\.\d+$/.test(host);
}

/** An entry is `*`, an address, a range, or a domain including its subdomains; a port may follow, after an IPv6 address in brackets. */
function names(entry: string, host: string, port: string): boolean {
  if (entry === "*") return true;
  if (entry.includes("/")) return inRange(entry, host);
  if (addressOf(entry) !== undefined) return isSameAddress(entry, host);
  const [, inBrackets, plain, wanted] = /^(?:\[(.*)\]|(.*?))(?::(\d+))?$/.exec(entry) ?? [];
  if (wanted !== undefined && wanted !== port) return false;
  const bare = inBrackets ?? plain ?? "";
  if (addressOf(bare) !== undefined) return isSameAddress(bare, host);
  const domain = bare.replace(/^\*?\./, "");
  if (domain === host) return !/^\*?\./.test(bare);
  return host.endsWith(`.${domain}`) && !/^[\d.]+$/.test(host);
}

function isSameAddress(one: string, other: string): boolean {
  const [a, b] = [addressOf(one), addressOf(other)];
  return a !== undefined && a.bits === b?.bits && a.value === b.value;
}

/** Whether an address is in a range such as `10.0.0.0/8` or `fd00:10:96::/112`. */
function inRange(range: string, host: string): boolean {
  const [prefix, address] = [prefixOf(range), addressOf(host)];
  if (prefix === undefined || address === undefined) return false;
  return containsPrefix(prefix, { bits: address.bits, first: address.value, length: address.bits });
}
