import { describe, expect, test } from "bun:test";
import { Leases, Pods, ReplicaSets } from "../../../src/api/kinds.ts";
import { kubelet, nodeHeartbeat } from "../../../src/controllers/kubelet/kubelet.ts";
import { scheduler } from "../../../src/controllers/scheduler/scheduler.ts";
import { SharedInformerFactory } from "../../../src/cache/shared-informer-factory.ts";
import { ControllerManager } from "../../../src/controller/runtime/controller-manager.ts";
import { seededRandom } from "../../../src/platform/random.ts";
import { TraceBus } from "../../../src/trace/bus.ts";
import { replicaset } from "../../../src/controllers/replicaset/replicaset.ts";
import { isPodReady } from "../../../src/controller/workload/pod-status.ts";
import { embeddedScene } from "../../support/embedded-scene.ts";
import { podOf } from "../../support/pods.ts";

describe("the embedded cluster", () => {
  test("brings a ReplicaSet from its creation to ready pods on several nodes, and stops cleanly", async () => {
    const scene = await embeddedScene({ controllers: [replicaset] });
    await scene.during(
      scene.you.create(ReplicaSets, {
        metadata: { namespace: "default", name: "web" },
        spec: {
          replicas: 6,
          selector: { matchLabels: { app: "web" } },
          template: { metadata: { labels: { app: "web" } }, spec: { containers: [{ name: "web", image: "nginx" }] } },
        },
      }),
    );
    expect(await scene.run(5000)).toBe("steady");
    const pods = await scene.list(Pods);
    expect(pods).toHaveLength(6);
    expect(pods.every(isPodReady)).toBe(true);
    expect(new Set(pods.map(({ spec }) => spec?.nodeName)).size).toBe(3);
    expect(new Set(pods.map(({ status }) => status?.podIP)).size).toBe(6);
    const web = await scene.during(scene.you.get(ReplicaSets, { namespace: "default", name: "web" }));
    expect(web.status?.readyReplicas).toBe(6);
    expect((await scene.list(Leases, "kube-node-lease")).map(({ metadata }) => metadata.name)).toEqual([
      "node-1",
      "node-2",
      "node-3",
    ]);
    await scene.stop();
  });

  test("continues after a restart of the kubelet", async () => {
    const scene = await embeddedScene({ nodes: 1 });
    const pass = async (ms: number): Promise<void> => {
      scene.timeline.after(ms, "test", () => undefined);
      await scene.run(ms);
    };
    await scene.during(scene.you.create(Pods, podOf("steady")));
    await scene.during(scene.you.create(Pods, podOf("crashing", { annotations: { crashes: "3" } })));
    await pass(4000);
    await scene.during(scene.cluster.manager.stop());
    const before = await scene.list(Pods);
    await pass(20_000);
    const { timeline, cluster } = scene;
    const random = seededRandom(9);
    const bus = new TraceBus({ now: () => timeline.now() });
    const again = new ControllerManager({
      controllers: [kubelet, nodeHeartbeat],
      informers: new SharedInformerFactory({ client: cluster.clientFor("again"), timeline, random, bus, freeze: true }),
      clientOf: ({ name }) => cluster.clientFor(`again ${name}`),
      bus,
      timeline,
      random,
    });
    await scene.during(again.fillCaches());
    again.startWorkers();
    await pass(60_000);
    const after = await scene.list(Pods);
    const summaryOf = (pods: typeof after): unknown =>
      pods.map(({ metadata, status }) => ({
        name: metadata.name,
        podIP: status?.podIP,
        restarts: status?.containerStatuses?.[0]?.restartCount,
        ready: isPodReady({ metadata, ...(status !== undefined && { status }) }),
      }));
    expect(summaryOf(before)).toEqual([
      { name: "crashing", podIP: "10.1.0.2", restarts: 1, ready: false },
      { name: "steady", podIP: "10.1.0.1", restarts: 0, ready: true },
    ]);
    expect(summaryOf(after)).toEqual([
      { name: "crashing", podIP: "10.1.0.2", restarts: 3, ready: true },
      { name: "steady", podIP: "10.1.0.1", restarts: 0, ready: true },
    ]);
    const steady = (pods: typeof after): unknown => pods.find(({ metadata }) => metadata.name === "steady")?.status;
    expect(steady(after)).toEqual(steady(before));
    await scene.during(again.stop());
    cluster.sandbox.stop();
  });

  test("runs a controller once, though it is requested twice", async () => {
    const scene = await embeddedScene({ nodes: 0, controllers: [scheduler, replicaset, scheduler] });
    expect(scene.cluster.manager.controllers.map(({ definition }) => definition.name)).toEqual([
      "serviceaccount",
      "scheduler",
      "kubelet",
      "node-heartbeat",
      "replicaset",
    ]);
    await scene.stop();
  });

  test("leaves nothing on its timeline once it is stopped", async () => {
    const scene = await embeddedScene({ controllers: [replicaset] });
    await scene.during(scene.you.create(Pods, podOf("pod", { annotations: { "run-for": "1s", "exit-code": "1" } })));
    await scene.run(30_000);
    await scene.stop();
    const before = scene.events.length;
    scene.timeline.after(3_600_000, "test", () => undefined);
    expect(await scene.run(3_600_000)).toBe("steady");
    expect(scene.events.slice(before)).toEqual([]);
  });
});
