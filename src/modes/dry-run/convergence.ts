/** Runs a simulated cluster until it has converged, or is known never to. */
import type { RunEnd } from "../../platform/virtual-timeline.ts";
import type { StageEvent } from "../../trace/events.ts";
import { type Loop, Recurrence } from "./recurrence.ts";
import type { SimulatedCluster } from "./simulated-cluster.ts";

/** How a run ended. */
export type Convergence =
  /** Nothing is left to do. `afterMs`: the time of the last change. */
  | { readonly is: "steady"; readonly afterMs: number }
  /** A state recurred again and again despite writes. */
  | { readonly is: "loop"; readonly loop: Loop }
  /** It was still changing after this time. */
  | { readonly is: "horizon"; readonly horizonMs: number };

/** An hour: longer than any back-off or deadline that the user has not set. */
export const defaultHorizonMs = 3_600_000;
/** Retries are at most 16.7 minutes apart: after a longer time without changes, everything has been retried once. */
const quietMs = 1_020_000;
const turnsALook = 2000;
const mostTurns = 20_000_000;

/**
 * Steady: nothing but background timers is left; or, at the horizon, nothing has changed for so long that every retry
 * has happened since.
 */
export async function untilConverged(world: SimulatedCluster, horizonMs: number): Promise<Convergence> {
  const { timeline } = world;
  const startedAt = timeline.now();
  let lastChange = startedAt;
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
      if (end === "steady") return { is: "steady", afterMs: lastChange - startedAt };
      if (end === "time") {
        const isQuiet = startedAt + horizonMs - lastChange > quietMs;
        return isQuiet ? { is: "steady", afterMs: lastChange - startedAt } : { is: "horizon", horizonMs };
      }
    }
    return { is: "horizon", horizonMs };
  } finally {
    endChanges();
    endWrites();
  }
}
