/**
 * An HTTPS server on loopback: bytes in, bytes or a stream of bytes out. Uses node:tls and node:http on every runtime: unlike
 * Bun.serve, they pass on requests that the parser rejects, and the sockets of WebSockets; unlike node:https on Bun, they leave it to this
 * file when a connection is closed. HTTP/1.1 only: docs/decisions/0013-the-sandbox-speaks-http-1-1.md.
 */
import { createServer as createHttpServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { createServer as createTlsServer, type TLSSocket } from "node:tls";
import type { Duplex } from "node:stream";
import type { ServerCertificate } from "./certificate.ts";
import { hostProblem, refuseMethod, respondToUnreadable, type TypedBody, type Unreadable } from "./http-problems.ts";
import { joinConnections, type RawConnection, rawConnection } from "./raw-connection.ts";
import { responseHead } from "./upgrade.ts";
import { endWith, handshakeOf, isWebSocketHandshake, sendLines } from "./websocket.ts";

/** The identity in a client's certificate; `invalid` if no trusted CA signed it, or if it has expired. */
export type ClientCertificate =
  | {
      readonly is: "valid";
      readonly commonName: string;
      readonly organizations: readonly string[];
      /** The SHA-256 of the certificate, in hexadecimal. */
      readonly fingerprint: string;
    }
  | { readonly is: "invalid" };

/** A received request. */
export interface ServedRequest {
  /** Only with `clientCa`, and for clients that present one. */
  readonly certificate?: ClientCertificate;
  readonly method: string;
  /** Percent-encoded, without the query. */
  readonly path: string;
  readonly query: readonly (readonly [name: string, value: string])[];
  /** Path and query as sent. */
  readonly uri: string;
  /** The client's address; undefined once the connection is gone. */
  readonly remoteAddress: string | undefined;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** Truncated one byte after `maxBodyBytes`, which shows that it was longer. */
  readonly body: Uint8Array;
}

/** A body sent in chunks; cancelled when the client disconnects. */
export interface ServedBody {
  next(): Promise<Uint8Array | undefined>;
  cancel(reason?: unknown): void;
}

/** The response to a request. */
export interface ServedResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array | ServedBody;
  /** For a WebSocket: the client's protocols among which the server may choose. */
  readonly protocols?: readonly string[];
}

/** The response to a request that leaves HTTP. */
export interface ServedUpgrade {
  readonly status: number;
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** The connection joined with the client's; when one closes, both do. */
  readonly connection: RawConnection;
}

/** Where to listen, and how to respond. */
export interface HttpsServerOptions {
  /** The address to listen on; by default 127.0.0.1. */
  readonly host?: string;
  /** 0 for any free port. */
  readonly port: number;
  readonly certificate: ServerCertificate;
  /** PEM of the CAs whose client certificates are accepted; by default, none is requested. */
  readonly clientCa?: string;
  readonly maxBodyBytes: number;
  /**
   * After how many ms a connection is closed that carries no request. Default: 100,000, longer than clients keep it. Those of client-go, as
   * all of Go by default, close theirs after 90 s: a request that arrives on a connection that is just being closed fails, and Go repeats
   * only some of these. Source: Go net/http transport.go DefaultTransport, shouldRetryRequest.
   */
  readonly idleMs?: number;
  /** The body for unknown methods, with status 405. */
  readonly unknownMethod: TypedBody;
  /**
   * Whether a request for a WebSocket may get one: each line of a chunked body is then sent as one message. Other
   * requests are unaffected.
   */
  readonly allowsWebSocket?: (request: Omit<ServedRequest, "body">) => boolean;
  /**
   * Responds to all requests with a header `Upgrade`; without it, they are handled like others. If it rejects, the connection is closed.
   */
  readonly upgrade?: (request: ServedRequest) => Promise<ServedUpgrade | ServedResponse>;
  /** Must not throw. */
  readonly handle: (request: ServedRequest) => ServedResponse | Promise<ServedResponse>;
}

