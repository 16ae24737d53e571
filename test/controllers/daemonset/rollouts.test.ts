/** A DaemonSet in an embedded cluster with three nodes, a scheduler and kubelets. */
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { ControllerRevisions, DaemonSets, Nodes, Pods } from "../../../src/api/kinds.ts";
import type { DaemonSet, Pod } from "../../../src/api/types.ts";
import { isPodReady } from "../../../src/controller/workload/pod-status.ts";
import { daemonset } from "../../../src/controllers/daemonset/daemonset.ts";
import { type EmbeddedScene, embeddedScene } from "../../support/embedded-scene.ts";
import { gpu } from "./objects.ts";

let scene: EmbeddedScene;
beforeEach(async () => {
  scene = await embeddedScene({ controllers: [daemonset], nodes: 3 });
});
afterEach(() => scene.stop());

const at = { namespace: "default", name: "agent" };
const labels = { app: "agent" };

interface Parts {
  readonly rolling?: object;
  readonly pod?: object;
  readonly spec?: object;
}

function setOf({ rolling, pod, spec }: Parts): DaemonSet {
  return {
    metadata: { namespace: "default", name: "agent" },
    spec: {
      selector: { matchLabels: labels },
      ...(rolling !== undefined && { updateStrategy: { type: "RollingUpdate", rollingUpdate: rolling } }),
      template: { metadata: { labels }, spec: { containers: [{ name: "agent", image: "agent:1" }], ...pod } },
      ...spec,
    },
    // The form in which it is sent: the server adds the remaining fields.
  } as unknown as DaemonSet;
}

async function pass(ms: number): Promise<void> {
  scene.timeline.after(ms, "test", () => undefined);
  await scene.run(ms);
}

async function begin(parts: Parts = {}): Promise<void> {
  await scene.during(scene.you.create(DaemonSets, setOf(parts)));
  await pass(10_000);
}

const patch = (body: object): Promise<unknown> =>
  scene.during(scene.you.patch(DaemonSets, at, { type: "merge", body }));
const setImage = (image: string): Promise<unknown> =>
  patch({ spec: { template: { spec: { containers: [{ name: "agent", image }] } } } });
const setTaints = (name: string, taints: readonly object[]): Promise<unknown> =>
  scene.during(scene.you.patch(Nodes, { namespace: "", name }, { type: "merge", body: { spec: { taints } } }));

/** A pod as `node-1 agent:1`, with `…` if it is not ready and `†` if it is being deleted. */
function textOf(pod: Pod): string {
  const mark = pod.metadata.deletionTimestamp === undefined ? (isPodReady(pod) ? "" : "…") : "†";
  return `${pod.spec?.nodeName ?? "no node"} ${pod.spec?.containers[0]?.image}${mark}`;
}

const pods = async (): Promise<string[]> => (await scene.list(Pods)).map(textOf).sort();
const status = async (): Promise<DaemonSet["status"]> => (await scene.during(scene.you.get(DaemonSets, at))).status;

/** All states of the cluster until three pods have this image. */
async function until(image: string): Promise<string[][]> {
  const seen: string[][] = [];
  for (let n = 0; n < 3000; n++) {
    const now = await pods();
    seen.push(now);
    if (now.length === 3 && now.every((pod) => pod.endsWith(` ${image}`))) return seen;
    await pass(50);
  }
  throw new Error(`The expected state did not appear; the last one: ${seen.at(-1)?.join()}`);
}

const available = (pods: readonly string[]): number => pods.filter((pod) => !/[…†]$/.test(pod)).length;

