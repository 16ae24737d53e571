/** How long a failing key waits. Source: client-go v0.36 util/workqueue/default_rate_limiters.go. */
import type { ObjectKey } from "../api/key.ts";

/** Decides how long a key waits before its next retry. Source: client-go v0.36 TypedRateLimiter. */
export interface RateLimiter {
  /** Counts a failure of the key and returns how long it has to wait, in ms. */
  when(key: ObjectKey): number;
  /** Forgets the key's failures: its next one counts as the first. */
  forget(key: ObjectKey): void;
  /** How many failures of the key were counted since the last `forget`. */
  numRequeues(key: ObjectKey): number;
}

/** `baseDelayMs` · 2ⁿ for the n-th failure in a row, counted from 0, at most `maxDelayMs`. */
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
      // Most keys that are forgotten have never failed.
      if (failures.size > 0) failures.delete(key);
    },
    numRequeues: (key) => failures.get(key) ?? 0,
  };
}

/**
 * The same wait after every failure. Source: kubernetes v1.36 pkg/controller/podautoscaler/rate_limiters.go; differs: it counts failures.
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
 * A bucket of `burst` tokens that fills at `qps` a second, for all keys together. Each call takes a token; when there is none it
 * is taken in advance, and `when` returns the time until it is there.
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

/** The longest wait of several limiters; each counts the failure. */
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
 * What controllers use unless they say otherwise: 5 ms · 2ⁿ up to 1000 s for each key (the 16th retry in a row waits 164 s, the
 * 19th and all later ones 1000 s), and 10 a second with bursts of 100 for all keys together.
 */
export function defaultControllerRateLimiter(now: () => number): RateLimiter {
  return maxOfLimiters(
    exponentialFailureLimiter({ baseDelayMs: 5, maxDelayMs: 1_000_000 }),
    bucketLimiter({ qps: 10, burst: 100, now }),
  );
}
