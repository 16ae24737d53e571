/** Runs a world until it is steady, or it is known that it never will be. */
import type { RunEnd } from "../../platform/virtual-timeline.ts";
import type { StageEvent } from "../../trace/events.ts";
import { type Loop, Recurrence } from "./recurrence.ts";
import type { SimulatedCluster } from "./simulated-cluster.ts";

export type Convergence =
  /** Nothing is left to do. `afterMs`: until the last change. */
  | { readonly is: "steady"; readonly afterMs: number }
  /** A state came back after writes, again and again. */
  | { readonly is: "loop"; readonly loop: Loop }
  /** After this time it was still changing. */
  | { readonly is: "horizon"; readonly horizonMs: number };

/** An hour: longer than any back-off or deadline that is not set by the user. */
export const defaultHorizonMs = 3_600_000;
/** Retries come after 16.7 minutes at most: whoever has not changed anything for longer has tried everything once. */
const quietMs = 1_020_000;
const turnsALook = 2000;
const mostTurns = 20_000_000;

/**
 * Steady: nothing is left but background timers; or, at the horizon, nothing has changed for so long that whatever is tried
 * again has been tried since.
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
