/** Forwards a request to the server behind the door, and its response to the process. */
import { messageOf } from "../api/error-message.ts";
import { TransportError, type ApiResponse, type Method, type Transport } from "../api/transport.ts";
import type { ServedBody, ServedRequest, ServedResponse, ServedUpgrade } from "../platform/https-server.ts";
import type { Timeline } from "../platform/timeline.ts";
import type { ExchangeEnd, ExchangeObserver, Observe } from "./observer/exchange.ts";
import { handedOn, sentOn, upgradeHeaders } from "./headers.ts";
import { statusResponse } from "./refusals.ts";

/** What requests are forwarded to, and who sees them pass. */
export interface ForwardOptions {
  readonly transport: Transport;
  readonly timeline: Timeline;
  readonly observe: Observe;
}

const methods: ReadonlySet<string> = new Set<Method>(["GET", "POST", "PUT", "PATCH", "DELETE"]);

/** Whether the door carries requests of a method. */
export function isCarried(method: string): method is Method {
  return methods.has(method);
}

/** A request of a method that the door carries. */
export type CarriedRequest = ServedRequest & { readonly method: Method };

/**
 * Sends a request on, until it is aborted. Rejects where the connection broke before there was a response, or inside one: the process is
 * to see the same, and cannot know either whether a write was applied.
 */
export async function forward(
  { transport, timeline, observe, abort }: ForwardOptions & { readonly abort: AbortController },
  request: CarriedRequest,
): Promise<ServedResponse> {
  const { method, path, query, body } = request;
  const headers = sentOn(request.headers);
  const observer = observe({ method, path, query, headers, body, at: timeline.now() });
  let response: ApiResponse;
  try {
    response = await transport.send({
      method,
      path,
      query,
      headers,
      ...(body.length > 0 && { body }),
      signal: abort.signal,
      streamed: true,
    });
  } catch (error) {
    observer.end({ is: "failed", error: messageOf(error) }, timeline.now());
    return unreachable(error);
  }
  observer.head(response, timeline.now());
  const passing = new PassingBody(response, { observer, timeline, abort });
  const passed = handedOn((name) => response.header(name));
  return { status: response.status, headers: passed, body: passing };
}

/**
 * Sends an upgrade on; undefined where there is no connection behind the door. What passes in the new protocol is not read. Rejects where
 * the connection broke before there was a response.
 */
export async function forwardUpgrade(
  { transport, timeline, observe }: ForwardOptions,
  request: CarriedRequest,
): Promise<ServedUpgrade | ServedResponse | undefined> {
  if (transport.upgrade === undefined) return undefined;
  const { method, path, query, body } = request;
  const headers = sentOn(request.headers);
  const observer = observe({ method, path, query, headers, body, at: timeline.now() });
  try {
    const response = await transport.upgrade({
      method,
      path,
      query,
      headers: { ...headers, ...upgradeHeaders(request.headers) },
      signal: AbortSignal.timeout(upgradeMs),
    });
    observer.head({ status: response.status, header: (name) => valueOf(response.headers, name) }, timeline.now());
    observer.end({ is: "whole" }, timeline.now());
    return response;
  } catch (error) {
    observer.end({ is: "failed", error: messageOf(error) }, timeline.now());
    return unreachable(error);
  }
}

/** kubectl gives up no sooner. */
const upgradeMs = 60_000;

function valueOf(headers: ServedUpgrade["headers"], wanted: string): string | undefined {
  return headers.find(([name]) => name.toLowerCase() === wanted)?.[1];
}

/** Where nothing was sent, that is a response. @throws the error where the connection broke. */
function unreachable(error: unknown): ServedResponse {
  if (!(error instanceof TransportError) || error.failure === "broken") throw error;
  return statusResponse({
    code: 503,
    reason: "ServiceUnavailable",
    message: `kubectl reconcile cannot reach the API server: ${error.message}`,
  }).response;
}

interface Passage {
  readonly observer: ExchangeObserver;
  readonly timeline: Timeline;
  readonly abort: AbortController;
}

/** A body on its way: each piece is handed on as it comes. */
class PassingBody implements ServedBody {
  readonly #response: ApiResponse;
  readonly #passage: Passage;
  #ended = false;

  constructor(response: ApiResponse, passage: Passage) {
    this.#response = response;
    this.#passage = passage;
  }

  async next(): Promise<Uint8Array | undefined> {
    const { observer, timeline } = this.#passage;
    try {
      const piece = await this.#response.body.next();
      if (piece === undefined) this.#end({ is: "whole" });
      else if (!this.#ended) observer.piece(piece, timeline.now());
      return piece;
    } catch (error) {
      this.#end({ is: "failed", error: messageOf(error) });
      throw error;
    }
  }

  /** The process closed its connection; also called once the body has ended. */
  cancel(): void {
    if (this.#ended) return;
    this.#end({ is: "left" });
    this.#response.body.cancel();
    this.#passage.abort.abort();
  }

  #end(how: ExchangeEnd): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#passage.observer.end(how, this.#passage.timeline.now());
  }
}
