import { sleep, type Timeline } from "../../platform/timeline.ts";
import { TransportError, type ApiRequest, type ApiResponse, type Transport } from "../../api/transport.ts";
import { isWatch } from "./request-kind.ts";

/** When retries end, and their clock. */
export interface RetryOptions {
  readonly timeline: Timeline;
  /** Attempts after the first one. Default 10. */
  readonly retries?: number;
}

const defaultRetries = 10;
/** Delay before a GET is sent again over a new connection. */
const reconnectMs = 1000;

/** The value of a Retry-After header in milliseconds; undefined if it is absent or a date. */
export function retryAfterMs(header: string | undefined): number | undefined {
  return header !== undefined && /^\d+$/.test(header.trim()) ? Number(header) * 1000 : undefined;
}

/**
 * Sends a request again if the server requests it with Retry-After on 429 or any 5xx, or if the connection of a GET
 * broke before the response. A write is never repeated after a broken connection: it may have been applied. Watches
 * that break are left to the caller.
 *
 * Source: client-go v0.36 rest/with_retry.go, rest/request.go; differs: a watch that could not be opened is an error.
 */
export function withRetries(transport: Transport, options: RetryOptions): Transport {
  const retries = options.retries ?? defaultRetries;
  return {
    async send(request) {
      for (let attempt = 0; ; attempt++) {
        const outcome = await attempted(transport, request);
        const waitMs = attempt < retries ? waitBefore(outcome, request) : undefined;
        if (waitMs === undefined) {
          if (outcome instanceof TransportError) throw outcome;
          return outcome;
        }
        if (!(outcome instanceof TransportError)) outcome.body.cancel();
        await sleep(options.timeline, waitMs, "client retry", { signal: request.signal });
      }
    },
  };
}

async function attempted(transport: Transport, request: ApiRequest): Promise<ApiResponse | TransportError> {
  try {
    return await transport.send(request);
  } catch (error) {
    if (error instanceof TransportError) return error;
    throw error;
  }
}

/** The delay before a retry; undefined if this is the final response. */
function waitBefore(outcome: ApiResponse | TransportError, request: ApiRequest): number | undefined {
  if (outcome instanceof TransportError) {
    return outcome.failure === "broken" && request.method === "GET" && !isWatch(request) ? reconnectMs : undefined;
  }
  if (outcome.status !== 429 && outcome.status < 500) return undefined;
  return retryAfterMs(outcome.header("retry-after"));
}