/** A listening server. */
export interface HttpsServer {
  readonly port: number;
  /** Closes all connections, including those in their handshake. */
  close(): Promise<void>;
}

/** The target of a request line, which may also name a host; invalid parts of the query are dropped, as in Go. */
function targetOf(target: string): Pick<ServedRequest, "path" | "query" | "uri"> {
  const own = target.replace(/^[a-z][a-z0-9+.-]*:\/\/[^/?]*/i, "") || "/";
  const mark = own.indexOf("?");
  if (mark < 0) return { path: own, query: [], uri: own };
  const parts = own.slice(mark + 1).split("&");
  const pairs = parts.filter((pair) => !pair.includes(";") && !/%(?![0-9a-f]{2})/i.test(pair));
  return { path: own.slice(0, mark), query: [...new URLSearchParams(pairs.join("&")).entries()], uri: own };
}

/** The certificate of a connection's client; without `clientCa`, it is not requested. */
function certificateOf(socket: Socket): { readonly certificate?: ClientCertificate } {
  // The socket of a request is a TLSSocket; the types of node:http do not say so.
  const { authorized, getPeerCertificate } = socket as Socket &
    Partial<Pick<TLSSocket, "authorized" | "getPeerCertificate">>;
  const shown = getPeerCertificate?.call(socket);
  if (shown === undefined || Object.keys(shown).length === 0) return {};
  if (authorized !== true) return { certificate: { is: "invalid" } };
  // Several organizations are a list, which the types leave out.
  const { CN, O = [] } = shown.subject as { readonly CN?: string; readonly O?: string | readonly string[] };
  return {
    certificate: {
      is: "valid",
      commonName: CN ?? "",
      organizations: typeof O === "string" ? [O] : O,
      fingerprint: shown.fingerprint256.replaceAll(":", "").toLowerCase(),
    },
  };
}

function headOf(request: IncomingMessage): Omit<ServedRequest, "body"> {
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(request.headers)) {
    if (value !== undefined) headers[name] = Array.isArray(value) ? value.join(", ") : value;
  }
  const target = targetOf(request.url ?? "/");
  const { remoteAddress } = request.socket;
  return { method: request.method ?? "GET", ...target, headers, remoteAddress, ...certificateOf(request.socket) };
}

async function requestOf(request: IncomingMessage, maxBodyBytes: number): Promise<ServedRequest> {
  const pieces: Uint8Array[] = [];
  let length = 0;
  for await (const piece of request as AsyncIterable<Uint8Array>) {
    if (length <= maxBodyBytes) pieces.push(piece);
    length += piece.length;
  }
  const body = new Uint8Array(Buffer.concat(pieces).subarray(0, maxBodyBytes + 1));
  return { ...headOf(request), body };
}

async function send(response: ServerResponse, body: ServedBody): Promise<void> {
  // The client may have gone while the response was prepared: no event would report that later.
  if (response.destroyed || response.socket?.destroyed === true) {
    body.cancel();
    return;
  }
  // One listener for the whole connection: waiting for a slow reader is frequent.
  let wake = (): void => undefined;
  response.on("drain", () => wake());
  response.on("close", () => {
    body.cancel();
    wake();
  });
  response.flushHeaders();
  for (let piece = await body.next(); piece !== undefined; piece = await body.next()) {
    const drained = new Promise<void>((resolve) => (wake = resolve));
    if (!response.write(piece) && !response.destroyed) await drained;
    if (response.destroyed) return;
  }
  response.end();
}

/**
 * As in kube-apiserver: headers up to one megabyte, no time limit for bodies; `Connections` limits the time between requests. Not
 * configurable: Bun accepts not quite 200 headers, and neither folded headers nor lines without a carriage return. Source: apiserver v0.36
 * server/secure_serving.go; Go net/http server.go.
 */
const limits = { maxHeaderSize: 1024 * 1024 + 4096, keepAliveTimeout: 0, headersTimeout: 0, requestTimeout: 0 };

