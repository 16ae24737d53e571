/** Runs a simulated cluster until it has converged, or is known never to converge. */
import type { RunEnd } from "../../platform/virtual-timeline.ts";
import type { StageEvent } from "../../trace/events.ts";
import { type ChangingObject, type Loop, Recurrence } from "./recurrence.ts";
import type { SimulatedCluster } from "./simulated-cluster.ts";

/** How a run ended. */
export type Convergence =
  /** Nothing is left to do. `afterMs`: the time of the last change. */
  | { readonly is: "steady"; readonly afterMs: number }
  /** A state recurred again and again despite writes. */
  | { readonly is: "loop"; readonly loop: Loop }
  /** It was still changing after this time; `changing`: what changed most often of late, unless the run is in real time. */
  | { readonly is: "horizon"; readonly horizonMs: number; readonly changing?: readonly ChangingObject[] };

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
  const endChanges = world.onChange((change) => {
    if (recurrence.accept(change)) lastChange = change.at;
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
        return { is: "horizon", horizonMs, changing: recurrence.changedSince(timeline.now() - quietMs) };
      }
    }
    return { is: "horizon", horizonMs, changing: recurrence.changedSince(timeline.now() - quietMs) };
  } finally {
    endChanges();
    endWrites();
  }
}
