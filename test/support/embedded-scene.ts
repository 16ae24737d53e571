/** An embedded cluster on virtual time, with a client that observes it and changes objects. */
import type { Kind } from "../../src/api/kind.ts";
import type { StoredObject } from "../../src/api/object.ts";
import type { Client } from "../../src/client/api/verbs.ts";
import { type Embedded, type EmbeddedOptions, startEmbedded } from "../../src/modes/run/embedded.ts";
import { seededRandom } from "../../src/platform/random.ts";
import { type RunEnd, virtualTimeline, type VirtualTimeline } from "../../src/platform/virtual-timeline.ts";
import { TraceBus } from "../../src/trace/bus.ts";
import type { StageEvent } from "../../src/trace/events.ts";

export interface EmbeddedScene {
  readonly cluster: Embedded;
  readonly timeline: VirtualTimeline;
  readonly you: Client;
  readonly events: readonly StageEvent[];
  /** Runs the cluster for `ms` of virtual time, or until only heartbeats are left. */
  run(ms: number): Promise<RunEnd>;
  /** Runs the cluster until the promise has settled, for a virtual minute at most. */
  during<T>(promise: Promise<T>): Promise<T>;
  list<T extends StoredObject>(kind: Kind<T>, namespace?: string): Promise<readonly T[]>;
  stop(): Promise<void>;
}

/** 2026-01-01T00:00:00Z */
export const embeddedStart: number = Date.UTC(2026, 0, 1);

export async function embeddedScene(
  options: Partial<EmbeddedOptions> & { readonly seed?: number; readonly startMs?: number } = {},
): Promise<EmbeddedScene> {
  const { seed = 1, startMs = embeddedStart, ...rest } = options;
  const timeline = virtualTimeline(startMs, seededRandom(seed));
  const bus = new TraceBus({ now: () => timeline.now() });
  const events: StageEvent[] = [];
  bus.listen((event) => void events.push(event));
  const during = async <T>(promise: Promise<T>): Promise<T> => {
    const progress = { settled: false };
    const end = (): void => void (progress.settled = true);
    promise.then(end, end);
    for (let turns = 0; !progress.settled && turns < 60_000; turns++) {
      await timeline.runUntil({ ms: 60_000, steps: 1 });
    }
    if (!progress.settled) throw new Error("it did not come to an end within a virtual minute");
    return promise;
  };
  const cluster = await during(startEmbedded({ timeline, random: seededRandom(seed + 1), bus, freeze: true, ...rest }));
  const you = cluster.clientFor("you");
  return {
    cluster,
    timeline,
    you,
    events,
    run: (ms) => timeline.runUntil({ ms, steps: 500_000 }),
    during,
    list: async (kind, namespace = "default") => (await during(you.list(kind, { namespace }))).items,
    stop: () => during(cluster.stop()),
  };
}
