import { describe, expect, test } from "bun:test";
import type { StoredObject } from "../../../src/api/object.ts";
import type { ObjectDelta } from "../../../src/cache/delta-queue.ts";
import type { DeltaType } from "../../../src/trace/names.ts";
import { OwnerGate, type Missed } from "../../../src/modes/fork/owner-gate.ts";
import { seededRandom } from "../../../src/platform/random.ts";
import { virtualTimeline, type VirtualTimeline } from "../../../src/platform/virtual-timeline.ts";

const of = { group: "", kind: "ConfigMap" };
const managed = (manager: string): object => ({ manager, operation: "Update", fieldsV1: {} });
const live = {
  metadata: { name: "a", uid: "1", resourceVersion: "1", creationTimestamp: "", managedFields: [managed("mine")] },
};

function scene(): {
  timeline: VirtualTimeline;
  gate: OwnerGate;
  put: () => void;
  passed: () => number;
  missed: Missed[];
  run: (ms: number) => Promise<unknown>;
} {
  const timeline = virtualTimeline(0, seededRandom(1));
  const missed: Missed[] = [];
  const gate = new OwnerGate({ timeline, onMissed: (one) => void missed.push(one) });
  let passed = 0;
  const sink = {
    filled: Promise.resolve(),
    replace: () => undefined,
    bookmark: () => undefined,
    put: () => void passed++,
  };
  const gated = gate.around({ of, sink, here: () => undefined, stateOf: () => "untouched" });
  gate.learn("mine");
  const delta = { key: "a", object: live, receivedAt: 0, tombstone: false, managedFields: undefined } as const;
  return {
    timeline,
    gate,
    put: () => gated.put({ type: "Added", ...delta }),
    passed: () => passed,
    missed,
    run(ms) {
      // Virtual time passes only while a timer is pending.
      timeline.after(ms, "test", () => undefined);
      return timeline.runUntil({ ms });
    },
  };
}

test("a change is held until the process has been idle for a second", async () => {
  const { gate, put, passed, missed, run } = scene();
  put();
  await run(900);
  gate.requested()();
  await run(900);
  expect([passed(), gate.held]).toEqual([0, 1]);
  await run(200);
  expect([passed(), missed.length]).toEqual([1, 1]);
});

test("during a request it is held, for ten seconds at most", async () => {
  const { gate, put, passed, run } = scene();
  const responded = gate.requested();
  put();
  await run(9000);
  expect(passed()).toBe(0);
  await run(1500);
  expect(passed()).toBe(1);
  responded();
});

test("an open gate holds nothing, and releases what it held", () => {
  const { gate, put, passed, missed } = scene();
  put();
  gate.open();
  put();
  expect([passed(), missed.length]).toEqual([2, 0]);
});

