/** Rate limiters for failing keys. Source: client-go v0.36 util/workqueue/default_rate_limiters.go. */
import type { ObjectKey } from "../api/key.ts";

/** Decides how long a key waits before its next retry. Source: client-go v0.36 TypedRateLimiter. */
export interface RateLimiter {
  /** Counts a failure of the key and returns its delay, in ms. */
  when(key: ObjectKey): number;
  /** Resets the key's failures: its next one counts as the first. */
  forget(key: ObjectKey): void;
  /** The number of failures of the key since the last `forget`. */
  numRequeues(key: ObjectKey): number;
}

/** Delays of `baseDelayMs` · 2ⁿ for the n-th consecutive failure, counted from 0, up to `maxDelayMs`. */
export function exponentialFailureLimiter(options: {
  readonly baseDelayMs: number;
  readonly maxDelayMs: number;
}): RateLimiter {
  const failures = new Map<ObjectKey, number>();
  return {
    when(key) {
      const n = failures.get(key) ?? 0;
      failures.set(key, n + 1);
      return Math.min(options.baseDelayMs * 2 ** n, options.maxDelayMs);
    },
    forget(key) {
      // Usually no key has failed.
      if (failures.size > 0) failures.delete(key);
    },
    numRequeues: (key) => failures.get(key) ?? 0,
  };
}

/**
 * The same delay after every failure. Source: kubernetes v1.36 pkg/controller/podautoscaler/rate_limiters.go; differs: it counts failures.
 */
export function fixedIntervalLimiter(intervalMs: number): RateLimiter {
  const failures = new Map<ObjectKey, number>();
  return {
    when(key) {
      failures.set(key, (failures.get(key) ?? 0) + 1);
      return intervalMs;
    },
    forget: (key) => void failures.delete(key),
    numRequeues: (key) => failures.get(key) ?? 0,
  };
}

/**
 * A token bucket of `burst` tokens, refilled at `qps` per second, shared by all keys. Each call takes a token; if there is none, a future
 * one is reserved, and `when` returns the time until then.
 */
export function bucketLimiter(options: {
  readonly qps: number;
  readonly burst: number;
  readonly now: () => number;
}): RateLimiter {
  let tokens = options.burst;
  let filledAt = options.now();
  return {
    when() {
      const now = options.now();
      tokens = Math.min(options.burst, tokens + ((now - filledAt) / 1000) * options.qps) - 1;
      filledAt = now;
      return Math.max(0, (-tokens / options.qps) * 1000);
    },
    forget: () => undefined,
    numRequeues: () => 0,
  };
}

/** The longest delay of several limiters; each counts the failure. */
export function maxOfLimiters(...limiters: readonly RateLimiter[]): RateLimiter {
  return {
    when: (key) => Math.max(...limiters.map((limiter) => limiter.when(key))),
    forget(key) {
      for (const limiter of limiters) limiter.forget(key);
    },
    numRequeues: (key) => Math.max(...limiters.map((limiter) => limiter.numRequeues(key))),
  };
}

/**
 * The default for controllers: 5 ms · 2ⁿ up to 1000 s per key (the 16th consecutive retry waits 164 s, the 19th and all later ones 1000 s),
 * and 10 per second with bursts of 100 for all keys together.
 */
export function defaultControllerRateLimiter(now: () => number): RateLimiter {
  return maxOfLimiters(
    exponentialFailureLimiter({ baseDelayMs: 5, maxDelayMs: 1_000_000 }),
    bucketLimiter({ qps: 10, burst: 100, now }),
  );
}
