/** HTTP over `node:https`: on Node and Deno, and on Bun for headers with several values. */
import * as http from "node:http";
import * as https from "node:https";
import { isIP, type Socket } from "node:net";
import * as tls from "node:tls";
import { HttpError, httpErrorOf } from "./http-error.ts";
import type { HttpBody, HttpClient, HttpRequest, HttpResponse, HttpSettings, TlsSettings } from "./http.ts";
import { socks5Tunnel } from "./socks5.ts";

const keptConnections = 64;

function tlsOptions(settings: TlsSettings): tls.ConnectionOptions {
  return {
    ...(settings.ca !== undefined && { ca: settings.ca }),
    ...(settings.certificate !== undefined && { cert: settings.certificate }),
    ...(settings.key !== undefined && { key: settings.key }),
    ...(settings.serverName !== undefined && { servername: settings.serverName }),
    // Said both ways: where it is left out, NODE_TLS_REJECT_UNAUTHORIZED in the environment decides.
    rejectUnauthorized: settings.insecure !== true,
  };
}

/** Reads an incoming message on demand: what is not asked for stays in the socket. */
function bodyOf(message: http.IncomingMessage): HttpBody {
  let failure: unknown;
  let ended = false;
  let wake: (() => void) | undefined;
  const woken = (): void => {
    wake?.();
    wake = undefined;
  };
  message.on("readable", woken);
  message.on("end", () => {
    ended = true;
    woken();
  });
  message.on("error", (error) => {
    failure = error;
    woken();
  });
  message.on("close", () => {
    if (!ended && !message.complete) failure ??= new HttpError("broken", "the connection was closed inside the answer");
    ended = true;
    woken();
  });
  return {
    async next() {
      for (;;) {
        const chunk = message.read() as Uint8Array | null;
        if (chunk !== null) return chunk;
        if (failure !== undefined) throw httpErrorOf(failure);
        if (ended) return undefined;
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    },
    cancel: () => void message.destroy(),
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
    const asked = (proxy.protocol === "https:" ? https : http).request({
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
    asked.on("connect", (answer, socket: Socket) => {
      if (answer.statusCode === 200) resolve(socket);
      else {
        socket.destroy();
        reject(new HttpError("unreachable", `the proxy ${proxy.host} answered ${answer.statusCode ?? 0}`));
      }
    });
    asked.on("error", reject);
    asked.end();
  });
}

/** The connection for one request through a proxy; these are not kept. */
async function throughProxy(proxy: string, url: URL, settings: TlsSettings, signal: AbortSignal): Promise<Socket> {
  const socket = await tunnel({ proxy: new URL(proxy), host: url.hostname, port: portOf(url), signal });
  if (url.protocol !== "https:") return socket;
  return new Promise((resolve, reject) => {
    const host = bare(url.hostname);
    // Unlike an agent, `tls.connect` asks for no name by itself; an address is no name.
    const asked = isIP(host) === 0 ? { servername: host } : {};
    const secure = tls.connect({ socket, host, ...asked, ...tlsOptions(settings) }, () => resolve(secure));
    secure.on("error", reject);
  });
}

/** A part of a URL without its escapes; as it stands where they are none. */
function unescaped(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

function portOf(url: URL): number {
  return url.port === "" ? (url.protocol === "https:" ? 443 : 80) : Number(url.port);
}

/** An IPv6 address without its brackets. */
function bare(hostname: string): string {
  return hostname.replace(/^\[|\]$/g, "");
}

export function openNodeHttp(settings: HttpSettings): HttpClient {
  const secure = new https.Agent({ keepAlive: true, maxFreeSockets: keptConnections, ...tlsOptions(settings.tls) });
  const plain = new http.Agent({ keepAlive: true, maxFreeSockets: keptConnections });
  return {
    async send(request: HttpRequest): Promise<HttpResponse> {
      const url = new URL(request.url);
      try {
        if (settings.proxy === undefined) {
          return await ask(url.protocol === "https:" ? https.request : http.request, url, request, {
            agent: url.protocol === "https:" ? secure : plain,
          });
        }
        const socket = await throughProxy(settings.proxy, url, settings.tls, request.signal);
        // The socket has its TLS already. With an agent of any kind, `false` too, it would not be taken.
        return await ask(http.request, url, request, { createConnection: () => socket });
      } catch (error) {
        throw httpErrorOf(error);
      }
    },
    close() {
      // Not the agent's own destroy: that one would end the requests under way too.
      for (const agent of [secure, plain]) {
        for (const sockets of Object.values(agent.freeSockets)) for (const socket of sockets ?? []) socket.destroy();
      }
    },
  };
}

function ask(
  send: typeof http.request,
  url: URL,
  request: HttpRequest,
  connection: Pick<http.RequestOptions, "agent" | "createConnection">,
): Promise<HttpResponse> {
  return new Promise((resolve, reject) => {
    const options: http.RequestOptions = {
      method: request.method,
      host: bare(url.hostname),
      port: portOf(url),
      path: url.pathname + url.search,
      headers: {
        ...(request.headers as Record<string, string | string[]>),
        host: url.host,
        ...(request.body !== undefined && { "content-length": request.body.length }),
      },
      signal: request.signal,
      ...connection,
    };
    const asked = send(options, (message) => resolve(responseOf(message)));
    asked.on("error", reject);
    asked.end(request.body);
  });
}

function responseOf(message: http.IncomingMessage): HttpResponse {
  return {
    status: message.statusCode ?? 0,
    header(name) {
      const value = message.headers[name];
      return typeof value === "object" ? value.join(", ") : value;
    },
    body: bodyOf(message),
  };
}
