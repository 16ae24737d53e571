import { sleep, type Timeline } from "../../platform/timeline.ts";
import { TransportError, type ApiRequest, type ApiResponse, type Transport } from "../../api/transport.ts";
import { isWatch } from "./request-kind.ts";

export interface RetryOptions {
  readonly timeline: Timeline;
  /** Tries after the first one. Default 10. */
  readonly retries?: number;
}

const defaultRetries = 10;
/** How long a GET waits before it is sent again over a new connection. */
const reconnectMs = 1000;

/** The value of a Retry-After header in milliseconds; undefined where there is none, or it is a date. */
export function retryAfterMs(header: string | undefined): number | undefined {
  return header !== undefined && /^\d+$/.test(header.trim()) ? Number(header) * 1000 : undefined;
}

/**
 * Sends a request again when the server asks for it by a Retry-After, on 429 or any 5xx, or when the connection of a GET broke
 * before its answer. A write is never sent again after a broken connection: it may have been applied. Watches that break are
 * left to whoever watches.
 * Source: client-go v0.36 rest/with_retry.go, rest/request.go; differs: a watch that could not be opened is an error.
 */
export function withRetries(transport: Transport, options: RetryOptions): Transport {
  const retries = options.retries ?? defaultRetries;
  return {
    async send(request) {
      for (let attempt = 0; ; attempt++) {
        const answer = await attempted(transport, request);
        const waitMs = attempt < retries ? waitBefore(answer, request) : undefined;
        if (waitMs === undefined) {
          if (answer instanceof TransportError) throw answer;
          return answer;
        }
        if (!(answer instanceof TransportError)) answer.body.cancel();
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

/** Undefined: this is the answer. */
function waitBefore(answer: ApiResponse | TransportError, request: ApiRequest): number | undefined {
  if (answer instanceof TransportError) {
    return answer.failure === "broken" && request.method === "GET" && !isWatch(request) ? reconnectMs : undefined;
  }
  if (answer.status !== 429 && answer.status < 500) return undefined;
  return retryAfterMs(answer.header("retry-after"));
}
