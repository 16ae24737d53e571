/** Runs one sync of one key and handles its outcome. */
import { messageOf } from "../../api/error-message.ts";
import { keyOf } from "../../api/key.ts";
import type { Kind } from "../../api/kind.ts";
import type { StoredObject } from "../../api/object.ts";
import { isConflict } from "../../api/status-error.ts";
import { sleep } from "../../platform/timeline.ts";
import type { DoneEvent, SyncOutcome } from "../../trace/events.ts";
import type { QueueItem } from "../../workqueue/queue.ts";
import { RunStates } from "../api/run-state.ts";
import { CacheBehindError } from "../api/consistency.ts";
import type { Decision, Facts, Rule } from "../api/rule.ts";
import type { RunningController } from "./running-controller.ts";
import type { SyncSession } from "./sync-environment.ts";
import { type SyncContext, type SyncResult, TerminalError } from "../api/sync-context.ts";

/** One sync: its number, counted per controller from 1, and its queue item. */
export interface SyncAttempt {
  readonly running: RunningController;
  readonly item: QueueItem;
  readonly sync: number;
  /** Aborts when syncs in flight must stop. */
  readonly signal: AbortSignal;
}

/** Runs the controller's sync for an item, then forgets, requeues or drops the key. Never rejects. */
export async function runSync(attempt: SyncAttempt): Promise<void> {
  const { running, item, sync } = attempt;
  const { definition, bus, timeline, queue } = running;
  const startedAt = timeline.now();
  const requestedDelays: number[] = [];
  let result: SyncResult | void = undefined;
  let error: unknown;
  let failed = false;
  const session = running.environment?.begin(running, item.key, sync);
  try {
    result = await definition.sync(item.key, contextOf(attempt, { session: session ?? running, requestedDelays }));
  } catch (caught) {
    failed = true;
    error = caught;
  }
  session?.end(failed);
  const outcome = failed ? afterFailure(attempt, error) : afterSuccess(attempt, { result, requestedDelays });
  queue.done(item);
  if (bus.on) {
    const expected = failed ? expectedError(error) : undefined;
    bus.emit({
      stage: "done",
      controller: definition.name,
      key: item.key,
      sync,
      outcome,
      ms: timeline.now() - startedAt,
      ...(failed && { error: messageOf(error) }),
      ...(expected !== undefined && { expected }),
    });
  }
}

function expectedError(error: unknown): DoneEvent["expected"] {
  if (isConflict(error)) return "conflict";
  return error instanceof CacheBehindError ? "cache behind" : undefined;
}

function afterSuccess(
  { running, item, sync }: SyncAttempt,
  { result, requestedDelays }: { readonly result: SyncResult | void; readonly requestedDelays: readonly number[] },
): SyncOutcome {
  if (result?.keepsFailures !== true) running.queue.forget(item.key);
  running.failing.delete(item.key);
  const requeueAfterMs = result?.requeueAfterMs;
  if (requeueAfterMs !== undefined) {
    running.enqueueAfter(item.key, requeueAfterMs, { cause: "requeue", why: "requested by the sync", sync });
  }
  const delays = requeueAfterMs === undefined ? requestedDelays : [...requestedDelays, requeueAfterMs];
  return delays.length === 0 ? { is: "forgotten" } : { is: "requeued", delayMs: Math.min(...delays) };
}

function afterFailure({ running, item, sync }: SyncAttempt, error: unknown): SyncOutcome {
  const { queue, definition } = running;
  running.failing.set(item.key, error);
  const failures = queue.numRequeues(item.key) + 1;
  const maxRetries = definition.retry?.maxRetries;
  if (error instanceof TerminalError || (maxRetries !== undefined && failures > maxRetries)) {
    queue.forget(item.key);
    return { is: "dropped", failures };
  }
  const trigger = { cause: "retry", sync, failures } as const;
  const delayMs = queue.addRateLimited(item.key, trigger);
  running.reportDelayed(item.key, delayMs, trigger);
  return { is: "rate-limited", delayMs, failures };
}

interface ContextParts {
  /** The caches and client of the sync: the controller's own, or those of the environment. */
  readonly session: Omit<SyncSession, "end">;
  /** Collects the delays that the sync requests. */
  readonly requestedDelays: number[];
}

function contextOf(
  { running, item, sync, signal }: SyncAttempt,
  { session, requestedDelays }: ContextParts,
): SyncContext {
  const { definition, bus, timeline } = running;
  const controller = definition.name;
  const writesRemembered = running.environment === undefined ? running.states : new RunStates();
  return {
    controller,
    key: item.key,
    sync,
    signal,
    random: running.random,
    now: () => timeline.now(),
    sleep: (ms) => sleep(timeline, ms, `${controller} ${item.key}`, { signal }),
    cache(kind) {
      if (running.deferredCaches.has(kind)) {
        throw new RangeError(
          `Cannot read the cache of ${kind.kind}: its first list is not there; wait for it with waitForCacheSync()`,
        );
      }
      return session.cache(kind);
    },
    waitForCacheSync: (kind) => running.deferredCaches.waitForCacheSync(kind),
    serverCa: running.serverCa,
    serverVersion: running.serverVersion(),
    client: session.client,
    expectations: session.expectations,
    consistency: session.consistency,
    decide<F extends Facts>(rule: Rule<F>, facts: F): Decision {
      const sentence = rule.sentence(facts);
      const seq = bus.on
        ? bus.emit({ stage: "decision", controller, key: item.key, sync, rule: rule.id, facts, sentence })
        : 0;
      return { controller, sync, seq, rule: rule.id, facts, sentence };
    },
    event<T extends StoredObject>(kind: Kind<T>, about: T, event: Parameters<SyncContext["event"]>[2]): void {
      running.recorder?.record(kind, about, event, { controller, sync, seq: 0 });
      if (!bus.on) return;
      const of = { group: kind.group, kind: kind.kind };
      bus.emit({ stage: "event", controller, key: item.key, sync, of, about: keyOf(about), ...event });
    },
    enqueueAfter(ms, why, options) {
      requestedDelays.push(ms);
      running.enqueueAfter(item.key, ms, { cause: "requeue", why, sync }, options);
    },
    enqueue(key, why, afterMs = 0) {
      const trigger = { cause: "requeue", why, sync } as const;
      if (afterMs > 0) running.enqueueAfter(key, afterMs, trigger);
      else running.enqueue(key, trigger);
    },
    enqueueRateLimited(why) {
      // A failure counted here is forgotten if the sync succeeds.
      const trigger = { cause: "requeue", why, sync } as const;
      const delayMs = running.queue.addRateLimited(item.key, trigger);
      requestedDelays.push(delayMs);
      running.reportDelayed(item.key, delayMs, trigger);
    },
    state: (state) => (state.remembersWrites === true ? writesRemembered : running.states).of(state),
  };
}