describe("a DaemonSet", () => {
  test("gets a running pod on each node, each on its intended node", async () => {
    await begin();
    expect(await pods()).toEqual(["node-1 agent:1", "node-2 agent:1", "node-3 agent:1"]);
    expect(await status()).toEqual({
      currentNumberScheduled: 3,
      numberMisscheduled: 0,
      desiredNumberScheduled: 3,
      numberReady: 3,
      observedGeneration: 1,
      updatedNumberScheduled: 3,
      numberAvailable: 3,
    });
  });

  test("gets pods on cordoned nodes, and not on others with a taint", async () => {
    await setTaints("node-2", [gpu]);
    await scene.during(
      scene.you.patch(
        Nodes,
        { namespace: "", name: "node-3" },
        { type: "merge", body: { spec: { unschedulable: true } } },
      ),
    );
    await begin();
    expect(await pods()).toEqual(["node-1 agent:1", "node-3 agent:1"]);
  });

  test("with a toleration gets a pod on a tainted node, too", async () => {
    await setTaints("node-2", [gpu]);
    await begin({ pod: { tolerations: [{ key: "dedicated", operator: "Exists" }] } });
    expect(await pods()).toEqual(["node-1 agent:1", "node-2 agent:1", "node-3 agent:1"]);
  });

  test("leaves a node with a NoExecute taint, and comes back", async () => {
    await begin();
    await setTaints("node-2", [{ key: "full", effect: "NoExecute" }]);
    await pass(60_000);
    expect(await pods()).toEqual(["node-1 agent:1", "node-3 agent:1"]);
    expect(await status()).toMatchObject({ desiredNumberScheduled: 2, numberMisscheduled: 0 });
    await setTaints("node-2", []);
    await pass(10_000);
    expect((await pods()).length).toBe(3);
  });
});

describe("a rollout", () => {
  test("replaces one pod at a time: two are always available", async () => {
    await begin();
    await setImage("agent:2");
    const seen = await until("agent:2");
    expect(Math.min(...seen.map(available))).toBe(2);
    expect(Math.max(...seen.map((all) => all.length))).toBe(3);
    const revisions = await scene.list(ControllerRevisions);
    expect(revisions.map(({ revision }) => revision).sort((a, b) => a - b)).toEqual([1, 2]);
  });

  test("with a surge keeps all available, and one node has a second pod", async () => {
    await begin({ rolling: { maxUnavailable: 0, maxSurge: 1 } });
    await setImage("agent:2");
    const seen = await until("agent:2");
    expect(Math.min(...seen.map(available))).toBeGreaterThanOrEqual(3);
    expect(Math.max(...seen.map((all) => all.filter((pod) => !pod.endsWith("†")).length))).toBe(4);
  });

  test("waits for minReadySeconds between two nodes", async () => {
    await begin({ spec: { minReadySeconds: 30 } });
    await pass(60_000);
    const startedAt = scene.timeline.now();
    await setImage("agent:2");
    await until("agent:2");
    expect(scene.timeline.now() - startedAt).toBeGreaterThan(60_000);
    await pass(60_000);
    expect(await status()).toMatchObject({ numberAvailable: 3 });
  });

  test("back to the earlier template uses its revision again", async () => {
    await begin({ rolling: { maxUnavailable: "100%" } });
    await setImage("agent:2");
    await until("agent:2");
    await setImage("agent:1");
    await until("agent:1");
    expect((await scene.list(ControllerRevisions)).map(({ revision }) => revision).sort((a, b) => a - b)).toEqual([
      2, 3,
    ]);
  });
});

describe("500 nodes", () => {
  test("get their pods with one create each, without a linear search per pod or node", async () => {
    await scene.stop();
    scene = await embeddedScene({ controllers: [daemonset], nodes: 500, scheduler: false });
    await begin();
    expect((await scene.list(Pods)).length).toBe(500);
    const writes = scene.events.flatMap((event) => (event.stage === "write" ? [event] : []));
    expect(writes.filter(({ verb, of }) => verb === "create" && of.kind === "Pod").length).toBe(500);
    // The first sync creates 250 pods, then only the status is written until the cache contains them, then the others are created.
    const rules = scene.events.flatMap((event) => (event.stage === "decision" ? [event.rule] : []));
    expect(rules.filter((rule) => rule === "create-pods").length).toBe(2);
  }, 60_000);
});
