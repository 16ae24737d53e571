import { describe, expect, test } from "bun:test";
import { Events, Nodes, Pods } from "../../../src/api/kinds.ts";
import type { Pod } from "../../../src/api/types.ts";
import { embeddedScene, type EmbeddedScene } from "../../support/embedded-scene.ts";
import { nodeOf, type NodeParts, podOf, type PodParts } from "../../support/pods.ts";
import { type Named, placings, specOf } from "./placings.ts";

/** A cluster with these nodes, without a kubelet: placed pods stay Pending. */
async function clusterOf(nodes: Named<NodeParts>, seed = 1): Promise<EmbeddedScene> {
  const scene = await embeddedScene({ nodes: 0, kubelet: false, seed });
  for (const [name, parts] of nodes) {
    // The status is ignored at creation.
    const { status, ...node } = nodeOf(name, parts);
    await scene.during(scene.you.create(Nodes, node));
    const at = { namespace: "", name };
    await scene.during(scene.you.patch(Nodes, at, { type: "merge", body: { status } }, { subresource: "status" }));
    // New nodes are tainted until they are ready.
    const body = { spec: { taints: parts.taints ?? null } };
    await scene.during(scene.you.patch(Nodes, at, { type: "merge", body }));
  }
  await scene.run(100);
  return scene;
}

async function createPods(scene: EmbeddedScene, pods: Named<PodParts>): Promise<void> {
  for (const [name, parts] of pods) {
    await scene.during(scene.you.create(Pods, podOf(name, parts)));
    await scene.run(5);
  }
  await scene.run(1000);
}

const nodeNameOf = async (scene: EmbeddedScene, name: string): Promise<string | undefined> =>
  (await scene.list(Pods)).find(({ metadata }) => metadata.name === name)?.spec?.nodeName;

const scheduledCondition = async (scene: EmbeddedScene, name: string): Promise<object | undefined> => {
  const pod = (await scene.list(Pods)).find(({ metadata }) => metadata.name === name);
  const condition = pod?.status?.conditions?.find(({ type }) => type === "PodScheduled");
  return condition && { status: condition.status, reason: condition.reason, message: condition.message };
};

describe("a pod is placed by", () => {
  test.each(placings)("$name", async ({ nodes, first = [], pod, node, message }) => {
    const scene = await clusterOf(nodes);
    await createPods(scene, [...first, ["pod", pod]]);
    expect(await nodeNameOf(scene, "pod")).toBe(node);
    if (message !== undefined) {
      expect(await scheduledCondition(scene, "pod")).toEqual({ status: "False", reason: "Unschedulable", message });
    }
    await scene.stop();
  });
});

describe("the scheduler", () => {
  test("spreads pods over the least allocated nodes", async () => {
    const scene = await clusterOf([
      ["a", {}],
      ["b", {}],
      ["c", {}],
    ]);
    await createPods(
      scene,
      ["1", "2", "3", "4", "5", "6"].map((name) => [`pod-${name}`, { requests: { cpu: "500m" } }]),
    );
    const nodes = Map.groupBy(await scene.list(Pods), ({ spec }) => spec?.nodeName);
    expect(new Map([...nodes].map(([node, pods]) => [node, pods.length]))).toEqual(
      new Map([
        ["a", 2],
        ["b", 2],
        ["c", 2],
      ]),
    );
    await scene.stop();
  });

  test("chooses randomly among equal nodes, by the seed alone", async () => {
    const placed: string[] = [];
    for (const seed of [1, 2, 3, 4, 5, 6, 7, 8, 1]) {
      const scene = await clusterOf(
        [
          ["a", {}],
          ["b", {}],
          ["c", {}],
        ],
        seed,
      );
      await createPods(scene, [["pod", {}]]);
      placed.push((await nodeNameOf(scene, "pod")) ?? "");
      await scene.stop();
    }
    expect(new Set(placed).size).toBeGreaterThan(1);
    expect(placed[0]).toBe(placed.at(-1) ?? "none");
  });

  test("takes pods of a higher priority first, and never assigns the same resources twice", async () => {
    const scene = await clusterOf([]);
    const names = ["1", "2", "3"].map((name) => [`low-${name}`, { requests: { cpu: "2" } }] as const);
    const high = [
      "high",
      { requests: { cpu: "2" }, ...specOf({ priorityClassName: "system-node-critical" }) },
    ] as const;
    const scheduled: string[] = [];
    for (const [name, parts] of [...names, high]) await scene.during(scene.you.create(Pods, podOf(name, parts)));
    await scene.run(20_000);
    // All four pods are waiting; the new node has room for two.
    const { status, ...node } = nodeOf("a");
    await scene.during(scene.you.create(Nodes, node));
    const at = { namespace: "", name: "a" };
    await scene.during(scene.you.patch(Nodes, at, { type: "merge", body: { spec: { taints: null } } }));
    await scene.during(scene.you.patch(Nodes, at, { type: "merge", body: { status } }, { subresource: "status" }));
    await scene.run(60_000);
    for (const { spec, metadata } of await scene.list(Pods)) if (spec?.nodeName === "a") scheduled.push(metadata.name);
    expect(scheduled).toHaveLength(2);
    expect(scheduled).toContain("high");
    await scene.stop();
  });

  test("leaves pods with scheduling gates alone until these are removed", async () => {
    const scene = await clusterOf([["a", {}]]);
    await createPods(scene, [["pod", specOf({ schedulingGates: [{ name: "example.com/wait" }] })]]);
    expect(await nodeNameOf(scene, "pod")).toBeUndefined();
    const body = { spec: { schedulingGates: null } };
    await scene.during(scene.you.patch(Pods, { namespace: "default", name: "pod" }, { type: "merge", body }));
    await scene.run(1000);
    expect(await nodeNameOf(scene, "pod")).toBe("a");
    await scene.stop();
  });

  test("leaves the pods of other schedulers alone", async () => {
    const scene = await clusterOf([["a", {}]]);
    await createPods(scene, [["pod", specOf({ schedulerName: "mine" })]]);
    expect(await nodeNameOf(scene, "pod")).toBeUndefined();
    expect(await scheduledCondition(scene, "pod")).toBeUndefined();
    await scene.stop();
  });

  test("places a waiting pod when another one has gone", async () => {
    const scene = await clusterOf([["a", { allocatable: { pods: "1" } }]]);
    await createPods(scene, [
      ["first", {}],
      ["second", {}],
    ]);
    expect(await nodeNameOf(scene, "second")).toBeUndefined();
    const gone = scene.you.delete(Pods, { namespace: "default", name: "first" }, { gracePeriodSeconds: 0 });
    await scene.during(gone);
    await scene.run(15_000);
    expect(await nodeNameOf(scene, "second")).toBe("a");
    const pods: readonly Pod[] = await scene.list(Pods);
    expect(pods.map(({ metadata }) => metadata.name)).toEqual(["second"]);
    await scene.stop();
  });

  test("records both outcomes in Events", async () => {
    const scene = await clusterOf([["a", { allocatable: { pods: "1" } }]]);
    await createPods(scene, [
      ["first", {}],
      ["second", {}],
    ]);
    const events = (await scene.list(Events)).map(({ type, reason, message }) => ({ type, reason, message }));
    expect(events).toContainEqual({
      type: "Normal",
      reason: "Scheduled",
      message: "Successfully assigned default/first to a",
    });
    expect(events).toContainEqual({
      type: "Warning",
      reason: "FailedScheduling",
      message: "0/1 nodes are available: 1 Too many pods.",
    });
    await scene.stop();
  });
});
