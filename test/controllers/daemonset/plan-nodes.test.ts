import { describe, expect, test } from "bun:test";
import type { DaemonSet, Pod } from "../../../src/api/types.ts";
import { oldestFirst } from "../../../src/controllers/daemonset/daemon-pods.ts";
import { planNodes } from "../../../src/controllers/daemonset/plan-nodes.ts";
import { daemonSetOf, going, gpu, inputFor, nodeOf, nodesOf, pendingPod, podOn, surging } from "./objects.ts";

const set = daemonSetOf();
const surge = daemonSetOf({ rolling: surging });
const [one] = nodesOf(1) as [ReturnType<typeof nodeOf>];
const noExecute = nodeOf("node-1", { taints: [{ key: "full", effect: "NoExecute" }] });
const noSchedule = nodeOf("node-1", { taints: [gpu] });

interface Planned {
  readonly create: readonly string[];
  /** Entries such as `misplaced agent-on-node-1`. */
  readonly remove: readonly string[];
}

function plan(of: DaemonSet, pods: readonly Pod[], nodes = [one]): Planned {
  const { create, remove } = planNodes(inputFor(of, { nodes, pods }));
  return { create, remove: remove.map(({ pod, why }) => `${why} ${pod.metadata.name}`) };
}

const pod = (name: string, parts: object = {}, of: DaemonSet = set): Pod => podOn(of, "node-1", { name, ...parts });
const created = (time: string): object => ({ meta: { creationTimestamp: `2026-11-21T${time}Z` } });
const nothing = { create: [], remove: [] };

describe("without a surge", () => {
  test("each node without a pod gets one, in the order of the nodes", () => {
    expect(plan(set, [podOn(set, "node-2")], nodesOf(3))).toEqual({ create: ["node-1", "node-3"], remove: [] });
  });

  test("a node with its pod gets none, whether bound or not", () => {
    expect(plan(set, [pod("a")])).toEqual(nothing);
    expect(plan(set, [pendingPod(set, "node-1")])).toEqual(nothing);
  });

  test("a node whose pod is being deleted gets none until it is gone", () => {
    expect(plan(set, [pod("a", { meta: going })])).toEqual(nothing);
  });

  test("a node that should run no pod gets none", () => {
    expect(plan(set, [], [noSchedule])).toEqual(nothing);
    expect(plan(set, [], [noExecute])).toEqual(nothing);
  });

  test("a pod on a node that should not keep it is deleted, whatever its phase, unless it is being deleted", () => {
    const pods = [pod("a"), pod("b", { phase: "Failed" }), pod("c", { meta: going })];
    expect(plan(set, pods, [noExecute])).toEqual({ create: [], remove: ["misplaced a", "misplaced b"] });
  });

  test("a pod stays on a node that only excludes new ones", () => {
    expect(plan(set, [pod("a")], [noSchedule])).toEqual(nothing);
  });

  test("failed and succeeded pods are deleted, even if no new one would be created", () => {
    const pods = [pod("a", { phase: "Failed" }), pod("b", { phase: "Succeeded" })];
    expect(plan(set, pods)).toEqual({ create: [], remove: ["failed a", "succeeded b"] });
    expect(plan(set, pods, [noSchedule])).toEqual({ create: [], remove: ["failed a", "succeeded b"] });
  });

  test("finished pods that are being deleted are left alone", () => {
    expect(plan(set, [pod("a", { phase: "Failed", meta: going })])).toEqual(nothing);
  });

  test("of several pods the oldest stays", () => {
    const pods = [pod("a", created("09:00:02")), pod("b", created("09:00:01")), pod("c", created("09:00:03"))];
    expect(plan(set, pods)).toEqual({ create: [], remove: ["excess a", "excess c"] });
  });

  test("a finished pod does not count as the oldest", () => {
    const pods = [pod("a", { phase: "Failed", ...created("09:00:01") }), pod("b", created("09:00:02"))];
    expect(plan(set, pods)).toEqual({ create: [], remove: ["failed a"] });
  });

  test("unbound pods for a node that does not exist are deleted; bound ones are left alone", () => {
    const pods = [pod("a"), pendingPod(set, "node-9", "b"), podOn(set, "node-8", { name: "c" })];
    expect(plan(set, pods)).toEqual({ create: [], remove: ["no node b"] });
  });
});

