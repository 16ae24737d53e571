import { describe, expect, test } from "bun:test";
import type { DaemonSet, Node, Pod } from "../../../src/api/types.ts";
import { planRollout } from "../../../src/controllers/daemonset/plan-rollout.ts";
import { daemonSetOf, type DaemonSetParts, going, gpu, inputFor, nodeOf, nodesOf, podOn } from "./objects.ts";

interface Planned {
  readonly create: readonly string[];
  readonly remove: readonly string[];
}

function plan(set: DaemonSet, pods: readonly Pod[], nodes: readonly Node[] = nodesOf(3)): Planned {
  const { create, remove } = planRollout(inputFor(set, { nodes, pods }));
  return { create, remove: remove.map(({ metadata }) => metadata.name.replace("agent-on-", "")) };
}

const boundsOf = (set: DaemonSet, nodes: readonly Node[]): object => planRollout(inputFor(set, { nodes })).bounds;
const nothing = { create: [], remove: [] };
const replacing = (maxUnavailable: number | string, parts: DaemonSetParts = {}): DaemonSet =>
  daemonSetOf({ rolling: { maxUnavailable, maxSurge: 0 }, ...parts });
const surgingBy = (maxSurge: number | string, parts: DaemonSetParts = {}): DaemonSet =>
  daemonSetOf({ rolling: { maxUnavailable: 0, maxSurge }, ...parts });
const oldOn = (set: DaemonSet, node: number, parts: object = {}): Pod =>
  podOn(set, `node-${node}`, { hash: "old", ...parts });
const newOn = (set: DaemonSet, node: number, parts: object = {}): Pod =>
  podOn(set, `node-${node}`, { name: `new-${node}`, ...parts });
const unready = { ready: false } as const;
const tainted = (n: number): Node => nodeOf(`node-${n}`, { taints: [gpu] });

describe("the bounds of a rollout", () => {
  test.each([
    { name: "numbers", rolling: { maxUnavailable: 2, maxSurge: 0 }, bounds: [2, 0] },
    { name: "percentages, rounded up", rolling: { maxUnavailable: "20%", maxSurge: "0%" }, bounds: [1, 0] },
    { name: "a surge in percent, rounded up", rolling: { maxUnavailable: 0, maxSurge: "50%" }, bounds: [0, 2] },
    { name: "without either, one pod at a time", rolling: { maxUnavailable: 0, maxSurge: 0 }, bounds: [1, 0] },
    { name: "0% of both, one pod at a time", rolling: { maxUnavailable: "0%", maxSurge: "0%" }, bounds: [1, 0] },
    { name: "without maxSurge", rolling: { maxUnavailable: 1 }, bounds: [1, 0] },
  ])("are $name", ({ rolling, bounds: [maxUnavailable = 0, maxSurge = 0] }) => {
    const bounds = boundsOf(daemonSetOf({ rolling }), nodesOf(3));
    expect(bounds).toEqual({ maxUnavailable, maxSurge, desired: 3 });
  });

  test("count only the nodes that should run a pod, and are 0 without nodes", () => {
    expect(boundsOf(replacing("50%"), [nodeOf("node-1"), nodeOf("node-2"), tainted(3)])).toEqual({
      maxUnavailable: 1,
      maxSurge: 0,
      desired: 2,
    });
    expect(boundsOf(replacing(0), [tainted(1)])).toEqual({ maxUnavailable: 0, maxSurge: 0, desired: 0 });
  });

  test("that are invalid are an error", () => {
    expect(() => plan(replacing("one"), [])).toThrow(/one/);
    expect(() => plan(daemonSetOf({ rolling: {} }), [])).toThrow(/nil value/);
  });
});

