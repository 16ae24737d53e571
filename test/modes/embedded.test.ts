import { describe, expect, test } from "bun:test";
import { Leases, Pods, ReplicaSets } from "../../src/api/kind.ts";
import { replicaset } from "../../src/controllers/replicaset/replicaset.ts";
import { isPodReady } from "../../src/controller/pod-status.ts";
import { embeddedScene } from "../support/embedded-scene.ts";

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
});
