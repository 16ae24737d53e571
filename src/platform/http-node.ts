/** HTTP over `node:https`: on Node and Deno, and on Bun for headers with several values. */
import * as http from "node:http";
import * as https from "node:https";
import { HttpError, httpErrorOf } from "./http-error.ts";
import { bare, connectionTo, portOf, shakeHands, tlsOptions } from "./connection.ts";
import type { HttpBody, HttpClient, HttpRequest, HttpResponse, HttpSettings } from "./http.ts";

const keptConnections = 64;

/** Reads an incoming message on demand: unread bytes stay in the socket. */
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
    if (!ended && !message.complete)
      failure ??= new HttpError("broken", "the connection was closed within the response");
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

/** A client over `node:https`. */
export function openNodeHttp(settings: HttpSettings): HttpClient {
  const secure = new https.Agent({ keepAlive: true, maxFreeSockets: keptConnections, ...tlsOptions(settings.tls) });
  const plain = new http.Agent({ keepAlive: true, maxFreeSockets: keptConnections });
  return {
    async send(request: HttpRequest): Promise<HttpResponse> {
      const url = new URL(request.url);
      try {
        if (settings.proxy === undefined) {
          return await exchange(url.protocol === "https:" ? https.request : http.request, url, request, {
            agent: url.protocol === "https:" ? secure : plain,
          });
        }
        // Connections through a proxy are not kept alive.
        const { signal } = request;
        const plainSocket = await connectionTo(url, settings.proxy, signal);
        const socket =
          url.protocol === "https:" ? await shakeHands(plainSocket, { url, tls: settings.tls, signal }) : plainSocket;
        // The socket already has TLS. With any agent, even `false`, it would not be used.
        return await exchange(http.request, url, request, { createConnection: () => socket });
      } catch (error) {
        throw httpErrorOf(error);
      }
    },
    close() {
      // Not the agent's own destroy: that would end requests in flight too.
      for (const agent of [secure, plain]) {
        for (const sockets of Object.values(agent.freeSockets)) for (const socket of sockets ?? []) socket.destroy();
      }
    },
  };
}

function exchange(
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
    const clientRequest = send(options, (message) => resolve(responseOf(message)));
    clientRequest.on("error", reject);
    clientRequest.end(request.body);
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
