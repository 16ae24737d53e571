/** A node of the embedded cluster whose kubelet stops reporting, on virtual time. */
import { afterEach, beforeEach, expect, test } from "bun:test";
import { Nodes, Pods, ReplicaSets } from "../../../src/api/kinds.ts";
import { nodeLifecycle } from "../../../src/controllers/node-lifecycle/node-lifecycle.ts";
import { replicaset } from "../../../src/controllers/replicaset/replicaset.ts";
import { taintEviction } from "../../../src/controllers/taint-eviction/taint-eviction.ts";
import { sleep } from "../../../src/platform/timeline.ts";
import { embeddedScene, type EmbeddedScene } from "../../support/embedded-scene.ts";
import { annotation } from "../../support/pods.ts";

const second = 1000;
let scene: EmbeddedScene;
beforeEach(async () => {
  scene = await embeddedScene({ controllers: [nodeLifecycle, taintEviction, replicaset], nodes: 2 });
});
afterEach(() => scene.stop());

async function pass(ms: number): Promise<void> {
  for (let left = ms; left > 0; left -= 20 * second)
    await scene.during(sleep(scene.timeline, Math.min(left, 20 * second), "test"));
}

async function states(): Promise<readonly string[]> {
  const nodes = await scene.list(Nodes, "");
  return nodes.map(({ metadata, spec, status }) => {
    const ready = status?.conditions?.find(({ type }) => type === "Ready")?.status;
    const taints = (spec?.taints ?? []).map(({ key, effect }) => `${key.split("/")[1]}:${effect}`);
    return [metadata.name, ready, ...taints.sort()].join(" ");
  });
}

async function pods(): Promise<readonly string[]> {
  const all = await scene.list(Pods);
  return all
    .map(({ metadata, spec, status }) => {
      const ready = status?.conditions?.find(({ type }) => type === "Ready")?.status;
      return `${spec?.nodeName} ready=${ready}${metadata.deletionTimestamp === undefined ? "" : " going"}`;
    })
    .sort();
}

test("nodes that report stay ready", async () => {
  await pass(200 * second);
  expect(await states()).toEqual(["node-1 True", "node-2 True"]);
});

test("a silent node is tainted, its pods are not ready, and are moved to another one after five minutes", async () => {
  const labels = { app: "web" };
  const template = { metadata: { labels }, spec: { containers: [{ name: "web", image: "web:1" }] } };
  await scene.during(
    scene.you.create(ReplicaSets, {
      metadata: { namespace: "default", name: "web" },
      spec: { replicas: 2, selector: { matchLabels: labels }, template },
    }),
  );
  await pass(20 * second);
  expect(await pods()).toEqual(["node-1 ready=True", "node-2 ready=True"]);
  const body = { metadata: { annotations: { [annotation("silent")]: "true" } } };
  await scene.during(scene.you.patch(Nodes, { namespace: "", name: "node-1" }, { type: "merge", body }));
  await pass(40 * second);
  expect(await states()).toEqual(["node-1 True", "node-2 True"]);
  await pass(40 * second);
  expect(await states()).toEqual(["node-1 Unknown unreachable:NoExecute unreachable:NoSchedule", "node-2 True"]);
  expect(await pods()).toEqual(["node-1 ready=False", "node-2 ready=True"]);
  await pass(310 * second);
  expect(await pods()).toEqual(["node-1 ready=False going", "node-2 ready=True", "node-2 ready=True"]);
  const back = { metadata: { annotations: { [annotation("silent")]: null } } };
  await scene.during(scene.you.patch(Nodes, { namespace: "", name: "node-1" }, { type: "merge", body: back }));
  await pass(60 * second);
  expect(await states()).toEqual(["node-1 True", "node-2 True"]);
  expect(await pods()).toEqual(["node-2 ready=True", "node-2 ready=True"]);
});
