/** Which proxy a server is asked through, where the kubeconfig names none. */

/**
 * The proxy of the environment: HTTPS_PROXY or HTTP_PROXY, unless NO_PROXY names the host. Loopback is never proxied.
 * Source: golang.org/x/net/http/httpproxy, which client-go uses.
 */
export function proxyFromEnvironment(
  server: string,
  env: Readonly<Record<string, string | undefined>>,
): string | undefined {
  const { protocol, hostname, port } = new URL(server);
  const host = hostname.replace(/^\[|\]$/g, "").toLowerCase();
  const of = (name: string): string => env[name] || env[name.toLowerCase()] || "";
  const proxy = protocol === "https:" ? of("HTTPS_PROXY") : of("HTTP_PROXY");
  if (proxy === "" || isLoopback(host)) return undefined;
  const number = port === "" ? (protocol === "https:" ? "443" : "80") : port;
  const excluded = of("NO_PROXY")
    .split(",")
    .map((entry) => entry.trim().toLowerCase())
    .filter((entry) => entry !== "");
  if (excluded.some((entry) => names(entry, host, number))) return undefined;
  const url = proxy.includes("://") ? proxy : `http://${proxy}`;
  return URL.canParse(url) ? url : undefined;
}

function isLoopback(host: string): boolean {
  return host === "localhost" || host === "::1" || /^127\.\d+\.\d+\.\d+$/.test(host);
}

/** An entry is `*`, an address, a range, or a domain, which stands for what is below it too; a port may follow. */
function names(entry: string, host: string, port: string): boolean {
  if (entry === "*") return true;
  if (entry.includes("/")) return inRange(entry, host);
  const [, bare = "", wanted] = /^(.*?)(?::(\d+))?$/.exec(entry) ?? [];
  if (wanted !== undefined && wanted !== port) return false;
  const domain = bare.replace(/^\*?\./, "");
  if (domain === host) return !/^\*?\./.test(bare);
  return host.endsWith(`.${domain}`) && !/^[\d.]+$/.test(host);
}

/** Whether an IPv4 address lies in `10.0.0.0/8`. */
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
