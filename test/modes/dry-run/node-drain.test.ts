/** Draining a node in a dry run: as kubectl drain does it, with the sandbox's eviction subresource and budgets. */
import { describe, expect, test } from "bun:test";
import { Nodes, Pods } from "../../../src/api/kinds.ts";
import type { StoredObject } from "../../../src/api/object.ts";
import type { Node } from "../../../src/api/types.ts";
import { builtInControllers } from "../../../src/controllers/index.ts";
import type { ToApply } from "../../../src/modes/dry-run/apply.ts";
import { emptyCluster, savedCluster } from "../../../src/modes/dry-run/initial-state.ts";
import type { DryRun } from "../../../src/modes/dry-run/result.ts";
import { apply, changesOf, play } from "./scene.ts";

const controllers = builtInControllers.filter(({ disabledByDefault }) => disabledByDefault !== true);

function workload(kind: string, replicas: number | undefined): ToApply {
  const labels = { app: "web" };
  const preference = { matchExpressions: [{ key: "kubernetes.io/hostname", operator: "In", values: ["node-1"] }] };
  const preferred = [{ weight: 100, preference }];
  const affinity = { nodeAffinity: { preferredDuringSchedulingIgnoredDuringExecution: preferred } };
  return {
    apiVersion: "apps/v1",
    kind,
    metadata: { name: "web" },
    spec: {
      ...(replicas !== undefined && { replicas }),
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { affinity, containers: [{ name: "c", image: "i" }] } },
    },
  } as ToApply;
}

const budget = (name: string, spec: object): ToApply =>
  ({
    apiVersion: "policy/v1",
    kind: "PodDisruptionBudget",
    metadata: { name },
    spec: { selector: { matchLabels: { app: "web" } }, ...spec },
  }) as ToApply;

const pod = (name: string, metadata: object = {}): ToApply =>
  ({
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name, ...metadata },
    spec: { nodeName: "node-1", containers: [{ name: "c", image: "i" }] },
  }) as ToApply;

function drain(objects: readonly ToApply[]): Promise<DryRun> {
  return play({
    initialState: emptyCluster(["default", "shop"]),
    baseline: objects.map(apply),
    requestedChanges: [{ is: "drain", kind: Nodes, namespace: "", name: "node-1" }],
    controllers,
  });
}

const fates = ({ nodes }: DryRun): readonly string[] =>
  (nodes?.fates ?? []).map(({ fate, pod: key }) => `${key.replace(/-[a-z0-9]{5}$/, "-…")} ${fate}`);

