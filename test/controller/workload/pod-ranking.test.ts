import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { parseTime } from "../../../src/api/time.ts";
import type { Pod } from "../../../src/api/types.ts";
import {
  decidingCriterion,
  inDeletionOrder,
  podDeletionCost,
  podDeletionCostAnnotation,
  podsToDelete,
  type RankedPod,
  rankPods,
} from "../../../src/controller/workload/pod-ranking.ts";
import { isPodReady, podReadyTime } from "../../../src/controller/workload/pod-status.ts";
import { sceneStart as now } from "../../support/sync-context.ts";
import { podOf, type PodParts } from "../../support/workloads.ts";

const hour = 3_600_000;
const month = 30 * 24 * hour;

function createdAt(ms: number): { readonly creationTimestamp: string } {
  return { creationTimestamp: new Date(ms).toISOString() };
}

/** A pod and the number of its owner's pods on its node. */
function ranked(name: string, { podsOnNode = 1, ...parts }: PodParts & { readonly podsOnNode?: number }): RankedPod {
  const [one] = rankPods([podOf(name, { node: "node", ...parts, meta: { uid: "same", ...parts.meta } })], []);
  if (one === undefined) throw new Error("no pod was ranked");
  return { ...one, podsOnNode };
}

const cost = (value: string): object => ({ annotations: { [podDeletionCostAnnotation]: value } });
const readyNow = { ready: true, readyAt: now, meta: createdAt(now) };
const longAgo = createdAt(now - month);
const sidecar = {
  spec: { initContainers: [{ name: "proxy", restartPolicy: "Always" }, { name: "setup" }], nodeName: "node" },
};
const initRestarts = (name: string, restartCount: number): object => ({
  initContainerStatuses: [{ name, restartCount, image: "", imageID: "", ready: true }],
});

describe("of two pods, the first to delete", () => {
  const rows: readonly { first: string; a: RankedPod; b: RankedPod; by: string }[] = [
    {
      first: "one on no node, however crowded the other's node is",
      a: ranked("a", { node: "", phase: "Pending" }),
      b: ranked("b", { phase: "Pending", podsOnNode: 9 }),
      by: "unassigned first",
    },
    {
      first: "a pending one before one of unknown phase",
      a: ranked("a", { phase: "Pending" }),
      b: ranked("b", { phase: "Unknown", podsOnNode: 2 }),
      by: "pending before unknown before running",
    },
    {
      first: "one of unknown phase before a running one",
      a: ranked("a", { phase: "Unknown" }),
      b: ranked("b", {}),
      by: "pending before unknown before running",
    },
    { first: "one that is not ready", a: ranked("a", {}), b: ranked("b", { ready: true }), by: "not ready first" },
    {
      first: "one of lower deletion cost, before its crowded node is looked at",
      a: ranked("a", { ...readyNow, meta: cost("10") }),
      b: ranked("b", { ...readyNow, meta: cost("100"), podsOnNode: 2 }),
      by: "lowest pod-deletion-cost first",
    },
    {
      first: "one of negative deletion cost before one of none",
      a: ranked("a", { ...readyNow, meta: cost("-1") }),
      b: ranked("b", readyNow),
      by: "lowest pod-deletion-cost first",
    },
    {
      first: "one with more pods of the same owner on its node",
      a: ranked("a", { ready: true, readyAt: now - month, podsOnNode: 2 }),
      b: ranked("b", { ...readyNow, podsOnNode: 1 }),
      by: "most pods on the node first",
    },
    {
      first: "one ready since nobody knows when",
      a: ranked("a", { ready: true }),
      b: ranked("b", readyNow),
      by: "latest ready first",
    },
    {
      first: "one ready for a shorter time",
      a: ranked("a", { ready: true, readyAt: now - 2 * hour }),
      b: ranked("b", { ready: true, readyAt: now - 5 * hour }),
      by: "latest ready first",
    },
    {
      first: "one ready at this very moment",
      a: ranked("a", readyNow),
      b: ranked("b", { ready: true, readyAt: now - month }),
      by: "latest ready first",
    },
    {
      first: "one whose container restarted more often",
      a: ranked("a", { ...readyNow, restarts: 3 }),
      b: ranked("b", { ...readyNow, restarts: 2 }),
      by: "most restarts first",
    },
    {
      first: "with as many restarts, one whose sidecar restarted more often",
      a: ranked("a", { ...readyNow, ...sidecar, status: initRestarts("proxy", 4) }),
      b: ranked("b", { ...readyNow, ...sidecar, status: initRestarts("proxy", 1) }),
      by: "most sidecar restarts first",
    },
    {
      first: "one created later",
      a: ranked("a", { ready: true, readyAt: now, meta: createdAt(now) }),
      b: ranked("b", { ready: true, readyAt: now, meta: longAgo }),
      by: "newest first",
    },
    {
      first: "of nearly the same age, one of the smaller uid",
      a: ranked("a", { ready: true, readyAt: now - 8 * hour, meta: { uid: "1" } }),
      b: ranked("b", { ready: true, readyAt: now - 5 * hour, meta: { uid: "2" } }),
      by: "latest ready first",
    },
  ];
  for (const { first, a, b, by } of rows) {
    test(first, () => {
      const forth = decidingCriterion(a, b, now);
      expect(forth?.criterion.name).toBe(by);
      expect(forth?.order).toBeLessThan(0);
      expect(decidingCriterion(b, a, now)?.order).toBeGreaterThan(0);
    });
  }

  const equals: readonly { name: string; a: RankedPod; b: RankedPod }[] = [
    { name: "a pod and itself", a: ranked("a", readyNow), b: ranked("a", readyNow) },
    {
      name: "restarts of an init container that is not a sidecar",
      a: ranked("a", { ...readyNow, ...sidecar, status: initRestarts("setup", 4) }),
      b: ranked("b", { ...readyNow, ...sidecar, status: initRestarts("setup", 1) }),
    },
    {
      name: "ages of 5 and 8 hours, which are in one bucket, and equal uids",
      a: ranked("a", { ready: true, readyAt: now - 5 * hour, meta: longAgo }),
      b: ranked("b", { ready: true, readyAt: now - 8 * hour, meta: longAgo }),
    },
  ];
  for (const { name, a, b } of equals) {
    test(`is neither: ${name}`, () => expect(decidingCriterion(a, b, now)).toBeUndefined());
  }
});

