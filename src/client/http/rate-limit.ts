import { sleep, type Timeline } from "../../platform/timeline.ts";
import type { Transport } from "../../api/transport.ts";
import { isWatch } from "./request-kind.ts";

/** The parameters of a token bucket. */
export interface RateLimit {
  /** Requests per second on average; 0 or less: no limit. */
  readonly qps: number;
  /** Requests that may be sent at once after a pause. */
  readonly burst: number;
}

/** Limits of a client that does not share those of the others, as multiples of them. */
export interface OwnLimits {
  readonly qpsTimes: number;
  readonly burstTimes: number;
}

/**
 * A token bucket: it holds `burst` tokens and gains `qps` per second; each request takes one, waiting in order. With 20
 * and 30, of 50 concurrent requests 30 are sent at once, the others 50 ms apart. Watches are not limited.
 *
 * Source: client-go v0.36 rest/request.go (tryThrottle, Watch), util/flowcontrol/throttle.go.
 */
export function withRateLimit(transport: Transport, options: RateLimit & { readonly timeline: Timeline }): Transport {
  const { qps, burst, timeline } = options;
  if (qps <= 0) return transport;
  const most = Math.max(1, burst);
  let tokens = most;
  let countedAt = timeline.now();
  /** Milliseconds until this request's token is available. Atomic. */
  const take = (): number => {
    const now = timeline.now();
    tokens = Math.min(most, tokens + ((now - countedAt) / 1000) * qps) - 1;
    countedAt = now;
    return tokens >= 0 ? 0 : (-tokens / qps) * 1000;
  };
  return {
    async send(request) {
      if (isWatch(request)) return transport.send(request);
      const waitMs = take();
      if (waitMs > 0) {
        try {
          await sleep(timeline, waitMs, "client rate limit", { signal: request.signal });
        } catch (error) {
          // Aborted while waiting: the token is returned.
          tokens = Math.min(most, tokens + 1);
          throw error;
        }
      }
      return transport.send(request);
    },
  };
}
