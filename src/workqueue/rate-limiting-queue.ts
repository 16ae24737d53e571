import type { ObjectKey } from "../api/key.ts";
import type { Trigger } from "../trace/triggers.ts";
import { DelayingQueue } from "./delaying-queue.ts";
import type { QueueOptions } from "./queue.ts";
import { defaultControllerRateLimiter, type RateLimiter } from "./rate-limiters.ts";

/**
 * A delaying queue that retries failing keys with the delays of a rate limiter.
 * Source: client-go v0.36 util/workqueue/rate_limiting_queue.go.
 *
 * @example
 * ```ts
 * import { RateLimitingQueue, realTimeline } from "kubectl-reconcile";
 *
 * const queue = new RateLimitingQueue({ name: "work", timeline: realTimeline() });
 * queue.add("shop/web", { cause: "other", why: "start" });
 * queue.add("shop/web", { cause: "other", why: "changed" });
 * const item = await queue.get("worker 1");
 * if (item?.triggers.total !== 2) throw new Error("expected one item with both triggers");
 * queue.addRateLimited(item.key, { cause: "other", why: "it failed" });
 * queue.done(item);
 * queue.shutDown({ discard: true });
 * ```
 */
export class RateLimitingQueue extends DelayingQueue {
  #limiter: RateLimiter;

  constructor(options: QueueOptions & { readonly rateLimiter?: RateLimiter }) {
    super(options);
    this.#limiter = options.rateLimiter ?? defaultControllerRateLimiter(() => options.timeline.now());
  }

  /** Counts a failure and adds the key after the limiter's delay; returns the delay in ms. Atomic. */
  addRateLimited(key: ObjectKey, trigger: Trigger): number {
    const delayMs = this.#limiter.when(key);
    this.addAfter(key, delayMs, trigger);
    return delayMs;
  }

  /** Resets the key's failures. Call it after every success, in addition to `done`. */
  forget(key: ObjectKey): void {
    this.#limiter.forget(key);
  }

  /** The number of failures of the key since the last `forget`. */
  numRequeues(key: ObjectKey): number {
    return this.#limiter.numRequeues(key);
  }
}
