/** Connections and TLS for what no HTTP client does: proxies, and diagnosing why no connection is established. */
import { unescaped } from "./unescaped.ts";
import * as http from "node:http";
import * as https from "node:https";
import { connect, isIP, type Socket } from "node:net";
import * as tls from "node:tls";
import { HttpError } from "./http-error.ts";
import type { HttpSettings, TlsSettings } from "./http.ts";
import { socks5Tunnel } from "./socks5.ts";

/** Options for `node:tls` and `node:https`. */
export function tlsOptions(settings: TlsSettings): tls.ConnectionOptions {
  return {
    // As in Go, each given certificate is trusted, whether a CA's or the server's own.
    ...(settings.ca !== undefined && { ca: settings.ca, allowPartialTrustChain: true }),
    ...(settings.certificate !== undefined && { cert: settings.certificate }),
    ...(settings.key !== undefined && { key: settings.key }),
    ...(settings.serverName !== undefined && { servername: settings.serverName }),
    // Always explicit: otherwise NODE_TLS_REJECT_UNAUTHORIZED in the environment decides.
    rejectUnauthorized: settings.insecure !== true,
  };
}

interface Tunnel {
  readonly proxy: URL;
  readonly host: string;
  readonly port: number;
  readonly signal: AbortSignal;
}

/** Opens a tunnel through an HTTP or SOCKS proxy. */
function tunnel({ proxy, host, port, signal }: Tunnel): Promise<Socket> {
  const [username, password] = [unescaped(proxy.username), unescaped(proxy.password)];
  if (proxy.protocol.startsWith("socks5")) {
    const by = { host: bare(proxy.hostname), port: proxy.port === "" ? 1080 : Number(proxy.port), username, password };
    return socks5Tunnel({ proxy: by, host: bare(host), port, signal });
  }
  return new Promise((resolve, reject) => {
    const request = (proxy.protocol === "https:" ? https : http).request({
      rejectUnauthorized: true,
      host: bare(proxy.hostname),
      port: portOf(proxy),
      method: "CONNECT",
      signal,
      path: `${host}:${port}`,
      headers: {
        host: `${host}:${port}`,
        ...(proxy.username !== "" && {
          "proxy-authorization": `Basic ${btoa(`${username}:${password}`)}`,
        }),
      },
    });
    request.on("connect", (response, socket: Socket) => {
      if (response.statusCode === 200) resolve(socket);
      else {
        socket.destroy();
        reject(new HttpError("unreachable", `the proxy ${proxy.host} answered ${response.statusCode ?? 0}`));
      }
    });
    request.on("error", reject);
    request.end();
  });
}

/**
 * A connection to the server of a URL, without TLS: direct, or through a proxy. @throws the error that ended it;
 * HttpError.
 */
export function connectionTo(url: URL, proxy: string | undefined, signal: AbortSignal): Promise<Socket> {
  const to = { host: url.hostname, port: portOf(url), signal };
  if (proxy !== undefined) return tunnel({ proxy: new URL(proxy), ...to });
  return new Promise((resolve, reject) => {
    signal.throwIfAborted();
    const socket = connect({ host: bare(to.host), port: to.port });
    const onAbort = (): void => {
      socket.destroy();
      reject(signal.reason as Error);
    };
    signal.addEventListener("abort", onAbort, { once: true });
    socket.on("error", reject);
    socket.on("connect", () => {
      signal.removeEventListener("abort", onAbort);
      resolve(socket);
    });
  });
}

/** TLS that is to be established over an open connection. */
export interface Handshake {
  /** Names the server. */
  readonly url: URL;
  readonly tls: TlsSettings;
  readonly signal: AbortSignal;
  /** How long it may take, in ms. Default 10 s. */
  readonly limitMs?: number;
}

/** Source: client-go v0.36 transport/cache.go TLSHandshakeTimeout. */
const defaultHandshakeMs = 10_000;

/**
 * TLS with the server of a URL over an open connection, which is closed if that fails.
 * @throws HttpError `timeout`; the signal's reason; the error that ended the connection.
 */
export async function shakeHands(
  socket: Socket,
  { url, tls: settings, signal, limitMs = defaultHandshakeMs }: Handshake,
): Promise<Socket> {
  const host = bare(url.hostname);
  // Unlike an agent, `tls.connect` sends no server name on its own; an address is not a name.
  const serverName = isIP(host) === 0 ? { servername: host } : {};
  let timer: ReturnType<typeof setTimeout> | undefined;
  const onAbort = (): void => void socket.destroy();
  signal.addEventListener("abort", onAbort, { once: true });
  try {
    signal.throwIfAborted();
    return await new Promise<Socket>((resolve, reject) => {
      const secure = tls.connect({ socket, host, ...serverName, ...tlsOptions(settings) }, () => resolve(secure));
      secure.on("error", reject);
      socket.on("close", () => reject(new HttpError("broken", "the connection was closed inside the handshake")));
      const late = new HttpError("timeout", "it accepts connections but does not respond to the TLS handshake");
      timer = setTimeout(() => reject(late), limitMs);
    });
  } catch (error) {
    socket.destroy();
    signal.throwIfAborted();
    throw error;
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", onAbort);
  }
}

/** How long establishing a connection may take, in ms. */
export interface ConnectionLimits {
  readonly connectMs: number;
  readonly handshakeMs: number;
}

/**
 * Opens a connection with TLS to the server of a URL, to find out whether that succeeds in time. Any other failure,
 * such as of a certificate, is left to the waiting request.
 * @throws HttpError `timeout`
 */
export async function tryConnection(
  url: URL,
  { tls: settings, proxy }: HttpSettings,
  { connectMs, handshakeMs }: ConnectionLimits,
  signal: AbortSignal,
): Promise<void> {
  const limit = AbortSignal.timeout(connectMs);
  let socket: Socket | undefined;
  try {
    socket = await connectionTo(url, proxy, AbortSignal.any([signal, limit]));
    if (url.protocol === "https:") await shakeHands(socket, { url, tls: settings, signal, limitMs: handshakeMs });
  } catch (error) {
    if (error instanceof HttpError && error.failure === "timeout") throw error;
    if (limit.aborted && !signal.aborted) throw new HttpError("timeout", "it does not answer", { cause: error });
  } finally {
    socket?.destroy();
  }
}

/** The port of a URL, or its scheme's default. */
export function portOf(url: URL): number {
  return url.port === "" ? (url.protocol === "https:" ? 443 : 80) : Number(url.port);
}

/** An IPv6 address without its brackets. */
export function bare(hostname: string): string {
  return hostname.replace(/^\[|\]$/g, "");
}
