/** Pods whose node is deleted in the embedded cluster, on virtual time. */
import { afterEach, beforeEach, expect, test } from "bun:test";
import { Nodes, Pods, ReplicaSets } from "../../../src/api/kinds.ts";
import { podGarbageCollector } from "../../../src/controllers/pod-garbage-collector/pod-garbage-collector.ts";
import { replicaset } from "../../../src/controllers/replicaset/replicaset.ts";
import { sleep } from "../../../src/platform/timeline.ts";
import { embeddedScene, type EmbeddedScene } from "../../support/embedded-scene.ts";

const second = 1000;
let scene: EmbeddedScene;
beforeEach(async () => {
  scene = await embeddedScene({ controllers: [podGarbageCollector, replicaset], nodes: 2 });
});
afterEach(() => scene.stop());

const pass = (ms: number): Promise<void> => scene.during(sleep(scene.timeline, ms, "test"));
const places = async (): Promise<readonly string[]> =>
  (await scene.list(Pods)).map(({ spec, status }) => `${spec?.nodeName} ${status?.phase}`).sort();

test("the pods of a deleted node are replaced on another one, 40 to 60 s after a scan missed it", async () => {
  const labels = { app: "web" };
  const template = { metadata: { labels }, spec: { containers: [{ name: "web", image: "web:1" }] } };
  await scene.during(
    scene.you.create(ReplicaSets, {
      metadata: { namespace: "default", name: "web" },
      spec: { replicas: 2, selector: { matchLabels: labels }, template },
    }),
  );
  await pass(5 * second);
  expect(await places()).toEqual(["node-1 Running", "node-2 Running"]);
  await scene.during(scene.you.delete(Nodes, { namespace: "", name: "node-1" }));
  await pass(35 * second);
  expect(await places()).toEqual(["node-1 Running", "node-2 Running"]);
  await pass(30 * second);
  expect(await places()).toEqual(["node-2 Running", "node-2 Running"]);
  const why = scene.events.findLast(
    (event) => event.stage === "enqueue" && event.controller === podGarbageCollector.name,
  );
  expect(why).toMatchObject({ trigger: { cause: "requeue", why: "pods that nobody else deletes" } });
});
