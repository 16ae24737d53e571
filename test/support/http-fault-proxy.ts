/**
 * A proxy in front of a kube-apiserver that parses HTTP, so that a fault can affect single requests: a refusal that the server never sent,
 * the lost response of a write that was applied, a watch cut at any byte of its body.
 */
import { readFileSync } from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import * as https from "node:https";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import type { Cluster } from "./cluster.ts";

export interface ProxiedRequest {
  readonly method: string;
  /** The path without the query. */
  readonly path: string;
  readonly query: URLSearchParams;
  readonly isWatch: boolean;
  readonly body: string;
}

export type HttpFault =
  /** The proxy responds, and the server does not receive the request. `message` and `reason` go into a Status. */
  | {
      readonly is: "respond";
      readonly status: number;
      readonly reason?: string;
      readonly message?: string;
      readonly retryAfterSeconds?: number;
    }
  /** The connection is broken before the server receives the request. */
  | { readonly is: "lose-request" }
  /** The server has responded in full; then the connection is broken, and the client receives no byte. */
  | { readonly is: "lose-response" }
  /** The connection is broken after this many bytes of the body. */
  | { readonly is: "cut"; readonly afterBytes: number }
  /** After this many bytes of the body nothing more is sent, and the connection stays open. */
  | { readonly is: "stall"; readonly afterBytes: number }
  /** The request is forwarded with a delay. */
  | { readonly is: "delay"; readonly ms: number }
  /** For watches: whole frames of at least this many bytes, then this frame, then a proper end. */
  | { readonly is: "frame"; readonly afterBytes: number; readonly frame: unknown };

export interface InjectedFault {
  /** The requests that it affects; default: all. */
  readonly match?: (request: ProxiedRequest) => boolean;
  /** How many of these requests it affects, starting with the next one; default: all. */
  readonly times?: number;
  readonly fault: HttpFault;
}

export interface Injection {
  /** How many requests it has affected. */
  readonly hits: number;
  remove(): void;
}

export interface HttpFaultProxy {
  readonly port: number;
  readonly url: string;
  /** Adds a fault. If several match a request, the first one added is used. */
  inject(injected: InjectedFault): Injection;
  /** Removes all faults; a stalled response stays stalled. */
  clear(): void;
  /** Breaks all open connections once. */
  breakConnections(): void;
  stop(): Promise<void>;
}

/** The 410 of a watch whose resourceVersion has expired, for `{ is: "frame" }`. */
export const expiredFrame: unknown = {
  type: "ERROR",
  object: {
    kind: "Status",
    apiVersion: "v1",
    metadata: {},
    status: "Failure",
    message: "too old resource version",
    reason: "Expired",
    code: 410,
  },
};

interface Pending extends InjectedFault {
  hits: number;
}

