/** An embedded cluster that starts with the state of one that ended an hour ago. */
import { describe, expect, test } from "bun:test";
import { Leases, Namespaces, Nodes, Pods, ReplicaSets } from "../../../src/api/kinds.ts";
import { isPodReady } from "../../../src/controller/workload/pod-status.ts";
import { controllersEnabledByDefault } from "../../../src/controllers/index.ts";
import { readState, type SandboxState } from "../../../src/sandbox/state/document.ts";
import { embeddedScene, embeddedStart, type EmbeddedScene } from "../../support/embedded-scene.ts";
import { podOf } from "../../support/pods.ts";

const controllers = controllersEnabledByDefault;
const anHourLater = { controllers, seed: 7, startMs: embeddedStart + 3_600_000 };

const template = {
  metadata: { labels: { app: "web" } },
  spec: { containers: [{ name: "web", image: "nginx" }] },
};
const web = {
  metadata: { namespace: "default", name: "web" },
  spec: { replicas: 3, selector: { matchLabels: { app: "web" } }, template },
};

const stateOf = ({ cluster }: EmbeddedScene): SandboxState => readState([...cluster.sandbox.save().text].join(""));

describe("a loaded state", () => {
  test("continues: pods run without a restart, nodes are renewed, and nothing is re-created", async () => {
    const first = await embeddedScene({ controllers, nodes: 2 });
    await first.during(first.you.create(ReplicaSets, web));
    await first.run(5000);
    const before = await first.list(Pods);
    await first.stop();
    const scene = await embeddedScene({ ...anHourLater, state: stateOf(first) });
    await scene.run(30_000);
    const after = await scene.list(Pods);
    const summaryOf = (pods: typeof before): unknown =>
      pods.map(({ metadata, spec, status }) => ({
        uid: metadata.uid,
        node: spec?.nodeName,
        ip: status?.podIP,
        restarts: status?.containerStatuses?.map(({ restartCount }) => restartCount),
        phase: status?.phase,
      }));
    expect(before).toHaveLength(3);
    expect(summaryOf(after)).toEqual(summaryOf(before));
    expect(after.every(isPodReady)).toBe(true);
    const nodes = (await scene.during(scene.you.list(Nodes))).items.map(({ metadata }) => metadata.name);
    expect(nodes).toEqual(["node-1", "node-2"]);
    const leases = await scene.list(Leases, "kube-node-lease");
    const oldest = Math.min(...leases.map(({ spec }) => Date.parse(spec?.renewTime ?? "")));
    expect(oldest).toBeGreaterThanOrEqual(anHourLater.startMs);
    await scene.stop();
  });

  test("continues deletions", async () => {
    const first = await embeddedScene({ controllers, nodes: 1 });
    await first.during(first.you.create(Namespaces, { metadata: { name: "going" } }));
    const pod = podOf("slow");
    const metadata = { ...pod.metadata, namespace: "going", finalizers: ["example.com/wait"] };
    await first.during(first.you.create(Pods, { ...pod, metadata }));
    await first.run(3000);
    await first.during(first.you.delete(Namespaces, { namespace: "", name: "going" }));
    await first.run(60_000);
    await first.stop();
    const scene = await embeddedScene({ ...anHourLater, state: stateOf(first) });
    const [waiting] = await scene.list(Pods, "going");
    expect(waiting?.metadata.deletionTimestamp).toBeDefined();
    const at = { namespace: "going", name: "slow" };
    const body = { metadata: { finalizers: null } };
    await scene.during(scene.you.patch(Pods, at, { type: "merge", body }));
    await scene.run(60_000);
    const names = (await scene.during(scene.you.list(Namespaces))).items.map(({ metadata }) => metadata.name);
    expect(names).not.toContain("going");
    await scene.stop();
  });

  test("can have more nodes, beside a silent one", async () => {
    const first = await embeddedScene({ nodes: 1 });
    const silent = { metadata: { annotations: { "sandbox.kubectl-reconcile.io/silent": "true" } } };
    const at = { namespace: "", name: "node-1" };
    await first.during(first.you.patch(Nodes, at, { type: "merge", body: silent }));
    await first.stop();
    const scene = await embeddedScene({ ...anHourLater, nodes: 2, state: stateOf(first) });
    const nodes = (await scene.during(scene.you.list(Nodes))).items.map(({ metadata }) => metadata.name);
    expect(nodes).toEqual(["node-1", "node-2"]);
    await scene.stop();
  });
});