describe("without a surge", () => {
  test("maxUnavailable available old pods are deleted", () => {
    const set = replacing(2);
    expect(plan(set, [oldOn(set, 1), oldOn(set, 2), oldOn(set, 3)])).toEqual({
      create: [],
      remove: ["node-1", "node-2"],
    });
  });

  test("nothing is done when every pod is new", () => {
    const set = replacing(1);
    expect(plan(set, [newOn(set, 1), newOn(set, 2), newOn(set, 3)])).toEqual(nothing);
  });

  test("a new pod that is not available counts against the bound", () => {
    const set = replacing(1);
    expect(plan(set, [oldOn(set, 1), newOn(set, 2, unready), oldOn(set, 3)])).toEqual(nothing);
    const two = replacing(2);
    expect(plan(two, [oldOn(two, 1), newOn(two, 2, unready), oldOn(two, 3)]).remove).toEqual(["node-1"]);
  });

  test("a new pod is available after minReadySeconds", () => {
    const set = replacing(1, { spec: { minReadySeconds: 10 } });
    const after = (readyForMs: number): Planned =>
      plan(set, [newOn(set, 1, { readyForMs }), oldOn(set, 2)], nodesOf(2));
    expect(after(9_999)).toEqual(nothing);
    expect(after(10_000).remove).toEqual(["node-2"]);
  });

  test("old pods that are not available are deleted first, all of them, and count against the bound", () => {
    const set = replacing(1);
    const pods = [oldOn(set, 1), oldOn(set, 2, unready), oldOn(set, 3, unready)];
    expect(plan(set, pods).remove).toEqual(["node-2", "node-3"]);
    const three = replacing(3);
    expect(plan(three, [oldOn(three, 1), oldOn(three, 2, unready), oldOn(three, 3, unready)]).remove).toEqual([
      "node-2",
      "node-3",
      "node-1",
    ]);
  });

  test("a node without a pod counts against the bound if it should run one", () => {
    const set = replacing(1);
    expect(plan(set, [oldOn(set, 1), oldOn(set, 2)])).toEqual(nothing);
    expect(plan(set, [oldOn(set, 1), oldOn(set, 2)], [...nodesOf(2), tainted(3)]).remove).toEqual(["node-1"]);
  });

  test("a node whose pod is being deleted counts against the bound", () => {
    const set = replacing(1);
    expect(plan(set, [oldOn(set, 1, { meta: going }), oldOn(set, 2), oldOn(set, 3)])).toEqual(nothing);
  });

  test("a node with an old and a new pod counts against the bound, and so does a crowded one", () => {
    const set = replacing(1);
    expect(plan(set, [oldOn(set, 1), newOn(set, 1), oldOn(set, 2)], nodesOf(2))).toEqual(nothing);
    const crowd = [oldOn(set, 1), oldOn(set, 1, { name: "other" }), oldOn(set, 2)];
    expect(plan(set, crowd, nodesOf(2))).toEqual(nothing);
    const crowdOfNew = [newOn(set, 1), newOn(set, 1, { name: "other" }), oldOn(set, 2)];
    expect(plan(set, crowdOfNew, nodesOf(2))).toEqual(nothing);
  });

  test("an old pod on a node that only excludes new ones is replaced like others", () => {
    const set = replacing(1);
    expect(plan(set, [oldOn(set, 1)], [tainted(1), ...nodesOf(3).slice(1)])).toEqual(nothing);
    expect(plan(replacing(3), [oldOn(set, 1)], [tainted(1), nodeOf("node-2")]).remove).toEqual(["node-1"]);
  });

  test("the plan has the number of pods of an earlier template, and of those that count against the bound", () => {
    const set = replacing(1);
    const { outdated, counted } = planRollout(
      inputFor(set, { nodes: nodesOf(3), pods: [oldOn(set, 1), oldOn(set, 2, unready)] }),
    );
    expect([outdated, counted]).toEqual([2, 2]);
  });
});

describe("with a surge", () => {
  test("maxSurge nodes with an old pod get a second one", () => {
    const set = surgingBy(2);
    const pods = [oldOn(set, 1), oldOn(set, 2), oldOn(set, 3)];
    expect(plan(set, pods)).toEqual({ create: ["node-1", "node-2"], remove: [] });
  });

  test("nodes whose old pod is not available get one first, all of them", () => {
    const set = surgingBy(1);
    const pods = [oldOn(set, 1), oldOn(set, 2, unready), oldOn(set, 3, unready)];
    expect(plan(set, pods)).toEqual({ create: ["node-2", "node-3", "node-1"], remove: [] });
  });

  test("a second pod that is not available counts against the surge, and the old one stays", () => {
    const set = surgingBy(1);
    expect(plan(set, [oldOn(set, 1), newOn(set, 1, unready), oldOn(set, 2)])).toEqual(nothing);
  });

  test("an old pod is deleted when the new one on its node is available, and the next node gets its new one at once", () => {
    const set = surgingBy(1);
    const pods = [oldOn(set, 1), newOn(set, 1), oldOn(set, 2)];
    expect(plan(set, pods)).toEqual({ create: ["node-2"], remove: ["node-1"] });
  });

  test("a crowded node counts against the surge", () => {
    const set = surgingBy(1);
    const pods = [oldOn(set, 1), oldOn(set, 1, { name: "other" }), oldOn(set, 2)];
    expect(plan(set, pods)).toEqual(nothing);
  });

  test("a node without an old pod is left alone", () => {
    const set = surgingBy(3);
    expect(plan(set, [newOn(set, 1, unready)])).toEqual(nothing);
  });

  test("an old pod that is not available is deleted on a node that should run none", () => {
    const set = surgingBy(1);
    expect(plan(set, [oldOn(set, 1, unready)], [tainted(1)])).toEqual({ create: [], remove: ["node-1"] });
  });

  test("an available pod on a node that should run none is deleted once more pods are available than desired", () => {
    const set = surgingBy(1);
    const nodes = [tainted(1), nodeOf("node-2")];
    expect(plan(set, [oldOn(set, 1), newOn(set, 2, unready)], nodes)).toEqual(nothing);
    expect(plan(set, [oldOn(set, 1), newOn(set, 2)], nodes)).toEqual({ create: [], remove: ["node-1"] });
    const three = [tainted(1), tainted(2), nodeOf("node-3")];
    expect(plan(set, [oldOn(set, 1), oldOn(set, 2), newOn(set, 3, unready)], three).remove).toEqual(["node-1"]);
  });

  test("an old pod of a deleted node is an error", () => {
    const set = surgingBy(1);
    const message = `couldn't get node for nodeName "node-9": node "node-9" not found`;
    expect(() => plan(set, [oldOn(set, 9)])).toThrow(message);
    expect(() => plan(set, [oldOn(set, 9, unready)])).toThrow(message);
  });
});
