/** Which proxy is used for a server. */
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

/** An entry is `*`, an address, a range, or a domain including its subdomains; a port may follow. */
function names(entry: string, host: string, port: string): boolean {
  if (entry === "*") return true;
  if (entry.includes("/")) return inRange(entry, host);
  const [, bare = "", wanted] = /^(.*?)(?::(\d+))?$/.exec(entry) ?? [];
  if (wanted !== undefined && wanted !== port) return false;
  const domain = bare.replace(/^\*?\./, "");
  if (domain === host) return !/^\*?\./.test(bare);
  return host.endsWith(`.${domain}`) && !/^[\d.]+$/.test(host);
}

/** Whether an IPv4 address is in a range such as `10.0.0.0/8`. */
function inRange(range: string, host: string): boolean {
  const [base = "", bits = ""] = range.split("/");
  const [a, b] = [addressOf(base), addressOf(host)];
  if (a === undefined || b === undefined || !/^\d+$/.test(bits) || Number(bits) > 32) return false;
  const size = 2 ** (32 - Number(bits));
  return Math.floor(a / size) === Math.floor(b / size);
}

function addressOf(text: string): number | undefined {
  if (!/^\d+(\.\d+){3}$/.test(text)) return undefined;
  return text.split(".").reduce((sum, part) => sum * 256 + Number(part), 0);
}