describe("podDeletionCost", () => {
  const rows: readonly { text: string; value: number }[] = [
    { text: "10", value: 10 },
    { text: "-10", value: -10 },
    { text: "0", value: 0 },
    { text: "-007", value: -7 },
    { text: "+10", value: 0 },
    { text: "010", value: 0 },
    { text: "", value: 0 },
    { text: "1.5", value: 0 },
    { text: "ten", value: 0 },
    { text: "2147483647", value: 2147483647 },
    { text: "2147483648", value: 0 },
    { text: "-2147483648", value: -2147483648 },
    { text: "-2147483649", value: 0 },
  ];
  for (const { text, value } of rows) {
    test(`${JSON.stringify(text)} is ${value}`, () =>
      expect(podDeletionCost(podOf("a", { meta: cost(text) }))).toBe(value));
  }
  test("is 0 without an annotation", () => expect(podDeletionCost(podOf("a"))).toBe(0));
});

describe("podsToDelete", () => {
  const unscheduled = podOf("unscheduled", { phase: "Pending" });
  const pending = podOf("pending", { phase: "Pending", node: "n0" });
  const notReady = podOf("not-ready", { ready: false, node: "n0" });
  const onNode1 = podOf("on-node-1", { ready: true, node: "n1" });
  const onNode2 = podOf("on-node-2", { ready: true, node: "n2" });
  const names = (pods: readonly Pod[]): string[] => pods.map((pod) => pod.metadata.name);

  const rows: readonly {
    name: string;
    pods: readonly Pod[];
    related?: readonly Pod[];
    count: number;
    gone: readonly Pod[];
    by: string | undefined;
  }[] = [
    { name: "none of none", pods: [], count: 0, gone: [], by: undefined },
    {
      name: "all, in the given order",
      pods: [onNode1, unscheduled],
      count: 2,
      gone: [onNode1, unscheduled],
      by: undefined,
    },
    { name: "the one that is not ready", pods: [onNode1, notReady], count: 1, gone: [notReady], by: "not ready first" },
    {
      name: "the one that is not scheduled",
      pods: [pending, unscheduled],
      count: 1,
      gone: [unscheduled],
      by: "unassigned first",
    },
    {
      name: "the one with another pod of the same owner on its node",
      pods: [onNode1, onNode2],
      related: [onNode1, onNode2, podOf("older", { node: "n2", ready: true })],
      count: 1,
      gone: [onNode2],
      by: "most pods on the node first",
    },
    {
      name: "finished and terminating pods on a node do not count",
      pods: [onNode1, onNode2],
      related: [
        onNode1,
        onNode2,
        podOf("ended", { node: "n2", phase: "Succeeded" }),
        podOf("going", { node: "n2", meta: { deletionTimestamp: "2026-11-21T09:59:00Z" } }),
      ],
      count: 1,
      gone: [onNode1],
      by: undefined,
    },
    {
      name: "of all kinds, those in the earliest state first",
      pods: [onNode1, onNode2, notReady, pending, unscheduled],
      count: 3,
      gone: [unscheduled, pending, notReady],
      by: "not ready first",
    },
  ];
  for (const { name, pods, related = pods, count, gone, by } of rows) {
    test(name, () => {
      const result = podsToDelete(pods, count, { related, now });
      expect(names(result.pods)).toEqual(names(gone));
      expect(result.by).toBe(by as string);
    });
  }

  test("does not change the given list", () => {
    const pods = Object.freeze([onNode1, notReady, unscheduled]);
    expect(names(podsToDelete(pods, 2, { related: [], now }).pods)).toEqual(["unscheduled", "not-ready"]);
  });
});

