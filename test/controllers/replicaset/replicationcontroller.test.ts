import { beforeEach, describe, expect, test } from "bun:test";
import { Pods, ReplicationControllers } from "../../../src/api/kinds.ts";
import { controllerReference } from "../../../src/api/owner-references.ts";
import type { Pod, ReplicationController } from "../../../src/api/types.ts";
import { replicationcontroller } from "../../../src/controllers/replicaset/replicationcontroller.ts";
import { type Scene, syncScene } from "../../support/sync-context.ts";
import { deploymentOf, podOf, type PodParts, replicationControllerOf } from "../../support/workloads.ts";

const web = replicationControllerOf({ replicas: 2 });
const mine = (name: string, parts: PodParts = {}): Pod =>
  podOf(name, { owner: web, ownerKind: ReplicationControllers, ...parts });

let scene: Scene;
beforeEach(() => {
  scene = syncScene(replicationcontroller);
});

describe("replicationcontroller", () => {
  test("creates pods that it controls, and records Events about it", async () => {
    scene.put(ReplicationControllers, web);
    await scene.sync("shop/web");
    const [created] = scene.live(Pods);
    expect(created?.metadata.ownerReferences).toEqual([
      {
        apiVersion: "v1",
        kind: "ReplicationController",
        name: "web",
        uid: "uid-web",
        controller: true,
        blockOwnerDeletion: true,
      },
    ]);
    expect(scene.events.map(({ about }) => about)).toEqual(["ReplicationController web", "ReplicationController web"]);
  });

  test("its status has no terminating pods", async () => {
    scene.put(ReplicationControllers, web);
    scene.put(
      Pods,
      mine("a", { ready: true }),
      mine("b"),
      mine("going", { meta: { deletionTimestamp: "2026-11-21T09:59:00Z" } }),
    );
    await scene.sync("shop/web");
    const body = scene.calls.find(({ verb }) => verb === "updateStatus")?.body as ReplicationController;
    expect(body.status).toEqual({
      replicas: 2,
      fullyLabeledReplicas: 2,
      readyReplicas: 1,
      availableReplicas: 1,
      observedGeneration: 1,
    });
  });

  test("it does not wait for caches that lack its writes, only for its expectations", async () => {
    scene.put(ReplicationControllers, web);
    await scene.sync("shop/web");
    await scene.sync("shop/web");
    expect(scene.decisions[0]?.rule).toBe("wait");
    expect(() => scene.consistency.ensureReady("shop/web")).not.toThrow();
  });

  test("its selector is a map of labels; an empty one selects nothing", async () => {
    scene.put(ReplicationControllers, replicationControllerOf({ replicas: 1, spec: { selector: undefined } }));
    scene.put(Pods, podOf("orphan", { owner: "none" }));
    await scene.sync("shop/web");
    expect(scene.calls.map(({ verb }) => verb)).toEqual(["create", "updateStatus"]);
    scene.put(ReplicationControllers, replicationControllerOf({ name: "other", replicas: 1 }));
    await scene.sync("shop/other");
    expect(scene.calls.map(({ verb }) => verb)).toEqual(["get", "patch", "updateStatus"]);
  });

  test("pods of its owner's other objects do not count in the ranking", async () => {
    const config = controllerReference(ReplicationControllers, deploymentOf("config"));
    const owned = (name: string, replicas: number): ReplicationController =>
      replicationControllerOf({ name, replicas, meta: { ownerReferences: [config] } });
    scene.put(ReplicationControllers, owned("web", 1), owned("older", 1));
    scene.put(Pods, mine("alone", { node: "n1" }), mine("beside", { node: "n2" }));
    scene.put(Pods, podOf("old", { owner: owned("older", 1), ownerKind: ReplicationControllers, node: "n2" }));
    await scene.sync("shop/web");
    expect(scene.calls.filter(({ verb }) => verb === "delete").map(({ name }) => name)).toEqual(["alone"]);
  });

  test("a ReplicaSet of its name does not enqueue it", () => {
    scene.put(ReplicationControllers, web);
    scene.notify(Pods, { type: "added", object: podOf("a"), initial: false });
    expect(scene.woken).toEqual([]);
    scene.notify(Pods, { type: "added", object: mine("b"), initial: false });
    expect(scene.woken).toEqual(["shop/web"]);
  });
});
