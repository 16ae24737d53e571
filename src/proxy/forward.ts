/** Forwards requests of the process to the API server, and the responses back. */
import { messageOf } from "../api/error-message.ts";
import { TransportError, type ApiResponse, type Method, type Transport } from "../api/transport.ts";
import type { ServedBody, ServedRequest, ServedResponse, ServedUpgrade } from "../platform/https-server.ts";
import type { Timeline } from "../platform/timeline.ts";
import type { ExchangeEnd, ExchangeObserver, Observe } from "./observer/exchange.ts";
import { responseHeaders, requestHeaders, upgradeHeaders } from "./headers.ts";
import { statusResponse } from "./refusals.ts";

/** Where requests are forwarded to, and the observer of the traffic. */
export interface ForwardOptions {
  readonly transport: Transport;
  readonly timeline: Timeline;
  readonly observe: Observe;
}

const methods: ReadonlySet<string> = new Set<Method>(["GET", "POST", "PUT", "PATCH", "DELETE"]);

/** Whether requests of a method are forwarded. */
export function isForwardable(method: string): method is Method {
  return methods.has(method);
}

/** A request whose method is forwarded. */
export type ForwardableRequest = ServedRequest & { readonly method: Method };

/**
 * Forwards a request until it is aborted. Rejects if the connection breaks before the response: the process must see a broken connection
 * as well, because nobody can know whether a write was applied.
 */
export async function forward(
  { transport, timeline, observe, abort }: ForwardOptions & { readonly abort: AbortController },
  request: ForwardableRequest,
): Promise<ServedResponse> {
  const { method, path, query, body } = request;
  const headers = requestHeaders(request.headers);
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
  const forwarded = new ForwardedBody(response, { observer, timeline, abort });
  const passed = responseHeaders((name) => response.header(name));
  return { status: response.status, headers: passed, body: forwarded };
}

/**
 * Forwards an upgrade request; undefined if the transport does not support upgrades. Traffic in the new protocol is not read. Rejects if
 * the connection breaks before the response.
 */
export async function forwardUpgrade(
  { transport, timeline, observe }: ForwardOptions,
  request: ForwardableRequest,
): Promise<ServedUpgrade | ServedResponse | undefined> {
  if (transport.upgrade === undefined) return undefined;
  const { method, path, query, body } = request;
  const headers = requestHeaders(request.headers);
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

/** The timeout for an upgrade, not shorter than kubectl's. */
const upgradeMs = 60_000;

function valueOf(headers: ServedUpgrade["headers"], wanted: string): string | undefined {
  return headers.find(([name]) => name.toLowerCase() === wanted)?.[1];
}

/** Responds with 503 if the request was not sent at all. @throws the error if the connection broke later. */
function unreachable(error: unknown): ServedResponse {
  if (!(error instanceof TransportError) || error.failure === "broken") throw error;
  return statusResponse({
    code: 503,
    reason: "ServiceUnavailable",
    message: `kubectl reconcile cannot reach the API server: ${error.message}`,
  }).response;
}

interface BodyContext {
  readonly observer: ExchangeObserver;
  readonly timeline: Timeline;
  readonly abort: AbortController;
}

/** A response body that is forwarded chunk by chunk as it arrives. */
class ForwardedBody implements ServedBody {
  readonly #response: ApiResponse;
  readonly #context: BodyContext;
  #ended = false;

  constructor(response: ApiResponse, context: BodyContext) {
    this.#response = response;
    this.#context = context;
  }

  async next(): Promise<Uint8Array | undefined> {
    const { observer, timeline } = this.#context;
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

  /** Called when the process closes its connection, and after the end of the body. */
  cancel(): void {
    if (this.#ended) return;
    this.#end({ is: "left" });
    this.#response.body.cancel();
    this.#context.abort.abort();
  }

  #end(how: ExchangeEnd): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#context.observer.end(how, this.#context.timeline.now());
  }
}
