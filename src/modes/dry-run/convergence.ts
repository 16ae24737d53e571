/** Runs a simulated cluster until it has converged, or is known never to converge. */
import type { RunEnd } from "../../platform/virtual-timeline.ts";
import type { ObjectKey } from "../../api/key.ts";
import type { StageEvent } from "../../trace/events.ts";
import type { KindName } from "../../trace/names.ts";
import { entryName } from "../../views/state.ts";
import { type Loop, Recurrence } from "./recurrence.ts";
import type { SimulatedCluster } from "./simulated-cluster.ts";
import type { StoreChange } from "./store.ts";

/** How a run ended. */
export type Convergence =
  /** Nothing is left to do. `afterMs`: the time of the last change. */
  | { readonly is: "steady"; readonly afterMs: number }
  /** A state recurred again and again despite writes. */
  | { readonly is: "loop"; readonly loop: Loop }
  /** It was still changing after this time; `changing`: what changed most often of late, unless the run is in real time. */
  | { readonly is: "horizon"; readonly horizonMs: number; readonly changing?: readonly ChangingObject[] };

/** An object that was still changing. */
export interface ChangingObject {
  readonly of: KindName;
  readonly key: ObjectKey;
}

/** How many of them are reported. */
const mostChanging = 3;

/** One hour: longer than any back-off or deadline not set by the user. */
export const defaultHorizonMs = 3_600_000;
/** Retries are at most 16.7 minutes apart: after a longer time without changes, everything has been retried once. */
const quietMs = 1_020_000;
/** Something always due sooner than this is a poll. A Deployment that waits for its pods is polled ten times a second. */
const pollMs = 2000;
const turnsALook = 2000;
const mostTurns = 20_000_000;

/** How long a run lasts. Virtual times, in milliseconds. */
export interface RunTimes {
  readonly horizonMs: number;
  /** How long nothing may change before it counts as steady, so that periodic checks are covered. Default 0. */
  readonly idleMs?: number;
}

/**
 * Steady: nothing but background timers is left, and nothing has changed for `idleMs`; or nothing has changed for so long that every retry
 * has happened since, and what is left is only polled or the horizon is reached.
 */
export async function untilConverged(
  world: SimulatedCluster,
  { horizonMs, idleMs = 0 }: RunTimes,
): Promise<Convergence> {
  const { timeline } = world;
  const startedAt = timeline.now();
  let lastChange = startedAt;
  let dueBefore = Infinity;
  const recurrence = new Recurrence();
  const changes = new LateChanges();
  const endChanges = world.onChange((change) => {
    if (!recurrence.accept(change)) return;
    lastChange = change.at;
    changes.add(change);
  });
  const endWrites = world.bus.listen((event: StageEvent) => {
    if (event.stage === "write") recurrence.wrote(event);
  });
  try {
    for (let turns = 0; turns < mostTurns; turns += turnsALook) {
      const left = startedAt + horizonMs - timeline.now();
      const end: RunEnd = await timeline.runUntil({ ms: Math.max(0, left), steps: turnsALook });
      if (recurrence.loop !== undefined) return { is: "loop", loop: recurrence.loop };
      const idleLeft = lastChange + idleMs - timeline.now();
      if (end === "steady" && idleLeft <= 0) return { is: "steady", afterMs: lastChange - startedAt };
      // Background timers do not run on their own.
      if (end === "steady") timeline.after(idleLeft, "dry run", () => undefined);
      const isOverdue = dueBefore <= timeline.now();
      dueBefore = timeline.lastDue() ?? 0;
      // Everything due at the last check has happened, without effect.
      const isPolled = end === "steps" && isOverdue && dueBefore < timeline.now() + pollMs;
      if (isPolled && timeline.now() - lastChange > quietMs) return { is: "steady", afterMs: lastChange - startedAt };
      if (end === "time") {
        const isQuiet = startedAt + horizonMs - lastChange > quietMs;
        if (isQuiet) return { is: "steady", afterMs: lastChange - startedAt };
        return { is: "horizon", horizonMs, changing: changes.since(timeline.now() - quietMs) };
      }
    }
    return { is: "horizon", horizonMs, changing: changes.since(timeline.now() - quietMs) };
  } finally {
    endChanges();
    endWrites();
  }
}

/** How often each object has changed, and when last. */
class LateChanges {
  #all = new Map<string, ChangingObject & { count: number; at: number }>();

  add({ of, key, at }: StoreChange): void {
    const known = this.#all.get(entryName(of, key));
    if (known === undefined) this.#all.set(entryName(of, key), { of, key, count: 1, at });
    else {
      known.count++;
      known.at = at;
    }
  }

  /** Those that changed after this time, the most frequent first. */
  since(ms: number): readonly ChangingObject[] {
    const late = [...this.#all.values()].filter(({ at }) => at > ms).sort((a, b) => b.count - a.count);
    return late.slice(0, mostChanging).map(({ of, key }) => ({ of, key }));
  }
}
