/** The webhooks of contract cases: one HTTPS server on loopback that both servers call. Each case defines the responses of its webhooks. */
import * as https from "node:https";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { loopbackCertificate } from "../../src/platform/certificate.ts";
import { isObject, type Json } from "./names.ts";

/** The response of a webhook: JSON, or text that is sent unchanged. */
export interface WebhookResponse {
  readonly json?: unknown;
  readonly text?: string;
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** `close`: closes the connection without a response; `close half way`: after half of it; `hang`: never responds. */
  readonly instead?: "close" | "close half way" | "hang";
}

/** A webhook of a case; `request` is the request of the review. */
export type Webhook = (request: Json, review: Json) => WebhookResponse;

/** A received call of a webhook. */
interface Received {
  readonly webhook: string;
  readonly method: string;
  readonly query: string;
  readonly contentType: string;
  readonly review: unknown;
}

/** The server of all webhooks of a process; the cases are distinguished by namespace. */
export interface Webhooks {
  /** Sets the webhooks of a case by name, and clears the calls received so far. */
  set(namespace: string, webhooks: Readonly<Record<string, Webhook>>): void;
  /** Returns the calls received by a case's webhooks since the previous call; `sorted` by webhook name, for those called in parallel. */
  taken(namespace: string, sorted: boolean): readonly unknown[];
  /** Replaces `{hooks}` with the URL of the webhooks and `{ca}` with the CA certificate in base64. */
  filled(text: string, namespace: string): string;
  /** Replaces the parts of a text that differ between runs: port and certificate. */
  erased(text: string): string;
}

/** An AdmissionReview with a response, in the version of the request. */
export const reviewResponse = (request: Json, review: Json, response: Json): WebhookResponse => ({
  json: { kind: review["kind"], apiVersion: review["apiVersion"], response: { uid: request["uid"], ...response } },
});

/** Allows everything. */
export const allows: Webhook = (request, review) => reviewResponse(request, review, { allowed: true });

/** Allows everything; the response has additional fields. */
export const allowing =
  (more: Json): Webhook =>
  (request, review) =>
    reviewResponse(request, review, { allowed: true, ...more });

/** Denies everything, with a status if one is given. */
export const denying =
  (status?: Json): Webhook =>
  (request, review) =>
    reviewResponse(request, review, { allowed: false, ...(status === undefined ? {} : { status }) });

/** Patches the object. */
export const patching =
  (...operations: readonly unknown[]): Webhook =>
  (request, review) =>
    reviewResponse(request, review, { allowed: true, patchType: "JSONPatch", patch: btoa(JSON.stringify(operations)) });

/** Gives the same response to every request. */
export const always =
  (response: WebhookResponse): Webhook =>
  () =>
    response;

let started: Promise<Webhooks> | undefined;

/** Starts the server on the first call; it does not keep the process alive. */
export function startWebhooks(): Promise<Webhooks> {
  started ??= start();
  return started;
}

async function start(): Promise<Webhooks> {
  const { ca, cert, key } = loopbackCertificate(Date.now());
  const cases = new Map<string, { readonly webhooks: Readonly<Record<string, Webhook>>; received: Received[] }>();
  // A long keep-alive timeout: a request could arrive while an idle connection is being closed, and a POST is not retried.
  const server = https.createServer({ cert, key, keepAliveTimeout: 600_000 }, (request, response) => {
    // A client that gives up while it sends its request, as a server that is stopped, gets no response.
    respond(request, response).catch(() => response.destroy());
  });
  const respond = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const chunks: Uint8Array[] = [];
    for await (const chunk of request) chunks.push(chunk as Uint8Array);
    const url = new URL(request.url ?? "/", "https://127.0.0.1");
    const [namespace = "", ...path] = url.pathname.split("/").slice(1);
    const name = path.join("/");
    const of = cases.get(namespace);
    const text = Buffer.concat(chunks).toString();
    const review = text === "" ? {} : (JSON.parse(text) as Json);
    of?.received.push({
      webhook: name,
      method: request.method ?? "",
      query: url.search,
      contentType: request.headers["content-type"] ?? "none",
      review: comparable(review),
    });
    const reviewRequest = isObject(review["request"]) ? review["request"] : {};
    send(of?.webhooks[name]?.(reviewRequest, review) ?? { status: 404, text: "no such webhook" }, response);
  };
  server.on("connection", (socket: Socket) => {
    socket.on("error", () => undefined);
    socket.unref();
  });
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  server.unref();
  const { port } = server.address() as { port: number };
  const encoded = btoa(ca);
  return {
    set(namespace, webhooks) {
      cases.set(namespace, { webhooks, received: [] });
    },
    taken(namespace, sorted) {
      const of = cases.get(namespace);
      const taken = of?.received ?? [];
      if (of !== undefined) of.received = [];
      return sorted ? taken.sort((a, b) => (a.webhook < b.webhook ? -1 : a.webhook > b.webhook ? 1 : 0)) : taken;
    },
    filled: (text, namespace) =>
      text.replaceAll("{hooks}", `https://127.0.0.1:${port}/${namespace}`).replaceAll("{ca}", encoded),
    erased: (text) =>
      text
        .replaceAll(encoded, "CA")
        .replaceAll(/127\.0\.0\.1:\d+->127/g, "127.0.0.1:ANY->127")
        .replaceAll(`127.0.0.1:${port}`, "127.0.0.1:PORT"),
  };
}

function send({ json, text, status = 200, headers = {}, instead }: WebhookResponse, response: ServerResponse): void {
  if (instead === "hang") return;
  const body = text ?? JSON.stringify(json);
  const type = json === undefined ? "text/plain" : "application/json";
  if (instead === "close") return void response.socket?.destroy();
  response.writeHead(status, { "content-type": type, ...headers, "content-length": Buffer.byteLength(body) });
  if (instead === undefined) return void response.end(body);
  response.write(body.slice(0, body.length / 2), () => response.socket?.destroy());
}

/** Removes the username and the groups that differ between the servers. */
function comparable(review: Json): Json {
  const { request } = review;
  if (!isObject(request) || !isObject(request["userInfo"])) return review;
  const { username, groups } = request["userInfo"];
  const isAuthenticated = Array.isArray(groups) && groups.includes("system:authenticated");
  return { ...review, request: { ...request, userInfo: { username: typeof username, isAuthenticated } } };
}
