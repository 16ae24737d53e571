import { sleep, type Timeline } from "../../platform/timeline.ts";
import type { Transport } from "../../api/transport.ts";
import { isWatch } from "./request-kind.ts";

/** The parameters of a token bucket. */
export interface RateLimit {
  /** Average requests per second; 0 or less for no limit. */
  readonly qps: number;
  /** Requests that may be sent at once after a pause. */
  readonly burst: number;
}

/** The limits of a client that does not share the common ones, as multiples of those. */
export interface OwnLimits {
  readonly qpsTimes: number;
  readonly burstTimes: number;
}

/**
 * A token bucket: it holds `burst` tokens and gains `qps` per second; each request takes one, waiting in order. With 20
 * and 30, of 50 concurrent requests 30 are sent at once, the others 50 ms apart. Watches are not limited, nor are
 * requests for Leases: in a queue with others they would come too late, and nothing else may be written then.
 *
 * Source: client-go v0.36 rest/request.go (tryThrottle, Watch), util/flowcontrol/throttle.go.
 */
export function withRateLimit(transport: Transport, options: RateLimit & { readonly timeline: Timeline }): Transport {
  const { qps, burst, timeline } = options;
  if (qps <= 0) return transport;
  const capacity = Math.max(1, burst);
  let tokens = capacity;
  let countedAt = timeline.now();
  /** Milliseconds until this request's token is available. Atomic. */
  const take = (): number => {
    const now = timeline.now();
    tokens = Math.min(capacity, tokens + ((now - countedAt) / 1000) * qps) - 1;
    countedAt = now;
    return tokens >= 0 ? 0 : (-tokens / qps) * 1000;
  };
  return {
    async send(request) {
      if (isWatch(request) || request.renewsLease === true) return transport.send(request);
      const waitMs = take();
      if (waitMs > 0) {
        try {
          await sleep(timeline, waitMs, "client rate limit", { signal: request.signal });
        } catch (error) {
          // Aborted while waiting: the token is returned.
          tokens = Math.min(capacity, tokens + 1);
          throw error;
        }
      }
      return transport.send(request);
    },
  };
}