/** Listens, on 127.0.0.1 unless another address is given. @throws Error if the port is in use. */
export async function serveHttps({
  host = "127.0.0.1",
  port,
  certificate,
  clientCa,
  maxBodyBytes,
  idleMs = 100_000,
  unknownMethod,
  allowsWebSocket = () => false,
  upgrade,
  handle,
}: HttpsServerOptions): Promise<HttpsServer> {
  const respond = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { status, headers, body } = await handle(await requestOf(request, maxBodyBytes));
    response.writeHead(status, headers);
    if (body instanceof Uint8Array) response.end(body);
    else await send(response, body);
  };
  const { cert, key } = certificate;
  const shouldUpgradeCallback = (request: IncomingMessage): boolean => {
    if (upgrade !== undefined) return request.headers.upgrade !== undefined;
    const head = headOf(request);
    return head.method === "GET" && isWebSocketHandshake(head.headers) && allowsWebSocket(head);
  };
  const connections = new Connections(idleMs);
  const onRequest = (request: IncomingMessage, response: ServerResponse): void => {
    connections.begun(request.socket, response);
    const problem = hostProblem(request.rawHeaders);
    if (problem !== undefined) {
      response.writeHead(400, { "content-type": "text/plain; charset=utf-8", connection: "close" }).end(problem);
      return;
    }
    // As Go's server responds, without calling its handler. Source: Go net/http server.go globalOptionsHandler.
    if (request.method === "OPTIONS" && request.url === "*") response.writeHead(200, { "content-length": "0" }).end();
    else respond(request, response).catch(() => response.destroy());
  };
  const options = { ...limits, shouldUpgradeCallback };
  const http = createHttpServer(options, onRequest);
  const fromClients = clientCa === undefined ? {} : { ca: clientCa, requestCert: true, rejectUnauthorized: false };
  const server = createTlsServer({ cert, key, ...fromClients }, (socket) => {
    connections.opened(socket);
    http.emit("connection", socket);
  });
  http.on("clientError", (error: Unreadable, socket: Socket) => respondToUnreadable(error, socket, unknownMethod));
  http.on("upgrade", (request, socket, early) => {
    connections.begun(request.socket);
    const served = { request: { ...headOf(request), body: noBody }, socket, early };
    const upgraded = upgrade === undefined ? openWebSocket({ ...served, handle }) : passUpgrade({ ...served, upgrade });
    upgraded.catch(() => socket.destroy());
  });
  http.on("connect", (_request, socket) => refuseMethod(socket, unknownMethod));
  server.on("connection", (socket: Socket) => {
    if (server.listening) connections.accepted(socket);
    // On Bun, connections in the queue of a closed server are still accepted.
    else socket.destroy();
  });
  try {
    await new Promise<void>((resolve, reject) => {
      server.once("error", reject);
      server.listen(port, host, resolve);
    });
  } catch (error) {
    await connections.destroy();
    throw error;
  }
  const address = server.address();
  return {
    port: typeof address === "object" && address !== null ? address.port : port,
    close: async () => {
      const closed = new Promise<void>((resolve) => void server.close(() => resolve()));
      await connections.destroy();
      await closed;
    },
  };
}

const noBody = new Uint8Array(0);

interface UpgradeRequest {
  readonly request: ServedRequest;
  readonly socket: Duplex;
  /** Bytes received after the request. */
  readonly early: Uint8Array;
}

/** Responds to a WebSocket request: with a WebSocket if the body is chunked, otherwise with a plain response. */
async function openWebSocket({
  request,
  socket,
  early,
  handle,
}: UpgradeRequest & Pick<HttpsServerOptions, "handle">): Promise<void> {
  // A broken connection closes on its own.
  socket.on("error", () => undefined);
  const { status, headers, body, protocols = [] } = await handle(request);
  if (body instanceof Uint8Array) {
    endWithWhole(socket, { status, headers, body });
    return;
  }
  const { accepted, response } = handshakeOf(request.headers, protocols);
  if (!accepted) {
    body.cancel();
    endWith(socket, response);
    return;
  }
  socket.write(response);
  await sendLines(socket, body, early);
}

