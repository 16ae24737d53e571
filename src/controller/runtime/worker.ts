import type { ObjectKey } from "../../api/key.ts";
import type { UnseenWrites } from "../../trace/events.ts";
import type { RunningController } from "./running-controller.ts";
import type { QueueItem } from "../../workqueue/queue.ts";
import { runSync } from "./sync-run.ts";

/** Counts the syncs of one controller, from 1. */
export interface SyncCounter {
  syncs: number;
}

/**
 * The worker loop: gets a key, syncs it, and calls `done`, until the queue is shut down and empty. Never rejects.
 *
 * After a sync, success forgets the key's failures. An error requeues the key with the rate limiter's delay (5 ms · 2ⁿ), unless it is a
 * TerminalError or the controller's retries are used up. A requeue requested by the sync counts as success.
 */
export async function work(
  running: RunningController,
  worker: number,
  counter: SyncCounter,
  signal: AbortSignal,
): Promise<void> {
  const { queue, definition } = running;
  const actor = `${definition.name} worker ${worker}`;
  // Awaited even if a key is waiting, so that the caller starts all workers before the first sync.
  let item = await queue.get(actor);
  while (item !== undefined) {
    // The object may have left the scope while its key was waiting.
    if (running.inScope(item.key)) {
      const sync = ++counter.syncs;
      reportGet(running, item, sync, worker);
      await runSync({ running, item, sync, signal });
    } else {
      queue.done(item);
    }
    const next = queue.get(actor);
    item = next instanceof Promise ? await next : next;
  }
}

function reportGet(running: RunningController, item: QueueItem, sync: number, worker: number): void {
  const { queue, bus, timeline, definition } = running;
  if (!bus.on) return;
  const unseen = unseenWrites(running, item.key);
  bus.emit({
    stage: "get",
    controller: definition.name,
    key: item.key,
    sync,
    worker,
    waitedMs: timeline.now() - item.addedAt,
    depth: queue.depth,
    inFlight: queue.inFlight,
    delayed: queue.delayed,
    failures: queue.numRequeues(item.key),
    triggers: item.triggers,
    ...(unseen !== undefined && { unseen }),
  });
}

function unseenWrites({ expectations }: RunningController, key: ObjectKey): UnseenWrites | undefined {
  const expected = expectations.satisfied(key) ? undefined : expectations.of(key);
  if (expected === undefined) return undefined;
  return { creations: Math.max(0, expected.creations), deletions: [...expected.deletions], since: expected.since };
}