// --- The same order once more, written from the documentation as one comparison.

function restated(a: Pod, b: Pod, onNode: (pod: Pod) => number): number {
  const bool = (x: boolean, y: boolean): number => (x === y ? 0 : x ? 1 : -1);
  const phase = (pod: Pod): number => ["Unknown", "Running"].indexOf(pod.status?.phase ?? "") + 1;
  const bucket = (time: number): number => {
    let rank = -1;
    for (let age = BigInt(Math.round((now - time) * 1e6)); age > 0n; age >>= 1n) rank++;
    return rank;
  };
  const times = (x: number | undefined, y: number | undefined): number => {
    if (x === y) return 0;
    if (x === undefined) return -1;
    if (y === undefined) return 1;
    return bucket(x) - bucket(y) || (a.metadata.uid < b.metadata.uid ? -1 : 1);
  };
  const restarts = (pod: Pod): number =>
    Math.max(0, ...(pod.status?.containerStatuses ?? []).map((c) => c.restartCount));
  const costs = (pod: Pod): number => Number(pod.metadata.annotations?.[podDeletionCostAnnotation] ?? 0);
  return (
    bool(a.spec?.nodeName !== undefined, b.spec?.nodeName !== undefined) ||
    phase(a) - phase(b) ||
    bool(isPodReady(a), isPodReady(b)) ||
    costs(a) - costs(b) ||
    onNode(b) - onNode(a) ||
    (isPodReady(a) ? times(podReadyTime(a), podReadyTime(b)) : 0) ||
    restarts(b) - restarts(a) ||
    times(parseTime(a.metadata.creationTimestamp), parseTime(b.metadata.creationTimestamp))
  );
}

const age = fc.constantFrom(0, 1000, 2000, 60_000, 61_000, 2 * hour, 5 * hour, 8 * hour, month);
const anyPod = fc
  .record({
    node: fc.constantFrom(undefined, "n1", "n2"),
    phase: fc.constantFrom("Pending", "Running", "Unknown"),
    ready: fc.boolean(),
    readyAge: fc.option(age, { nil: undefined }),
    created: age,
    restarts: fc.integer({ min: 0, max: 2 }),
    cost: fc.constantFrom(undefined, "-5", "5"),
    uid: fc.uuid(),
  })
  .map(({ node, readyAge, created, cost: value, uid, ...parts }) =>
    podOf(uid, {
      ...parts,
      ...(node !== undefined && { node }),
      ...(readyAge !== undefined && { readyAt: now - readyAge }),
      meta: { uid, ...createdAt(now - created), ...(value !== undefined && cost(value)) },
    }),
  );
