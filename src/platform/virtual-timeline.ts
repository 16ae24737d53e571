import { setImmediate as macrotask } from "node:timers";
import { modulesLoaded } from "./module-loads.ts";
import type { Random } from "./random.ts";
import type { Cancel, Timeline } from "./timeline.ts";

/** When a run stops at the latest. */
export interface RunLimit {
  /** Stops before the first hop later than this many milliseconds after the start of the run. */
  readonly ms?: number;
  /** Stops after this many turns. Default 1,000,000: every run is bounded. */
  readonly steps?: number;
}

/**
 * How a run ended. `steady`: no foreground hop or timer is left. `time`: the next one is beyond the limit. `steps`: the turns are used up,
 * usually because of an endless loop.
 */
export type RunEnd = "steady" | "time" | "steps";

/** A timeline whose time passes only in `runUntil`. */
export interface VirtualTimeline extends Timeline {
  /** Runs turn by turn. May be called again to continue. @throws whatever a timer's function throws. */
  runUntil(limit?: RunLimit): Promise<RunEnd>;
  /** When the last foreground hop or timer is due, in ms since 1970; undefined if none is left. */
  lastDue(): number | undefined;
}

interface Hop {
  readonly at: number;
  readonly actor: string;
  /** How many hops this actor has registered before. */
  readonly count: number;
  readonly background: boolean;
  readonly run: () => void;
  cancelled: boolean;
}

const turn = (): Promise<void> => new Promise((resolve) => macrotask(resolve));

/** One turn, or more if a module is loaded in it: what waits for the load continues before the next hop. */
async function settledTurn(): Promise<void> {
  await turn();
  for (let loads = modulesLoaded(); loads !== undefined; loads = modulesLoaded()) {
    await loads;
    await turn();
  }
}

function before(a: Hop, b: Hop): number {
  if (a.actor !== b.actor) return a.actor < b.actor ? -1 : 1;
  return a.count - b.count;
}

/**
 * Virtual time from `startMs`. A turn is one macrotask, in which everything caused by the last hop settles; then
 * `random` chooses one of the ready hops of the earliest time, ordered by actor and count. So neither additional awaits
 * nor the runtime's order of microtasks affect the result.
 */
export function virtualTimeline(startMs: number, random: Random): VirtualTimeline {
  let now = startMs;
  let foreground = 0;
  const counts = new Map<string, number>();
  /** The hops of each time; few distinct times are pending at once, so the earliest is found by a scan of a sorted list. */
  const byTime = new Map<number, Hop[]>();
  const times: number[] = [];

  function place(at: number): Hop[] {
    const here = byTime.get(at);
    if (here !== undefined) return here;
    let low = 0;
    let high = times.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((times[middle] ?? 0) > at) low = middle + 1;
      else high = middle;
    }
    // Descending, so that the earliest is removed from the end.
    times.splice(low, 0, at);
    const fresh: Hop[] = [];
    byTime.set(at, fresh);
    return fresh;
  }

  function register(ms: number, actor: string, run: () => void, background: boolean): Hop {
    const count = (counts.get(actor) ?? 0) + 1;
    counts.set(actor, count);
    const hop: Hop = { at: now + Math.max(0, ms), actor, count, background, run, cancelled: false };
    const here = place(hop.at);
    // Kept sorted by actor and count, so that choosing needs no sorting.
    let low = 0;
    let high = here.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (before(here[middle] as Hop, hop) < 0) low = middle + 1;
      else high = middle;
    }
    here.splice(low, 0, hop);
    if (!background) foreground++;
    return hop;
  }

  function remove(hop: Hop): void {
    if (hop.cancelled) return;
    hop.cancelled = true;
    const here = byTime.get(hop.at) ?? [];
    here.splice(here.indexOf(hop), 1);
    if (!hop.background) foreground--;
    if (here.length > 0) return;
    byTime.delete(hop.at);
    times.splice(times.indexOf(hop.at), 1);
  }

  const hop = (actor: string): Promise<void> => new Promise((resolve) => register(0, actor, resolve, false));
  return {
    now: () => now,
    burstBegan: () => now,
    clocks: () => ({ wall: now, steady: now }),
    hop,
    turn: hop,
    after(ms, actor, fn, options): Cancel {
      const hop = register(ms, actor, fn, options?.background ?? false);
      return () => remove(hop);
    },
    async runUntil(limit) {
      const end = limit?.ms === undefined ? Infinity : now + limit.ms;
      await settledTurn();
      for (let steps = 0; steps < (limit?.steps ?? 1_000_000); steps++) {
        const at = times.at(-1);
        if (at === undefined || foreground === 0) return "steady";
        if (at > end) return "time";
        const ready = byTime.get(at) as Hop[];
        const chosen = ready[Math.floor(random.next() * ready.length)] as Hop;
        remove(chosen);
        now = at;
        chosen.run();
        await settledTurn();
      }
      return "steps";
    },
    // Starts from the latest.
    lastDue: () => times.find((at) => byTime.get(at)?.some(({ background }) => !background) === true),
  };
}