/** Starts a proxy in front of the cluster's kube-apiserver, with a certificate signed by the cluster's authority. */
export async function startHttpFaultProxy(cluster: Cluster): Promise<HttpFaultProxy> {
  const faults: Pending[] = [];
  const sockets = new Set<{ destroy(): unknown }>();
  const agent = new https.Agent({ ca: cluster.ca, keepAlive: true });
  const certificate = {
    cert: readFileSync(join(cluster.dir, "server.crt")),
    key: readFileSync(join(cluster.dir, "server.key")),
    // Lets client certificates pass the handshake; the rights are those of the forwarded token.
    ca: cluster.ca,
    ALPNProtocols: ["http/1.1"],
  };
  const server = https.createServer(certificate, (message, response) => {
    void serve(message, response, { cluster, agent, take: (request) => take(faults, request) });
  });
  server.on("connection", (socket) => {
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  const { port } = server.address() as AddressInfo;
  const breakConnections = (): void => sockets.forEach((socket) => socket.destroy());
  return {
    port,
    url: `https://127.0.0.1:${port}`,
    inject(injected) {
      const pending: Pending = { ...injected, hits: 0 };
      faults.push(pending);
      return {
        get hits() {
          return pending.hits;
        },
        remove: () => void faults.splice(faults.indexOf(pending), faults.includes(pending) ? 1 : 0),
      };
    },
    clear: () => void faults.splice(0),
    breakConnections,
    async stop() {
      breakConnections();
      agent.destroy();
      server.closeAllConnections();
      await new Promise<void>((resolve) => {
        server.close(() => resolve());
      });
    },
  };
}

function take(faults: readonly Pending[], request: ProxiedRequest): HttpFault | undefined {
  const found = faults.find(({ match, times, hits }) => hits < (times ?? Infinity) && (match?.(request) ?? true));
  if (found === undefined) return undefined;
  found.hits++;
  return found.fault;
}

interface Serving {
  readonly cluster: Cluster;
  readonly agent: https.Agent;
  readonly take: (request: ProxiedRequest) => HttpFault | undefined;
}

async function serve(message: IncomingMessage, response: ServerResponse, serving: Serving): Promise<void> {
  const chunks: Buffer[] = [];
  try {
    for await (const chunk of message) chunks.push(chunk as Buffer);
  } catch {
    return;
  }
  const body = Buffer.concat(chunks);
  const url = new URL(message.url ?? "/", serving.cluster.url);
  const fault = serving.take({
    method: message.method ?? "GET",
    path: url.pathname,
    query: url.searchParams,
    isWatch: ["true", "1"].includes(url.searchParams.get("watch") ?? ""),
    body: body.toString("utf8"),
  });
  if (fault?.is === "respond") return refuse(response, fault);
  if (fault?.is === "lose-request") return breakOff(response);
  if (fault?.is === "delay") await Bun.sleep(fault.ms);
  forward(message, body, serving, (upstream) => relay(upstream, response, fault)).on("error", () => breakOff(response));
}

/** Forwards the request, as the cluster's admin if the client has only a certificate. */
function forward(
  message: IncomingMessage,
  body: Buffer,
  { cluster, agent }: Serving,
  onResponse: (upstream: IncomingMessage) => void,
): ReturnType<typeof https.request> {
  // Without chunked encoding or compression, so that frames can be counted and added.
  const { connection: _, "transfer-encoding": __, "accept-encoding": ___, ...headers } = message.headers;
  const outgoing = https.request(
    {
      agent,
      host: "127.0.0.1",
      port: cluster.port,
      method: message.method,
      path: message.url,
      headers: {
        authorization: `Bearer ${cluster.token}`,
        ...headers,
        ...(body.length > 0 && { "content-length": String(body.length) }),
      },
    },
    onResponse,
  );
  outgoing.end(body.length > 0 ? body : undefined);
  return outgoing;
}

function refuse(response: ServerResponse, fault: HttpFault & { is: "respond" }): void {
  const { status: code, reason = "", message = "", retryAfterSeconds } = fault;
  response.writeHead(code, {
    "content-type": "application/json",
    ...(retryAfterSeconds !== undefined && { "retry-after": String(retryAfterSeconds) }),
  });
  const details = retryAfterSeconds === undefined ? {} : { details: { retryAfterSeconds } };
  const status = { kind: "Status", apiVersion: "v1", metadata: {}, status: "Failure", reason, message, code };
  response.end(JSON.stringify({ ...status, ...details }));
}

function breakOff(response: ServerResponse): void {
  response.socket?.destroy();
  response.destroy();
}

/** Forwards the response as far as the fault permits. */
function relay(upstream: IncomingMessage, response: ServerResponse, fault: HttpFault | undefined): void {
  // Ends the server's watch as well.
  response.on("close", () => upstream.destroy());
  if (fault?.is === "lose-response") {
    upstream.on("data", () => undefined);
    upstream.on("end", () => breakOff(response));
    return;
  }
  const { connection: _, "transfer-encoding": __, ...headers } = upstream.headers;
  response.writeHead(upstream.statusCode ?? 502, headers);
  response.flushHeaders();
  const limit = fault !== undefined && "afterBytes" in fault ? fault.afterBytes : Infinity;
  let sent = 0;
  let over = false;
  const stop = (): void => {
    over = true;
    atLimit(response, fault);
  };
  upstream.on("data", (bytes: Buffer) => {
    if (over) return;
    const part = upTo(bytes, limit - sent, fault);
    sent += bytes.length;
    const last = sent >= limit && (fault?.is !== "frame" || part.at(-1) === 0x0a);
    if (part.length > 0 && !response.write(part) && !last) {
      upstream.pause();
      response.once("drain", () => upstream.resume());
    }
    if (last) stop();
  });
  upstream.on("end", () => {
    if (!over) response.end();
  });
  upstream.on("error", () => {
    if (!over) breakOff(response);
  });
  if (limit === 0) stop();
}

/** Returns at most `room` bytes; for `frame` everything up to the end of the line in which the limit lies. */
function upTo(bytes: Buffer, room: number, fault: HttpFault | undefined): Buffer {
  if (bytes.length < room || fault === undefined) return bytes;
  if (fault.is !== "frame") return bytes.subarray(0, room);
  const end = bytes.indexOf(0x0a, Math.max(0, room - 1));
  return end < 0 ? bytes : bytes.subarray(0, end + 1);
}

function atLimit(response: ServerResponse, fault: HttpFault | undefined): void {
  // Wait until the earlier bytes are sent and read: a broken connection discards bytes that were not read yet.
  if (fault?.is === "cut") response.write("", () => setTimeout(() => breakOff(response), 50));
  if (fault?.is === "frame") response.end(`${JSON.stringify(fault.frame)}\n`);
}
