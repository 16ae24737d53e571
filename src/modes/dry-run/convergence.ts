/** Runs a simulated cluster until it has converged, or is known never to converge. */
import type { RunEnd } from "../../platform/virtual-timeline.ts";
import type { StageEvent } from "../../trace/events.ts";
import type { KindName } from "../../trace/names.ts";
import { type LaterChange, LookAhead } from "./look-ahead.ts";
import { type ChangingObject, type Loop, Recurrence } from "./recurrence.ts";
import type { SimulatedCluster } from "./simulated-cluster.ts";

/** How a run ended. */
export type Convergence =
  /**
   * Nothing is left to do. `afterMs`: the time of the last change. `next`: what a timer that is left changes in a status after
   * the run.
   */
  | { readonly is: "steady"; readonly afterMs: number; readonly next?: LaterChange }
  /** A state recurred again and again despite writes, or something is written without end while no time passes. */
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
/** For a look ahead. */
const fewTurns = 1_000_000;

/** How long a run lasts. Virtual times, in milliseconds. */
export interface RunTimes {
  readonly horizonMs: number;
  /** How long nothing may change before it counts as steady, so that periodic checks are covered. Default 0. */
  readonly idleMs?: number;
  /** Called when the run has ended and the cluster goes on, to see what would change next. */
  readonly onEnd?: () => void;
}

/**
 * Steady: nothing but background timers is left, and nothing has changed for `idleMs`; or nothing has changed for so long that every retry
 * has happened since, and what is left is only polled or the horizon is reached. If timers are left at the horizon, the cluster goes on:
 * it was steady if they change no more than a status.
 */
export async function untilConverged(world: SimulatedCluster, times: RunTimes): Promise<Convergence> {
  const { horizonMs, idleMs = 0 } = times;
  const { timeline } = world;
  const startedAt = timeline.now();
  const recurrence = new Recurrence();
  const run = { world, recurrence, idleMs, lastChange: startedAt };
  const ends = [
    world.onChange((change) => {
      if (recurrence.accept(change)) run.lastChange = change.at;
    }),
    world.bus.listen(
      (event: StageEvent) => {
        if (event.stage === "write") recurrence.wrote(event);
        if (event.stage === "done") recurrence.synced(event, (controller) => kindOf(world, controller));
      },
      { stages: ["write", "done"] },
    ),
  ];
  try {
    const end = await runFor(run, { ms: horizonMs, turns: mostTurns });
    if (recurrence.loop !== undefined) return { is: "loop", loop: recurrence.loop };
    const afterMs = run.lastChange - startedAt;
    if (end === "steady") return { is: "steady", afterMs };
    const changing = recurrence.changedSince(timeline.now() - quietMs);
    if (end !== "time") return { is: "horizon", horizonMs, changing };
    times.onEnd?.();
    const ahead = new LookAhead(world);
    const later = await runFor(run, { ms: defaultHorizonMs, turns: fewTurns, isOver: () => ahead.isMoving });
    ahead.end();
    if (ahead.isMoving || (later !== "steady" && ahead.next !== undefined))
      return { is: "horizon", horizonMs, changing };
    return { is: "steady", afterMs, ...(ahead.next !== undefined && { next: ahead.next }) };
  } finally {
    for (const end of ends) end();
  }
}

function kindOf({ manager }: SimulatedCluster, controller: string): KindName {
  const found = manager.controllers.find(({ definition }) => definition.name === controller);
  const { group = "", kind = "" } = found?.definition.for ?? {};
  return { group, kind };
}

interface Running {
  readonly world: SimulatedCluster;
  readonly recurrence: Recurrence;
  readonly idleMs: number;
  /** When something last changed, in ms since 1970. */
  lastChange: number;
}

interface Limit {
  readonly ms: number;
  readonly turns: number;
  readonly isOver?: () => boolean;
}

/** Runs until it is steady, the time or the turns are used up, or there is a loop or something else that ends it. */
async function runFor(run: Running, { ms, turns: most, isOver }: Limit): Promise<"steady" | "time" | "turns" | "over"> {
  const { timeline } = run.world;
  const startedAt = timeline.now();
  let dueBefore = Infinity;
  for (let turns = 0; turns < most; turns += turnsALook) {
    const left = startedAt + ms - timeline.now();
    const end: RunEnd = await timeline.runUntil({ ms: Math.max(0, left), steps: turnsALook });
    if (run.recurrence.loop !== undefined || isOver?.() === true) return "over";
    const idleLeft = run.lastChange + run.idleMs - timeline.now();
    if (end === "steady" && idleLeft <= 0) return "steady";
    // Background timers do not run on their own.
    if (end === "steady") timeline.after(idleLeft, "dry run", () => undefined);
    const isOverdue = dueBefore <= timeline.now();
    dueBefore = timeline.lastDue() ?? 0;
    // Everything due at the last check has happened, without effect.
    const isPolled = end === "steps" && isOverdue && dueBefore < timeline.now() + pollMs;
    const isQuiet = timeline.now() - run.lastChange > quietMs;
    if (isPolled && isQuiet) return "steady";
    if (end === "time") return startedAt + ms - run.lastChange > quietMs ? "steady" : "time";
  }
  return "turns";
}
