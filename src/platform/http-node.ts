/** HTTP over `node:https`: on Node and Deno, and on Bun for headers with several values. */
import * as http from "node:http";
import * as https from "node:https";
import type { Socket } from "node:net";
import * as tls from "node:tls";
import { HttpError, httpErrorOf } from "./http-error.ts";
import type { HttpBody, HttpClient, HttpRequest, HttpResponse, HttpSettings, TlsSettings } from "./http.ts";

const keptConnections = 64;

function tlsOptions(settings: TlsSettings): tls.ConnectionOptions {
  return {
    ...(settings.ca !== undefined && { ca: settings.ca }),
    ...(settings.certificate !== undefined && { cert: settings.certificate }),
    ...(settings.key !== undefined && { key: settings.key }),
    ...(settings.serverName !== undefined && { servername: settings.serverName }),
    ...(settings.insecure === true && { rejectUnauthorized: false }),
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

/** Opens a tunnel through an HTTP proxy. */
function tunnel(proxy: URL, host: string, port: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const asked = (proxy.protocol === "https:" ? https : http).request({
      host: proxy.hostname.replace(/^\[|\]$/g, ""),
      port: proxy.port === "" ? (proxy.protocol === "https:" ? 443 : 80) : Number(proxy.port),
      method: "CONNECT",
      path: `${host}:${port}`,
      headers: {
        host: `${host}:${port}`,
        ...(proxy.username !== "" && {
          "proxy-authorization": `Basic ${btoa(`${decodeURIComponent(proxy.username)}:${decodeURIComponent(proxy.password)}`)}`,
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
async function throughProxy(settings: HttpSettings, url: URL): Promise<Socket> {
  const port = url.port === "" ? (url.protocol === "https:" ? 443 : 80) : Number(url.port);
  const socket = await tunnel(new URL(settings.proxy ?? ""), url.hostname, port);
  if (url.protocol !== "https:") return socket;
  return tls.connect({ socket, host: url.hostname, ...tlsOptions(settings.tls) });
}

export function openNodeHttp(settings: HttpSettings): HttpClient {
  const secure = new https.Agent({ keepAlive: true, maxFreeSockets: keptConnections, ...tlsOptions(settings.tls) });
  const plain = new http.Agent({ keepAlive: true, maxFreeSockets: keptConnections });
  return {
    async send(request: HttpRequest): Promise<HttpResponse> {
      const url = new URL(request.url);
      const isSecure = url.protocol === "https:";
      const socket = settings.proxy === undefined ? undefined : await throughProxy(settings, url).catch(rethrow);
      return await new Promise((resolve, reject) => {
        const options: http.RequestOptions = {
          method: request.method,
          host: url.hostname.replace(/^\[|\]$/g, ""),
          port: url.port === "" ? (isSecure ? 443 : 80) : Number(url.port),
          path: url.pathname + url.search,
          headers: {
            ...(request.headers as Record<string, string | string[]>),
            host: url.host,
            ...(request.body !== undefined && { "content-length": request.body.length }),
          },
          signal: request.signal,
          agent: socket === undefined ? (isSecure ? secure : plain) : false,
          // Only reached without TLS of its own: the tunnel's socket has it already.
          ...(socket !== undefined && { createConnection: () => socket }),
        };
        const send = isSecure && socket === undefined ? https.request : http.request;
        const asked = send(options, (message) =>
          resolve({
            status: message.statusCode ?? 0,
            header(name) {
              const value = message.headers[name];
              return typeof value === "object" ? value.join(", ") : value;
            },
            body: bodyOf(message),
          }),
        );
        asked.on("error", (error) => reject(httpErrorOf(error)));
        asked.end(request.body);
      });
    },
    close() {
      secure.destroy();
      plain.destroy();
    },
  };
}

function rethrow(error: unknown): never {
  throw httpErrorOf(error);
}