/** Joins the client's connection with another, or ends it with a plain response. */
async function passUpgrade({
  request,
  socket,
  early,
  upgrade,
}: UpgradeRequest & { readonly upgrade: NonNullable<HttpsServerOptions["upgrade"]> }): Promise<void> {
  const client = rawConnection(socket, early);
  const response = await upgrade(request);
  if ("connection" in response) {
    const { status, headers, connection } = response;
    const isRefused = status !== 101;
    const passed = isRefused ? headers.filter(([name]) => !/^(connection|keep-alive)$/i.test(name)) : headers;
    const head = responseHead({ status, headers: isRefused ? [...passed, ["Connection", "close"]] : passed });
    await client.write(Buffer.from(head, "latin1"));
    // A refused client closes the connection once it has the body: anything it sends is not meant for the other side.
    await joinConnections(isRefused ? { ...client, next: () => nothingMore(socket) } : client, connection);
    return;
  }
  const { status, headers, body } = response;
  if (body instanceof Uint8Array) endWithWhole(socket, { status, headers, body });
  else {
    body.cancel();
    socket.destroy();
  }
}

/** Resolves when the connection is closed. */
function nothingMore(socket: Duplex): Promise<undefined> {
  socket.resume();
  return new Promise((resolve) => void socket.once("close", () => resolve(undefined)));
}

interface WholeResponse extends Omit<ServedResponse, "body"> {
  readonly body: Uint8Array;
}

/** Sends a complete response, then closes. */
function endWithWhole(socket: Duplex, { status, headers, body }: WholeResponse): void {
  const lines = { ...headers, "content-length": String(body.length), connection: "close" };
  endWith(socket, Buffer.concat([Buffer.from(responseHead({ status, headers: Object.entries(lines) })), body]));
}

/** The connections of a server: closes those that carry no request for a long time, and finally all. */
class Connections {
  /** As accepted, before their handshake. */
  readonly #accepted = new Set<Socket>();
  /** After the handshake: how many requests are in progress, and when the last one ended. */
  readonly #open = new Map<Socket, { requests: number; idleSince: number }>();
  readonly #responses = new Set<ServerResponse>();
  readonly #idleMs: number;
  readonly #look: ReturnType<typeof setInterval>;

  constructor(idleMs: number) {
    this.#idleMs = idleMs;
    this.#look = setInterval(() => this.#closeIdle(), idleMs / 20).unref();
  }

  accepted(socket: Socket): void {
    this.#accepted.add(socket);
    socket.once("close", () => this.#accepted.delete(socket));
  }

  opened(socket: Socket): void {
    this.#open.set(socket, { requests: 0, idleSince: performance.now() });
    socket.once("close", () => this.#open.delete(socket));
  }

  /** A request has begun; one that leaves HTTP has no response, and never ends. */
  begun(socket: Socket, response?: ServerResponse): void {
    const open = this.#open.get(socket);
    if (open !== undefined) open.requests++;
    if (response === undefined) return;
    this.#responses.add(response);
    response.once("close", () => {
      this.#responses.delete(response);
      if (open === undefined) return;
      open.requests--;
      open.idleSince = performance.now();
    });
  }

  /** Closes all connections. Resolves when every response has ended or is cancelled. */
  async destroy(): Promise<void> {
    clearInterval(this.#look);
    const ends = [...this.#responses].map((response) => new Promise((resolve) => response.once("close", resolve)));
    for (const socket of [...this.#accepted, ...this.#open.keys()]) socket.destroy();
    await Promise.all(ends);
  }

  #closeIdle(): void {
    const since = performance.now() - this.#idleMs;
    for (const [socket, { requests, idleSince }] of this.#open)
      if (requests === 0 && idleSince < since) socket.destroy();
  }
}
