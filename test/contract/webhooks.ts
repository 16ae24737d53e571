/** The webhooks of contract cases: one HTTPS server on loopback, which both servers call. Each case says what its webhooks answer. */
import * as https from "node:https";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { loopbackCertificate } from "../../src/platform/certificate.ts";
import { isObject, type Json } from "./names.ts";

/** What a webhook answers: JSON, or a text as it stands. */
export interface Answer {
  readonly json?: unknown;
  readonly text?: string;
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** `close` without a response, after half of one, or `hang` for good. */
  readonly instead?: "close" | "close half way" | "hang";
}

/** A webhook of a case: `request` is that of the review. */
export type Webhook = (request: Json, review: Json) => Answer;

/** A webhook's call: what was sent to it. */
interface Received {
  readonly webhook: string;
  readonly method: string;
  readonly query: string;
  readonly contentType: string;
  readonly review: unknown;
}

/** The server of all webhooks of a process; those of a case are told apart by its namespace. */
export interface Webhooks {
  /** Sets the webhooks of a case by their names, and forgets what the ones before received. */
  set(namespace: string, webhooks: Readonly<Record<string, Webhook>>): void;
  /** What a case's have received since the last time; `sorted` by their names, where they are asked all at once. */
  taken(namespace: string, sorted: boolean): readonly unknown[];
  /** Fills in `{hooks}`, where they are, and `{ca}`, in base64. */
  filled(text: string, namespace: string): string;
  /** A text without what is another in each run: port and certificate. */
  erased(text: string): string;
}

/** An AdmissionReview with a response, in the version of the request. */
export const answered = (request: Json, review: Json, response: Json): Answer => ({
  json: { kind: review["kind"], apiVersion: review["apiVersion"], response: { uid: request["uid"], ...response } },
});

/** Allows everything. */
export const allows: Webhook = (request, review) => answered(request, review, { allowed: true });

/** Allows with a response of more fields. */
export const allowing =
  (more: Json): Webhook =>
  (request, review) =>
    answered(request, review, { allowed: true, ...more });

/** Denies everything, with a status if one is given. */
export const denying =
  (status?: Json): Webhook =>
  (request, review) =>
    answered(request, review, { allowed: false, ...(status === undefined ? {} : { status }) });

/** Patches the object. */
export const patching =
  (...operations: readonly unknown[]): Webhook =>
  (request, review) =>
    answered(request, review, { allowed: true, patchType: "JSONPatch", patch: btoa(JSON.stringify(operations)) });

/** Gives the same answer to every request. */
export const always =
  (answer: Answer): Webhook =>
  () =>
    answer;

let started: Promise<Webhooks> | undefined;

/** The server, started when it is first asked for; it does not keep the process alive. */
export function startWebhooks(): Promise<Webhooks> {
  started ??= start();
  return started;
}

async function start(): Promise<Webhooks> {
  const { ca, cert, key } = loopbackCertificate(Date.now());
  const cases = new Map<string, { readonly webhooks: Readonly<Record<string, Webhook>>; received: Received[] }>();
  // A connection that is closed for being idle may have a request on its way: POST is not tried again.
  const server = https.createServer({ cert, key, keepAliveTimeout: 600_000 }, (request, response) => {
    void respond(request, response);
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
    const asked = isObject(review["request"]) ? review["request"] : {};
    send(of?.webhooks[name]?.(asked, review) ?? { status: 404, text: "no such webhook" }, response);
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

function send({ json, text, status = 200, headers = {}, instead }: Answer, response: ServerResponse): void {
  if (instead === "hang") return;
  const body = text ?? JSON.stringify(json);
  const type = json === undefined ? "text/plain" : "application/json";
  if (instead === "close") return void response.socket?.destroy();
  response.writeHead(status, { "content-type": type, ...headers, "content-length": Buffer.byteLength(body) });
  if (instead === undefined) return void response.end(body);
  response.write(body.slice(0, body.length / 2), () => response.socket?.destroy());
}

/** Whoever sends it, the groups that are the same on both servers. */
function comparable(review: Json): Json {
  const { request } = review;
  if (!isObject(request) || !isObject(request["userInfo"])) return review;
  const { username, groups } = request["userInfo"];
  const isAuthenticated = Array.isArray(groups) && groups.includes("system:authenticated");
  return { ...review, request: { ...request, userInfo: { username: typeof username, isAuthenticated } } };
}
