/** Runs contract cases against any API server. */
import { type ApiResponse, readAll, type Method, type Transport } from "../../src/api/transport.ts";
import { readYaml } from "../../src/sandbox/serialization/yaml/read.ts";
import type { Case, Result, Step } from "./case.ts";
import { type TimedResponse, isListObject, type Json, namesOf } from "./names.ts";
import { normalized, normalizedText } from "./normalize.ts";
import { startWebhooks, type Webhooks } from "./webhooks.ts";

const encoder = new TextEncoder();
const decoder = new TextDecoder();

interface Raw extends TimedResponse {
  readonly status: number;
  readonly warning: string | undefined;
  readonly headers: Readonly<Record<string, string>>;
}

/** Headers of nearly every response; only deviations from them are part of a result. */
const usualHeaders: Readonly<Record<string, string | undefined>> = {
  "content-type": "application/json",
  "cache-control": "no-cache, private",
  "retry-after": undefined,
  "x-content-type-options": undefined,
  "www-authenticate": undefined,
  allow: undefined,
  location: undefined,
};

/** The requested headers and those with an unusual value. Every response must have an audit ID, so only a missing one is reported. */
function headersOf(response: ApiResponse, shows: readonly string[]): Record<string, string> {
  const shown: Record<string, string> = {};
  for (const name of new Set([...shows, ...Object.keys(usualHeaders)])) {
    const value = response.header(name);
    if (value !== usualHeaders[name] || shows.includes(name)) shown[name] = value ?? "none";
  }
  return response.header("audit-id") === undefined ? { ...shown, "audit-id": "none" } : shown;
}

/** The clock of a server, and ways to wait for it. */
export interface Pauses {
  /** The current time in ms since 1970. */
  now(): number;
  /** Waits until the server's caches contain all previous writes. */
  settle(): Promise<void>;
  /** Waits until more than a second has passed on the server's clock. */
  pass(): Promise<void>;
}

/** Replaces `{ns}` and placeholders such as `{0.metadata.uid}` in all strings of a value. */
function filled<T>(value: T, namespace: string, responses: readonly Raw[]): T {
  if (typeof value === "string") {
    return value.replaceAll(/\{(ns|\d+(?:\.[\w-]+)+)\}/g, (_whole, what: string) => {
      if (what === "ns") return namespace;
      const [index = "0", ...path] = what.split(".");
      let here: unknown = responses[Number(index)]?.body;
      // The resourceVersion of a list is not that of an object, but could equal one by chance on one of the servers.
      if (path.at(-1) === "resourceVersion" && isListObject((here ?? {}) as Json)) return "1";
      for (const key of path) here = (here as Json | undefined)?.[key];
      // A missing field becomes "1", which is an old version.
      return typeof here === "string" ? here : "1";
    }) as T;
  }
  if (Array.isArray(value)) return value.map((item: unknown) => filled(item, namespace, responses)) as T;
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [key, filled(item as unknown, namespace, responses)]),
  ) as T;
}

function parsed(text: string, type = "application/json"): unknown {
  if (type.startsWith("application/yaml")) return { yaml: readYaml(encoder.encode(text)).json };
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return { text };
  }
}

type Taken = Omit<Raw, "from" | "until">;

async function take(transport: Transport, step: Step, webhooks?: Webhooks): Promise<Taken> {
  const erased = (text: string): string => webhooks?.erased(text) ?? text;
  const abort = new AbortController();
  const query = [...new URLSearchParams(step.query ?? "").entries()];
  const response = await transport.send({
    method: (step.method === "WATCH" ? "GET" : step.method) as Method,
    path: step.path,
    query: step.method === "WATCH" ? [["watch", "1"], ...query] : query,
    headers: {
      accept: step.accept ?? "application/json",
      "user-agent": "contract",
      ...(step.body === undefined ? {} : { "content-type": step.type ?? "application/json" }),
      ...step.headers,
    },
    ...(step.body === undefined
      ? {}
      : { body: encoder.encode(typeof step.body === "string" ? step.body : JSON.stringify(step.body)) }),
    signal: abort.signal,
  });
  const warning = response.header("warning") ?? undefined;
  const headers = headersOf(response, step.shows ?? []);
  if (step.method !== "WATCH" || response.status !== 200) {
    return {
      status: response.status,
      warning,
      headers,
      body: parsed(erased(decoder.decode(await readAll(response.body))), response.header("content-type")),
    };
  }
  const frames: unknown[] = [];
  let rest = "";
  while (frames.length < (step.frames ?? 0)) {
    const chunk = await response.body.next();
    if (chunk === undefined) {
      frames.push("END");
      break;
    }
    const lines = (rest + decoder.decode(chunk)).split("\n");
    rest = lines.pop() ?? "";
    frames.push(...lines.filter((line) => line !== "").map((line) => parsed(erased(line))));
  }
  response.body.cancel();
  return { status: 200, warning, headers, body: frames };
}

/** Replaces the placeholders for the addresses of the webhooks in a step. */
function withWebhooks(step: Step, namespace: string, webhooks: Webhooks | undefined): Step {
  if (webhooks === undefined) return step;
  return JSON.parse(webhooks.filled(JSON.stringify(step), namespace)) as Step;
}

/** How long to wait until the next second has begun, in ms: Kubernetes writes times in whole seconds. */
export function untilNextSecond(now: number): number {
  return 1100 - (now % 1000);
}

/** Runs a case in `namespace`, which it creates together with the default ServiceAccount; returns the normalized results. */
export async function runCase(
  transport: Transport,
  { steps, ordersTimes = false, isSpaced = false, hooks }: Case,
  namespace: string,
  pauses: Pauses,
): Promise<Result[]> {
  // All times of writes at the start of a second lie within that second.
  if (ordersTimes) await pauses.pass();
  const startedAt = pauses.now();
  await take(transport, { method: "POST", path: "/api/v1/namespaces", body: { metadata: { name: namespace } } });
  await take(transport, {
    method: "POST",
    path: `/api/v1/namespaces/${namespace}/serviceaccounts`,
    body: { metadata: { name: "default" } },
  });
  const responses: Raw[] = [];
  const webhooks = hooks === undefined ? undefined : await startWebhooks();
  webhooks?.set(namespace, hooks ?? {});
  for (const step of steps) {
    const from = pauses.now();
    if (step.method === "RECEIVED") {
      const text = webhooks?.erased(JSON.stringify(webhooks.taken(namespace, step.path === "sorted"))) ?? "[]";
      responses.push({ status: 0, warning: undefined, headers: {}, body: JSON.parse(text), from, until: pauses.now() });
      continue;
    }
    if (step.method === "SETTLE" || step.method === "PASS") {
      await (step.method === "PASS" ? pauses.pass() : pauses.settle());
      responses.push({ status: 0, warning: undefined, headers: {}, body: {}, from, until: pauses.now() });
      continue;
    }
    if (isSpaced && step.method !== "GET") await pauses.pass();
    const request = filled(withWebhooks(step, namespace, webhooks), namespace, responses);
    responses.push({ ...(await take(transport, request, webhooks)), from, until: pauses.now() });
  }
  const names = namesOf(responses, {
    startedAt,
    sent: steps.map(({ query, body }) => [query, body]),
    ordersTimes,
  });
  return responses.map(({ status, warning, headers, body, from, until }) => {
    const context = { names, from, until };
    return {
      status,
      ...(warning === undefined ? {} : { warning: normalizedText(warning, context) }),
      ...(Object.keys(headers).length === 0 ? {} : { headers }),
      body: normalized(body, context),
    };
  });
}
