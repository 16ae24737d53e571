/** When a cluster counts as steady, on virtual time. */
import { describe, expect, test } from "bun:test";
import { kindOf } from "../../../src/api/kind.ts";
import { createClient } from "../../../src/client/api/client.ts";
import type { Client } from "../../../src/client/api/verbs.ts";
import { Movement, type Resting } from "../../../src/modes/rehearsal/movement.ts";
import { seededRandom } from "../../../src/platform/random.ts";
import { virtualTimeline, type VirtualTimeline } from "../../../src/platform/virtual-timeline.ts";
import { createSandbox, type Sandbox } from "../../../src/sandbox/sandbox.ts";
import { TraceBus } from "../../../src/trace/bus.ts";

const ConfigMaps = kindOf({ group: "", version: "v1", kind: "ConfigMap", plural: "configmaps", namespaced: true });
const patience = { quietMs: 2000, timeoutMs: 60_000 };
const resting: Resting = { isIdle: () => true, nextDueAt: () => undefined, check: () => undefined };

interface Scene {
  readonly timeline: VirtualTimeline;
  readonly sandbox: Sandbox;
  readonly bus: TraceBus;
  readonly client: Client;
  readonly movement: Movement;
}

async function scene(): Promise<Scene> {
  const timeline = virtualTimeline(Date.parse("2026-01-01T00:00:00Z"), seededRandom(1));
  const bus = new TraceBus({ now: () => timeline.now() });
  const sandbox = await createSandbox({ timeline, random: seededRandom(1) });
  const client = createClient({ transport: sandbox.transport({ actor: "test" }), bus, timeline });
  return { timeline, sandbox, bus, client, movement: new Movement({ sandbox, bus, timeline }) };
}

async function ended<T>(timeline: VirtualTimeline, promise: Promise<T>): Promise<T> {
  const progress = { isOver: false };
  const end = (): void => void (progress.isOver = true);
  promise.then(end, end);
  while (!progress.isOver) await timeline.runUntil({ steps: 1 });
  return promise;
}

/** Writes the object `times` times, every `everyMs`. */
function writes({ timeline, client }: Scene, { everyMs, times }: { everyMs: number; times: number }): void {
  let count = 0;
  const write = (): void => {
    if (count++ >= times) return;
    const patch = { type: "merge", body: { data: { turn: String(count % 2) } } } as const;
    void client.patch(ConfigMaps, { namespace: "default", name: "a" }, patch);
    timeline.after(everyMs, "writes", write);
  };
  timeline.after(everyMs, "writes", write);
}

async function withMap(): Promise<Scene> {
  const made = await scene();
  await ended(made.timeline, made.client.create(ConfigMaps, { metadata: { namespace: "default", name: "a" } }));
  return made;
}

describe("steady", () => {
  test("is two seconds after the last change", async () => {
    const at = await withMap();
    writes(at, { everyMs: 1500, times: 3 });
    const end = await ended(at.timeline, at.movement.untilQuiet(resting, patience));
    expect(end.is).toBe("steady");
    expect(end.is === "steady" && Math.round(end.afterMs / 500) * 500).toBe(4500);
  });

  test("is not while a controller has something to do, or will within the time", async () => {
    const at = await withMap();
    const begin = at.timeline.now();
    const busy: Resting = {
      ...resting,
      isIdle: () => at.timeline.now() - begin > 5000,
      nextDueAt: () => (at.timeline.now() - begin < 9000 ? begin + 9000 : begin + 600_000),
    };
    const end = await ended(at.timeline, at.movement.untilQuiet(busy, patience));
    expect(end.is).toBe("steady");
    expect(at.timeline.now() - begin).toBeGreaterThanOrEqual(9000);
    expect(at.timeline.now() - begin).toBeLessThan(10_000);
  });

  test("is not while a program sends new requests; polling does not count", async () => {
    const at = await withMap();
    const begin = at.timeline.now();
    let count = 0;
    const emitRequest = (): void => {
      const uri = `/api/v1/namespaces/default/configmaps/${Math.min(++count, 5)}`;
      const common = { agent: "p", verb: "get", key: "", status: 200, auditId: "", ms: 0, sent: 0, received: 0 };
      at.bus.emit({ stage: "request", ...common, uri, sentAt: at.timeline.now() });
      at.timeline.after(1000, "asks", emitRequest, { background: true });
    };
    emitRequest();
    expect((await ended(at.timeline, at.movement.untilQuiet(resting, patience))).is).toBe("steady");
    expect(Math.round((at.timeline.now() - begin) / 1000)).toBe(6);
  });
});

test("changes for longer than the time are not steady", async () => {
  const at = await withMap();
  writes(at, { everyMs: 1500, times: 45 });
  const end = await ended(at.timeline, at.movement.untilQuiet(resting, patience));
  expect(end).toEqual({ is: "horizon", horizonMs: 60_000 });
});

test("a cycle is a loop, with the object and the field", async () => {
  const at = await withMap();
  writes(at, { everyMs: 10, times: 1000 });
  const end = await ended(at.timeline, at.movement.untilQuiet(resting, patience));
  expect(end).toMatchObject({ is: "loop", loop: { objects: [{ of: { kind: "ConfigMap" }, key: "default/a" }] } });
});

test("a check that throws ends it", async () => {
  const at = await withMap();
  const check = (): void => {
    throw new Error("it has ended");
  };
  const ending = ended(at.timeline, at.movement.untilQuiet({ ...resting, check }, patience));
  expect(await ending.catch(String)).toBe("Error: it has ended");
});
