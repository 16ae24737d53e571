import { describe, expect, test } from "bun:test";
import type { DaemonSet, Node, Pod } from "../../../src/api/types.ts";
import { type Counts, countNodes, isCurrent, withCounts } from "../../../src/controllers/daemonset/status.ts";
import { daemonSetOf, gpu, inputFor, nodeOf, nodesOf, pendingPod, podOn } from "./objects.ts";

const set = daemonSetOf();
const count = (pods: readonly Pod[], nodes: readonly Node[] = nodesOf(1), of: DaemonSet = set): Counts =>
  countNodes(inputFor(of, { nodes, pods }));
const tainted = nodeOf("node-1", { taints: [gpu] });

describe("the counts", () => {
  test("are of nodes: those that should run a pod, those that do, and those that do but should not", () => {
    const nodes = [tainted, nodeOf("node-2"), nodeOf("node-3")];
    const counts = count([podOn(set, "node-1"), podOn(set, "node-2"), podOn(set, "node-9")], nodes);
    expect(counts).toEqual({
      desiredNumberScheduled: 2,
      currentNumberScheduled: 1,
      numberMisscheduled: 1,
      numberReady: 1,
      updatedNumberScheduled: 1,
      numberAvailable: 1,
      numberUnavailable: 1,
    });
  });

  test("use the oldest pod of a node, bound ones first", () => {
    const old = podOn(set, "node-1", { name: "b", ready: false, meta: { creationTimestamp: "2026-11-21T08:00:00Z" } });
    expect(count([podOn(set, "node-1", { name: "a" }), old])).toMatchObject({ numberReady: 0, numberAvailable: 0 });
    expect(count([pendingPod(set, "node-1", "a"), podOn(set, "node-1", { name: "b" })])).toMatchObject({
      numberReady: 1,
    });
  });

  test("include pods that are being deleted", () => {
    const pod = podOn(set, "node-1", { meta: { deletionTimestamp: "2026-11-21T09:59:00Z" } });
    expect(count([pod])).toMatchObject({ currentNumberScheduled: 1, numberReady: 1 });
  });

  test("include available pods after minReadySeconds", () => {
    const slow = daemonSetOf({ spec: { minReadySeconds: 10 } });
    const after = (readyForMs: number): Counts => count([podOn(slow, "node-1", { readyForMs })], nodesOf(1), slow);
    expect(after(9_999)).toMatchObject({ numberReady: 1, numberAvailable: 0, numberUnavailable: 1 });
    expect(after(10_000)).toMatchObject({ numberReady: 1, numberAvailable: 1, numberUnavailable: 0 });
  });

  test("of updated pods compare the template", () => {
    expect(count([podOn(set, "node-1", { hash: "old" })])).toMatchObject({ updatedNumberScheduled: 0 });
  });
});

describe("the status", () => {
  const counts = count([podOn(set, "node-1")]);
  const of = (status: object, generation = 1): DaemonSet => daemonSetOf({ meta: { generation }, status });
  const same = withCounts(undefined, { counts, observedGeneration: 1 });

  test("is current with these counts and the observed generation", () => {
    expect(isCurrent(of(same), counts)).toBe(true);
    expect(isCurrent(of({ ...same, observedGeneration: 2 }), counts)).toBe(true);
    expect(isCurrent(of(same, 2), counts)).toBe(false);
  });

  test.each(Object.keys(counts) as (keyof Counts)[])("is not current with another %s", (field) => {
    expect(isCurrent(of({ ...same, [field]: 7 }), counts)).toBe(false);
  });

  test("omits the zeros that Go omits, and keeps unknown fields", () => {
    const conditions = [{ type: "Odd", status: "True" }];
    const none = count([], []);
    expect(withCounts({ ...same, collisionCount: 0, conditions }, { counts: none, observedGeneration: 0 })).toEqual({
      currentNumberScheduled: 0,
      numberMisscheduled: 0,
      desiredNumberScheduled: 0,
      numberReady: 0,
      collisionCount: 0,
      conditions,
    });
    expect(Object.keys(withCounts(undefined, { counts, observedGeneration: 3 }))).not.toContain("collisionCount");
  });
});
