import { sleep, type Timeline } from "../../platform/timeline.ts";
import type { Transport } from "../../api/transport.ts";
import { isWatch } from "./request-kind.ts";

export interface RateLimit {
  /** Requests a second in the long run; 0 or less: no limit. */
  readonly qps: number;
  /** Requests that may go out at once after a pause. */
  readonly burst: number;
}

/** Limits of one client's own, as multiples of those of the others, which share theirs. */
export interface OwnLimits {
  readonly qpsTimes: number;
  readonly burstTimes: number;
}

/**
 * A token bucket: it holds `burst` tokens, `qps` of them grow back each second, a request takes one and waits for it in order.
 * With 20 and 30, of 50 requests at once 30 go out now, the others one each 50 ms. Watches are free.
 * Source: client-go v0.36 rest/request.go (tryThrottle, Watch), util/flowcontrol/throttle.go.
 */
export function withRateLimit(transport: Transport, options: RateLimit & { readonly timeline: Timeline }): Transport {
  const { qps, burst, timeline } = options;
  if (qps <= 0) return transport;
  const most = Math.max(1, burst);
  let tokens = most;
  let countedAt = timeline.now();
  /** Milliseconds until this request's token is there. Atomic. */
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
          // Aborted before its time: the token goes back.
          tokens = Math.min(most, tokens + 1);
          throw error;
        }
      }
      return transport.send(request);
    },
  };
}