describe("with a surge", () => {
  const old = (name: string, parts: object = {}): Pod => pod(name, { hash: "old", ...parts }, surge);
  const current = (name: string, parts: object = {}): Pod => pod(name, parts, surge);

  test("a node whose pods are all being deleted gets one at once, if it should run one", () => {
    expect(plan(surge, [old("a", { meta: going })])).toEqual({ create: ["node-1"], remove: [] });
    expect(plan(surge, [old("a", { meta: going })], [noSchedule])).toEqual(nothing);
  });

  test("a node whose pod has failed gets another one at once", () => {
    expect(plan(surge, [current("a", { phase: "Failed" })])).toEqual({ create: ["node-1"], remove: ["failed a"] });
  });

  test("one pod stays, of either template", () => {
    expect(plan(surge, [old("a")])).toEqual(nothing);
    expect(plan(surge, [current("a")])).toEqual(nothing);
  });

  test("an old pod stays beside a new one that is not ready", () => {
    expect(plan(surge, [old("a"), current("b", { ready: false })])).toEqual(nothing);
  });

  test("an old pod that is not ready is deleted, though the new one is not ready either", () => {
    const pods = [old("a", { ready: false }), current("b", { ready: false })];
    expect(plan(surge, pods)).toEqual({ create: [], remove: ["superseded a"] });
  });

  test("an old pod is deleted when the new one is ready", () => {
    expect(plan(surge, [old("a"), current("b")])).toEqual({ create: [], remove: ["superseded a"] });
  });

  test("an old pod stays until the new one has been ready for minReadySeconds", () => {
    const slow = daemonSetOf({ rolling: surging, spec: { minReadySeconds: 10 } });
    const beside = (readyForMs: number): Planned =>
      plan(slow, [pod("a", { hash: "old" }, slow), pod("b", { readyForMs }, slow)]);
    expect(beside(9_999)).toEqual(nothing);
    expect(beside(10_000)).toEqual({ create: [], remove: ["superseded a"] });
  });

  test("of each template the oldest stays", () => {
    const pods = [
      old("a", created("09:00:02")),
      old("b", created("09:00:01")),
      current("c", { ready: false, ...created("09:00:04") }),
      current("d", { ready: false, ...created("09:00:03") }),
    ];
    expect(plan(surge, pods)).toEqual({ create: [], remove: ["excess a", "excess c"] });
  });

  test("a surge in percent allows one, and 0% none", () => {
    const percent = (maxSurge: string): DaemonSet => daemonSetOf({ rolling: { maxUnavailable: 0, maxSurge } });
    const pods = (of: DaemonSet): Pod[] => [
      pod("a", { hash: "old", ...created("09:00:01") }, of),
      pod("b", { ready: false, ...created("09:00:02") }, of),
    ];
    expect(plan(percent("10%"), pods(percent("10%")))).toEqual(nothing);
    expect(plan(percent("0%"), pods(percent("0%")))).toEqual({ create: [], remove: ["excess b"] });
  });
});

describe("the pod that counts for a node", () => {
  const names = (pods: readonly Pod[]): string[] => oldestFirst(pods).map(({ metadata }) => metadata.name);

  test("is a bound one before an older unbound one", () => {
    const unbound = pendingPod(set, "node-1", "a");
    expect(names([unbound, pod("b", created("09:59:00"))])).toEqual(["b", "a"]);
  });

  test("is the oldest one, with equal ages the first by name", () => {
    const pods = [pod("c", created("09:00:01")), pod("b", created("09:00:01")), pod("a", created("09:00:02"))];
    expect(names(pods)).toEqual(["b", "c", "a"]);
  });
});
