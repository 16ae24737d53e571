/** Helpers to send requests through a Transport. */
import { readAll, type Transport } from "../../../src/api/transport.ts";

export type Json = Record<string, unknown>;

export interface JsonResponse {
  readonly status: number;
  readonly body: Json;
  readonly warning?: string;
}

export interface RequestParts {
  readonly body?: unknown;
  readonly query?: string;
  /** The content type; by default that of JSON, or of a merge patch for a PATCH. */
  readonly type?: string;
  readonly accept?: string;
  readonly signal?: AbortSignal;
}

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** A query such as `a=b&c=d` as pairs. */
export function pairs(query: string): (readonly [string, string])[] {
  return [...new URLSearchParams(query).entries()];
}

/** Sends a request and reads its response as JSON. */
export async function sendRequest(
  transport: Transport,
  method: string,
  path: string,
  parts: RequestParts = {},
): Promise<JsonResponse> {
  const { body } = parts;
  const response = await transport.send({
    method: method as "GET",
    path,
    query: pairs(parts.query ?? ""),
    headers: {
      "content-type": parts.type ?? (method === "PATCH" ? "application/merge-patch+json" : "application/json"),
      accept: parts.accept ?? "application/json",
      "user-agent": "contract",
    },
    ...(body === undefined ? {} : { body: encoder.encode(typeof body === "string" ? body : JSON.stringify(body)) }),
    signal: parts.signal ?? new AbortController().signal,
  });
  const text = decoder.decode(await readAll(response.body));
  const warning = response.header("warning");
  return { status: response.status, body: parsed(text), ...(warning === undefined ? {} : { warning }) };
}

function parsed(text: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return { text };
  }
}

/** The frames of a watch, one by one. */
export async function watch(
  transport: Transport,
  path: string,
  query: string,
): Promise<{ next(): Promise<Json | undefined>; cancel(): void }> {
  const abort = new AbortController();
  const response = await transport.send({
    method: "GET",
    path,
    query: pairs(`watch=1&${query}`),
    headers: { accept: "application/json" },
    signal: abort.signal,
  });
  const frames: Json[] = [];
  let rest = "";
  return {
    async next() {
      while (frames.length === 0) {
        const chunk = await response.body.next();
        if (chunk === undefined) return undefined;
        const lines = (rest + decoder.decode(chunk)).split("\n");
        rest = lines.pop() ?? "";
        frames.push(...lines.map((line) => JSON.parse(line) as Json));
      }
      return frames.shift();
    },
    cancel: () => response.body.cancel(),
  };
}
