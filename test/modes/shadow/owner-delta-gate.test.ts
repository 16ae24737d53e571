import { describe, expect, test } from "bun:test";
import type { StoredObject } from "../../../src/api/object.ts";
import type { DeltaQueue, ObjectDelta } from "../../../src/cache/delta-queue.ts";
import { OwnerDeltaGate } from "../../../src/modes/shadow/owner-delta-gate.ts";
import { seededRandom } from "../../../src/platform/random.ts";
import { virtualTimeline } from "../../../src/platform/virtual-timeline.ts";

interface Scene {
  readonly queueOf: (kind: string) => DeltaQueue<StoredObject>;
  readonly put: (queue: DeltaQueue<StoredObject>, name: string, type?: "Added" | "Updated") => void;
  /** Names of the objects that were passed on to a store, in order. */
  readonly taken: readonly string[];
  readonly pass: (ms: number) => Promise<void>;
  busy: boolean;
}

function sceneOf(): Scene {
  const timeline = virtualTimeline(0, seededRandom(1));
  const taken: string[] = [];
  const queues: DeltaQueue<StoredObject>[] = [];
  const scene = { busy: false };
  const inStep = new OwnerDeltaGate({
    timeline,
    isIdle: () => !scene.busy,
    ownedKinds: new Set(["Pod"]),
    onApplied: ({ key }) => void taken.push(key),
  });
  const known = { get: () => undefined, entries: () => [] };
  const popAll = (): void => {
    for (const queue of queues) while (queue.pop(() => undefined));
  };
  return Object.assign(scene, {
    taken,
    queueOf(kind: string) {
      const queue = inStep.createQueue({ of: { group: "", kind }, known, now: () => timeline.now(), wake: popAll });
      queues.push(queue);
      return queue;
    },
    put(queue: DeltaQueue<StoredObject>, name: string, type: "Added" | "Updated" = "Added") {
      const metadata = { name, uid: name, resourceVersion: "1", creationTimestamp: "" };
      const rest = { receivedAt: timeline.now(), tombstone: false, managedFields: undefined };
      queue.put({ type, key: name, object: { metadata }, ...rest } satisfies ObjectDelta<StoredObject>);
    },
    async pass(ms: number) {
      timeline.after(ms, "test", () => undefined);
      await timeline.runUntil({ ms });
    },
  });
}

describe("in step with the owner", () => {
  test("deltas that cannot be the owner's reaction pass at once, possible ones wait briefly for their cause", async () => {
    const scene = sceneOf();
    const [sets, pods] = [scene.queueOf("ReplicaSet"), scene.queueOf("Pod")];
    scene.put(pods, "pod");
    scene.put(sets, "set");
    expect(scene.taken).toEqual(["set"]);
    await scene.pass(19);
    expect(scene.taken).toEqual(["set"]);
    await scene.pass(2);
    expect(scene.taken).toEqual(["set", "pod"]);
  });

  test("during syncs it keeps waiting, but no longer than a second", async () => {
    const scene = sceneOf();
    const pods = scene.queueOf("Pod");
    scene.busy = true;
    scene.put(pods, "pod");
    await scene.pass(990);
    expect(scene.taken).toEqual([]);
    await scene.pass(15);
    expect(scene.taken).toEqual(["pod"]);
  });

  test("a delta after a waiting one keeps its place", async () => {
    const scene = sceneOf();
    const sets = scene.queueOf("ReplicaSet");
    // An update of an unknown object: its creation must be just before it.
    scene.put(sets, "status", "Updated");
    scene.put(sets, "new");
    expect(scene.taken).toEqual([]);
    await scene.pass(25);
    expect(scene.taken).toEqual(["status", "new"]);
  });
});