const anyPods = fc.uniqueArray(anyPod, { minLength: 2, maxLength: 12, selector: (pod) => pod.metadata.uid });

describe("the order of random pods", () => {
  test("agrees with a plain restatement for each pair, and is antisymmetric", () => {
    fc.assert(
      fc.property(anyPods, (pods) => {
        const ranks = rankPods(pods, pods);
        const onNode = (pod: Pod): number => pods.filter((other) => other.spec?.nodeName === pod.spec?.nodeName).length;
        for (const a of ranks) {
          for (const b of ranks) {
            const order = Math.sign(decidingCriterion(a, b, now)?.order ?? 0);
            if (a !== b) expect(order).toBe(Math.sign(restated(a.pod, b.pod, onNode)));
            expect(order + Math.sign(decidingCriterion(b, a, now)?.order ?? 0)).toBe(0);
          }
        }
      }),
      { seed: 42, numRuns: 300 },
    );
  });

  test("is total if ages are equal or far apart, and no pod kept ranks before a deleted one", () => {
    // Pods with similar ages are ordered by uid and those of equal age by the later rules: upstream's order is not total there.
    const apart = fc
      .uniqueArray(anyPod, { minLength: 2, maxLength: 12, selector: (pod) => pod.metadata.uid })
      .map((pods) =>
        pods.map((pod, index) => {
          const time = new Date(now - 2 ** index * 1000).toISOString();
          const conditions = isPodReady(pod) ? [{ type: "Ready", status: "True", lastTransitionTime: time }] : [];
          return {
            ...pod,
            metadata: { ...pod.metadata, creationTimestamp: time },
            status: { ...pod.status, conditions },
          };
        }),
      );
    fc.assert(
      fc.property(apart, fc.nat(12), (pods, wanted) => {
        const count = Math.min(wanted, pods.length - 1);
        const { pods: deleted } = podsToDelete(pods, count, { related: pods, now });
        expect(deleted).toHaveLength(count);
        const ranks = rankPods(pods, pods);
        const gone = new Set(deleted);
        for (const a of ranks.filter(({ pod }) => gone.has(pod))) {
          for (const b of ranks.filter(({ pod }) => !gone.has(pod))) {
            expect(decidingCriterion(a, b, now)?.order).toBeLessThan(0);
          }
        }
      }),
      { seed: 43, numRuns: 300 },
    );
  });
});

describe("inDeletionOrder", () => {
  const names = (pods: readonly Pod[]): string => pods.map(({ metadata }) => metadata.name).join();
  /** Ages differ by seconds: this order compares them directly, without the logarithmic buckets. */
  const pods = [
    podOf("old", { node: "n", ready: true, readyAt: now - 10_000, meta: createdAt(now - 9000) }),
    podOf("ready later", { node: "n", ready: true, readyAt: now - 9000, meta: createdAt(now - 9000) }),
    podOf("newer", { node: "n", ready: true, readyAt: now - 10_000, meta: createdAt(now - 8000) }),
    podOf("restarted", { node: "n", ready: true, readyAt: now - 10_000, restarts: 2, meta: createdAt(now - 9000) }),
    podOf("costly", {
      node: "n",
      meta: { annotations: { [podDeletionCostAnnotation]: "100" }, ...createdAt(now - 7000) },
    }),
    podOf("cheap", { node: "n", meta: createdAt(now - 8000) }),
    podOf("unknown", { node: "n", phase: "Unknown" }),
    podOf("pending", { node: "n", phase: "Pending" }),
    podOf("unassigned"),
  ];

  test("is by progress, readiness, restarts and age in seconds, whatever the pod-deletion cost", () => {
    const wanted = "unassigned,pending,unknown,costly,cheap,ready later,restarted,newer,old";
    expect(names(inDeletionOrder(pods))).toBe(wanted);
    expect(names(inDeletionOrder(pods.toReversed()))).toBe(wanted);
  });

  test("keeps the order of equal pods", () => {
    expect(names(inDeletionOrder([podOf("b"), podOf("a"), podOf("c")]))).toBe("b,a,c");
  });
});
