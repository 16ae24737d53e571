import type { ObjectKey } from "../api/key.ts";
import type { UnseenWrites } from "../trace/events.ts";
import type { RunningController } from "./running-controller.ts";
import { runSync } from "./sync-run.ts";

/** Counts the syncs of one controller, from 1. */
export interface SyncCounter {
  syncs: number;
}

/**
 * A worker: takes a key, syncs it, gives it back, until the queue is shut down and empty. Never rejects.
 *
 * What comes of a sync: success forgets the key's failures; an error has it come again after 5 ms · 2ⁿ, unless it is a
 * TerminalError or the controller's retries are used up; a requeue asked for by the sync counts as success.
 */
export async function work(
  running: RunningController,
  worker: number,
  counter: SyncCounter,
  signal: AbortSignal,
): Promise<void> {
  const { queue, bus, timeline, definition } = running;
  const actor = `${definition.name} worker ${worker}`;
  for (let item = await queue.get(actor); item !== undefined; item = await queue.get(actor)) {
    // The object may have left the scope while its key waited.
    if (!running.inScope(item.key)) {
      queue.done(item);
      continue;
    }
    const sync = ++counter.syncs;
    if (bus.on) {
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
    await runSync(running, item, sync, signal);
  }
}

function unseenWrites({ expectations }: RunningController, key: ObjectKey): UnseenWrites | undefined {
  const expected = expectations.satisfied(key) ? undefined : expectations.of(key);
  if (expected === undefined) return undefined;
  return { creations: Math.max(0, expected.creations), deletions: [...expected.deletions], since: expected.since };
}
