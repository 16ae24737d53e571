/**
 * A proxy before a kube-apiserver that takes part in HTTP, so that a fault can be for some requests only: a refusal the server
 * never gave, the answer of a write lost after it was applied, a watch cut at any byte of its body.
 */
import { readFileSync } from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import * as https from "node:https";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import type { Cluster } from "./cluster.ts";

export interface ProxiedRequest {
  readonly method: string;
  /** Without the query. */
  readonly path: string;
  readonly query: URLSearchParams;
  readonly isWatch: boolean;
  readonly body: string;
}

export type HttpFault =
  /** The proxy answers and the server hears nothing of it. `message` and `reason` go into a Status. */
  | {
      readonly is: "answer";
      readonly status: number;
      readonly reason?: string;
      readonly message?: string;
      readonly retryAfterSeconds?: number;
    }
  /** The connection is broken before the server hears of it. */
  | { readonly is: "lose-request" }
  /** The server has answered in full; then the connection is broken, and the client gets no byte of it. */
  | { readonly is: "lose-answer" }
  /** The connection is broken after so many bytes of the body. */
  | { readonly is: "cut"; readonly afterBytes: number }
  /** After so many bytes of the body comes nothing more, and nothing is closed. */
  | { readonly is: "stall"; readonly afterBytes: number }
  /** The server gets the request that much later. */
  | { readonly is: "delay"; readonly ms: number }
  /** For watches: the frames so far, at least so many bytes and whole ones, then this one, then a proper end. */
  | { readonly is: "frame"; readonly afterBytes: number; readonly frame: unknown };

export interface InjectedFault {
  /** Which requests it is for; all of them by default. */
  readonly match?: (request: ProxiedRequest) => boolean;
  /** How many of those it hits, from the next one on; all of them by default. */
  readonly times?: number;
  readonly fault: HttpFault;
}

export interface Injection {
  /** How many requests it has hit. */
  readonly hits: number;
  remove(): void;
}

export interface HttpFaultProxy {
  readonly port: number;
  readonly url: string;
  /** Adds a fault. Where several are for a request, the one added first is taken. */
  inject(injected: InjectedFault): Injection;
  /** Takes all faults away; what is stalled stays so. */
  clear(): void;
  /** Breaks all open connections once. */
  breakConnections(): void;
  stop(): Promise<void>;
}

/** A 410 as a watch tells it, for `{ is: "frame" }`. */
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

/** Starts a proxy before the cluster's kube-apiserver, with a certificate that the cluster's authority has signed. */
export async function startHttpFaultProxy(cluster: Cluster): Promise<HttpFaultProxy> {
  const faults: Pending[] = [];
  const sockets = new Set<{ destroy(): unknown }>();
  const agent = new https.Agent({ ca: cluster.ca, keepAlive: true });
  const certificate = {
    cert: readFileSync(join(cluster.dir, "server.crt")),
    key: readFileSync(join(cluster.dir, "server.key")),
    // So that client certificates pass the handshake; what they may is decided by the token that is sent on.
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
  if (fault?.is === "answer") return refuse(response, fault);
  if (fault?.is === "lose-request") return breakOff(response);
  if (fault?.is === "delay") await Bun.sleep(fault.ms);
  forward(message, body, serving, (answer) => relay(answer, response, fault)).on("error", () => breakOff(response));
}

/** Sends the request on, as the cluster's admin where the client had a certificate only. */
function forward(
  message: IncomingMessage,
  body: Buffer,
  { cluster, agent }: Serving,
  onAnswer: (answer: IncomingMessage) => void,
): ReturnType<typeof https.request> {
  // Plain text, so that frames can be counted and added.
  const { connection: _, "transfer-encoding": __, "accept-encoding": ___, ...headers } = message.headers;
  const asked = https.request(
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
    onAnswer,
  );
  asked.end(body.length > 0 ? body : undefined);
  return asked;
}

function refuse(response: ServerResponse, fault: HttpFault & { is: "answer" }): void {
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

/** Hands the answer on, as far as the fault lets it. */
function relay(answer: IncomingMessage, response: ServerResponse, fault: HttpFault | undefined): void {
  // The server's watch would go on for nobody.
  response.on("close", () => answer.destroy());
  if (fault?.is === "lose-answer") {
    answer.on("data", () => undefined);
    answer.on("end", () => breakOff(response));
    return;
  }
  const { connection: _, "transfer-encoding": __, ...headers } = answer.headers;
  response.writeHead(answer.statusCode ?? 502, headers);
  response.flushHeaders();
  const limit = fault !== undefined && "afterBytes" in fault ? fault.afterBytes : Infinity;
  let sent = 0;
  let over = false;
  const stop = (): void => {
    over = true;
    atLimit(response, fault);
  };
  answer.on("data", (bytes: Buffer) => {
    if (over) return;
    const part = upTo(bytes, limit - sent, fault);
    sent += bytes.length;
    const last = sent >= limit && (fault?.is !== "frame" || part.at(-1) === 0x0a);
    if (part.length > 0 && !response.write(part) && !last) {
      answer.pause();
      response.once("drain", () => answer.resume());
    }
    if (last) stop();
  });
  answer.on("end", () => {
    if (!over) response.end();
  });
  answer.on("error", () => {
    if (!over) breakOff(response);
  });
  if (limit === 0) stop();
}

/** At most `room` bytes; for `frame` all bytes to the end of the line that the limit is in. */
function upTo(bytes: Buffer, room: number, fault: HttpFault | undefined): Buffer {
  if (bytes.length < room || fault === undefined) return bytes;
  if (fault.is !== "frame") return bytes.subarray(0, room);
  const end = bytes.indexOf(0x0a, Math.max(0, room - 1));
  return end < 0 ? bytes : bytes.subarray(0, end + 1);
}

function atLimit(response: ServerResponse, fault: HttpFault | undefined): void {
  // After the bytes before it have left, and were read: a broken connection takes with it what waits to be read.
  if (fault?.is === "cut") response.write("", () => setTimeout(() => breakOff(response), 50));
  if (fault?.is === "frame") response.end(`${JSON.stringify(fault.frame)}\n`);
}