describe("a drained node", () => {
  test("leaves open what becomes of pods whose replacements wait for another scheduler", async () => {
    const { state } = await play({ baseline: [apply(workload("Deployment", 1))], controllers });
    const running = [...state.values()].map(({ object }) => object);
    const text = JSON.stringify(running).replaceAll('"default-scheduler"', '"custom"');
    const done = await play({
      initialState: savedCluster(JSON.parse(text) as readonly StoredObject[], []),
      requestedChanges: [{ is: "drain", kind: Nodes, namespace: "", name: "node-1" }],
      controllers,
    });
    expect(fates(done)).toEqual([expect.stringMatching(/ unclear$/) as string]);
    const why = "its new pods are not placed: its scheduler, custom, does not run here";
    expect(done.nodes?.unseen).toMatchObject([{ what: "Deployment default/web", why, isDecisive: true }]);
  });

  test("is cordoned, and its pods move; it stays ready", async () => {
    const done = await drain([workload("Deployment", 2)]);
    expect(done.settled.is).toBe("steady");
    expect(done.drift).toEqual([]);
    expect(changesOf(done).filter((line) => line.includes("Node "))).toEqual(["~ Node node-1"]);
    expect(done.done).toMatchObject([{ did: "cordoned", key: "node-1" }]);
    expect(done.nodes?.fates.map(({ fate }) => fate)).toEqual(["moves", "moves"]);
    expect(done.availability).toMatchObject([{ available: 2, desired: 2 }]);
    const node = [...done.state.values()].find(({ key }) => key === "node-1")?.object as Node;
    expect(node.spec).toMatchObject({
      unschedulable: true,
      taints: [{ key: "node.kubernetes.io/unschedulable", effect: "NoSchedule" }],
    });
    expect(node.status?.conditions?.find(({ type }) => type === "Ready")?.status).toBe("True");
    expect(changesOf(done).filter((line) => line.startsWith("-"))).toHaveLength(1);
  });

  test("has the pods of a StatefulSet re-created elsewhere, under the same names", async () => {
    const done = await drain([workload("StatefulSet", 2)]);
    expect(fates(done)).toEqual(["default/web-0 moves", "default/web-1 moves"]);
    expect(done.nodes?.fates.every(({ to }) => to === "node-2" || to === "node-3")).toBe(true);
  });

  test("waits for a budget that permits one at a time", async () => {
    const done = await drain([workload("Deployment", 3), budget("web", { maxUnavailable: 1 })]);
    expect(done.nodes?.fates.map(({ fate }) => fate)).toEqual(["moves", "moves", "moves"]);
    const times = (done.nodes?.fates ?? []).map(({ deletedAfterMs = 0 }) => deletedAfterMs).sort((a, b) => a - b);
    // A refused eviction is retried after five seconds.
    expect(times.map((ms) => Math.floor(ms / 5000))).toEqual([0, 1, 2]);
  });

  test("is blocked forever by a budget that permits nothing, which is not an error of a controller", async () => {
    const done = await drain([workload("Deployment", 2), budget("web", { minAvailable: 2 })]);
    expect(done.nodes?.fates).toMatchObject([
      { fate: "held", why: "The disruption budget web needs 2 healthy pods and has 2 currently" },
      { fate: "held" },
    ]);
    expect(done.settled.is).toBe("steady");
    expect(done.refusedWrites).toEqual([]);
    expect(done.availability).toMatchObject([{ available: 2, desired: 2 }]);
  });

  test("is blocked by a finalizer, which keeps an evicted pod", async () => {
    const kept = pod("kept", { finalizers: ["example.com/hold"] });
    const done = await drain([kept, pod("alone")]);
    expect(fates(done)).toEqual(["default/alone lost", "default/kept held"]);
    expect(done.nodes?.fates[1]?.why).toBe(
      "finalizer example.com/hold keeps it Terminating, and kubectl drain waits until it is gone",
    );
    const available = done.availability.map(({ key, available: count, desired }) => `${key} ${count} of ${desired}`);
    expect(available.sort()).toEqual(["default/alone 0 of 1", "default/kept 0 of 1"]);
  });

  test("does not wait for a static pod, which it does not evict", async () => {
    const mirror = { annotations: { "kubernetes.io/config.mirror": "x" }, finalizers: ["example.com/hold"] };
    const done = await play({
      initialState: emptyCluster(["default", "shop"]),
      baseline: [apply(pod("etcd", mirror))],
      requestedChanges: [
        { is: "delete", kind: Pods, namespace: "default", name: "etcd" },
        { is: "drain", kind: Nodes, namespace: "", name: "node-1" },
      ],
      controllers,
    });
    expect(done.nodes?.fates.map(({ fate }) => fate)).not.toContain("held");
  });

  test("is blocked by two budgets that cover one pod", async () => {
    const budgets = [budget("one", { maxUnavailable: 1 }), budget("two", { maxUnavailable: 1 })];
    const done = await drain([workload("Deployment", 1), ...budgets]);
    expect(done.nodes?.fates).toMatchObject([{ fate: "held", why: expect.stringContaining("more than one Pod") }]);
  });

  test("keeps the pods of DaemonSets and static pods, and loses those without a controller", async () => {
    const done = await drain([
      workload("DaemonSet", undefined),
      pod("alone"),
      pod("etcd", { annotations: { "kubernetes.io/config.mirror": "x" } }),
    ]);
    expect(fates(done)).toEqual(["default/alone lost", "default/etcd stays", "default/web-… stays"]);
    expect(done.availability).toMatchObject([
      { key: "default/web", available: 3, desired: 3 },
      { key: "default/alone", available: 0, desired: 1, why: "nothing recreates it" },
    ]);
  });
});
