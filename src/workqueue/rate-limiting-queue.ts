import type { ObjectKey } from "../api/key.ts";
import type { Trigger } from "../trace/triggers.ts";
import { DelayingQueue } from "./delaying-queue.ts";
import type { QueueOptions } from "./queue.ts";
import { defaultControllerRateLimiter, type RateLimiter } from "./rate-limiters.ts";

/**
 * A delaying queue that works out by itself how long a failing key waits.
 * Source: client-go v0.36 util/workqueue/rate_limiting_queue.go.
 */
export class RateLimitingQueue extends DelayingQueue {
  #limiter: RateLimiter;

  constructor(options: QueueOptions & { readonly rateLimiter?: RateLimiter }) {
    super(options);
    this.#limiter = options.rateLimiter ?? defaultControllerRateLimiter(() => options.timeline.now());
  }

  /** Counts a failure and adds the key when the limiter says it may come again; answers the delay in ms. Atomic. */
  addRateLimited(key: ObjectKey, trigger: Trigger): number {
    const delayMs = this.#limiter.when(key);
    this.addAfter(key, delayMs, trigger);
    return delayMs;
  }

  /** The key's failures no longer count. Called after every success; it does not give the key back: that is `done`. */
  forget(key: ObjectKey): void {
    this.#limiter.forget(key);
  }

  /** Failures in a row. */
  numRequeues(key: ObjectKey): number {
    return this.#limiter.failures(key);
  }
}