describe("deletions, whose author is unknown", () => {
  const owned = (name: string, uid: string, generateName?: string): StoredObject => ({
    metadata: {
      name,
      uid,
      resourceVersion: "1",
      creationTimestamp: "",
      managedFields: [managed("mine")],
      ownerReferences: [{ apiVersion: "apps/v1", kind: "ReplicaSet", name: "web", uid: "owner", controller: true }],
      ...(generateName !== undefined && { generateName }),
    },
  });
  const change = (type: DeltaType, object: StoredObject): ObjectDelta<StoredObject> => ({
    type,
    key: object.metadata.name,
    object,
    receivedAt: 0,
    tombstone: false,
    managedFields: undefined,
  });

  /** A gate in front of a map of the fork's objects. */
  function forkOf(objects: readonly StoredObject[]): {
    readonly put: (type: DeltaType, object: StoredObject) => void;
    readonly here: () => readonly string[];
    readonly missed: readonly Missed[];
    readonly run: (ms: number) => Promise<unknown>;
  } {
    const { timeline, gate, missed, run } = scene();
    const here = new Map(objects.map((object) => [object.metadata.name, object]));
    const sink = {
      filled: Promise.resolve(),
      replace: () => undefined,
      bookmark: () => undefined,
      put({ type, key, object }: ObjectDelta<StoredObject>) {
        if (type === "Deleted") here.delete(key);
        else here.set(key, object);
      },
    };
    const gated = gate.around({ of, sink, here: (key) => here.get(key), stateOf: () => "untouched" });
    // A change that the copy may react to.
    timeline.after(0, "test", () => gated.put(change("Updated", stranger)));
    return { put: (type, object) => gated.put(change(type, object)), here: () => [...here.keys()], missed, run };
  }

  const stranger: StoredObject = {
    metadata: {
      name: "other",
      uid: "9",
      resourceVersion: "1",
      creationTimestamp: "",
      managedFields: [managed("theirs")],
    },
  };

  test("soon after a change are attributed to the copy", async () => {
    const { put, here, missed, run } = forkOf([owned("a", "1")]);
    await run(100);
    put("Deleted", owned("a", "1"));
    expect(here()).toContain("a");
    await run(1500);
    expect(here()).not.toContain("a");
    expect(missed).toMatchObject([{ by: "copy", key: "a", live: undefined }]);
  });

  test("without a change that the copy could have reacted to are attributed to others", async () => {
    const { put, here, missed, run } = forkOf([owned("a", "1"), owned("b", "2")]);
    await run(2000);
    put("Deleted", owned("a", "1"));
    put("Deleted", owned("b", "2"));
    expect(here()).toEqual(["other"]);
    await run(1500);
    expect(missed).toEqual([]);
  });

  test.each([
    ["the same name", owned("a", "2")],
    ["another generated name", owned("web-x7k2p", "2", "web-")],
  ])("what the copy creates again at once, under %s, somebody else deleted", async (_name, created) => {
    const deleted = created.metadata.generateName === undefined ? owned("a", "1") : owned("web-b4c5d", "1", "web-");
    const { put, here, missed, run } = forkOf([deleted]);
    await run(100);
    put("Deleted", deleted);
    put("Added", created);
    // The deletion is visible, and the creation is left to the process.
    expect(here()).toEqual(["other"]);
    await run(1500);
    expect(missed).toMatchObject([{ by: "copy", key: created.metadata.name, before: undefined, live: created }]);
  });

  test("with a grace period start at its beginning", async () => {
    const { put, here, missed, run } = forkOf([owned("web-b4c5d", "1", "web-")]);
    await run(100);
    const object = owned("web-b4c5d", "1", "web-");
    put("Updated", { ...object, metadata: { ...object.metadata, deletionTimestamp: "2026-01-01T00:00:00Z" } });
    expect(missed).toEqual([]);
    await run(1500);
    expect(missed).toMatchObject([{ by: "copy", key: "web-b4c5d", live: undefined }]);
    expect(here()).toContain("web-b4c5d");
  });

  test("of dependents are made by the garbage collector", async () => {
    const owner: StoredObject = {
      metadata: { name: "web", uid: "owner", resourceVersion: "1", creationTimestamp: "" },
    };
    const { put, here, run, missed } = forkOf([owner, owned("a", "1")]);
    await run(100);
    put("Deleted", owner);
    put("Deleted", owned("a", "1"));
    expect(here()).toEqual(["other"]);
    await run(1500);
    expect(missed).toEqual([]);
  });
});

test("a change that only removed something may be the copy's: it is held, and not reported as missed by the copy", async () => {
  const { gate, run, missed } = scene();
  const withData = { ...live, data: { a: "1", extra: "2" } };
  let passed = 0;
  const sink = {
    filled: Promise.resolve(),
    replace: () => undefined,
    bookmark: () => undefined,
    put: () => void passed++,
  };
  const gated = gate.around({ of, sink, here: () => withData, stateOf: () => "untouched" });
  gated.put({
    type: "Updated",
    key: "a",
    object: { ...live, data: { a: "1" } } as StoredObject,
    receivedAt: 0,
    tombstone: false,
    managedFields: undefined,
  });
  expect(passed).toBe(0);
  await run(1500);
  expect([passed, missed.map(({ by }) => by)]).toEqual([1, ["unknown"]]);
});
