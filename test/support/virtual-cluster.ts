/** An embedded API server on virtual time, with a bus whose events are kept. */
import type { Client } from "../../src/client/api/verbs.ts";
import { createClient } from "../../src/client/api/client.ts";
import { type Random, seededRandom } from "../../src/platform/random.ts";
import { virtualTimeline, type VirtualTimeline } from "../../src/platform/virtual-timeline.ts";
import { createSandbox, type Sandbox } from "../../src/sandbox/sandbox.ts";
import { TraceBus } from "../../src/trace/bus.ts";
import type { Stage, StageEvent } from "../../src/trace/events.ts";

export interface VirtualCluster {
  readonly timeline: VirtualTimeline;
  readonly random: Random;
  readonly bus: TraceBus;
  readonly sandbox: Sandbox;
  clientFor(name: string): Client;
  /** The events of a stage so far. */
  events<S extends Stage>(stage: S): readonly Extract<StageEvent, { readonly stage: S }>[];
  /** Runs until nothing is left to do, for `ms` of virtual time at most, and returns the promise's value. */
  settle<T>(promise: Promise<T>, ms?: number): Promise<T>;
}

/** The virtual clock starts at 2026-01-01T00:00:00Z. */
export const virtualStart: number = Date.UTC(2026, 0, 1);

export async function virtualCluster(seed = 1): Promise<VirtualCluster> {
  const timeline = virtualTimeline(virtualStart, seededRandom(seed));
  const random = seededRandom(seed + 1);
  const bus = new TraceBus({ now: () => timeline.now() });
  const kept: StageEvent[] = [];
  bus.listen((event) => kept.push(event));
  const sandbox = await createSandbox({ timeline, random });
  return {
    timeline,
    random,
    bus,
    sandbox,
    clientFor: (name) =>
      createClient({ transport: sandbox.transport({ actor: name }), bus, timeline, fieldManager: name }),
    events: (stage) =>
      kept.filter((event): event is Extract<StageEvent, { stage: typeof stage }> => event.stage === stage),
    async settle(promise, ms = 60_000) {
      let settled = false;
      const done = promise.finally(() => (settled = true));
      // Prevents an unhandled rejection before the promise is returned.
      done.catch(() => undefined);
      const end = await timeline.runUntil({ ms });
      if (!settled) throw new Error(`nothing more happens (${end}), and the promise is still open`);
      return done;
    },
  };
}
