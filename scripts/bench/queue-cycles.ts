import { objectKey } from "../../src/api/key.ts";
import type { Timeline } from "../../src/platform/timeline.ts";
import type { Trigger } from "../../src/trace/triggers.ts";
import { RateLimitingQueue } from "../../src/workqueue/rate-limiting-queue.ts";

const trigger: Trigger = { cause: "other", why: "bench" };

/** As in the peer: all keys are added; then each is taken as a worker would, forgotten and marked done. */
export async function queueCycles(n: number, timeline: Timeline): Promise<Readonly<Record<string, number>>> {
  const queue = new RateLimitingQueue({ name: "bench", timeline });
  // Hashed once before the clock starts: until then a key is a rope of its parts, while the peer's keys are flat strings.
  const keys = [...new Set(Array.from({ length: n }, (_, i) => objectKey(`ns-${i % 100}`, `name-${i}`)))];
  const start = performance.now();
  for (const key of keys) queue.add(key, trigger);
  await work(queue, n);
  const ms = performance.now() - start;
  return { n, ms, ops_s: (n / ms) * 1000 };
}

/** A separate loop, like a worker's: a function that does both is compiled late, while the peer's is compiled before it starts. */
async function work(queue: RateLimitingQueue, n: number): Promise<void> {
  for (let i = 0; i < n; i++) {
    const next = queue.get("bench");
    const item = next instanceof Promise ? await next : next;
    if (item === undefined) throw new Error("the queue was shut down");
    queue.forget(item.key);
    queue.done(item);
  }
}
