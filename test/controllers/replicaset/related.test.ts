import { beforeEach, describe, expect, test } from "bun:test";
import { Pods, ReplicaSets } from "../../../src/api/kinds.ts";
import { indexByOwner } from "../../../src/controllers/replicaset/related.ts";
import { replicaset } from "../../../src/controllers/replicaset/replicaset.ts";
import { type Scene, syncScene } from "../../support/sync-context.ts";
import { deploymentOf, ownedBy, podOf, replicaSetOf } from "../../support/workloads.ts";

const shop = deploymentOf("shop");
const hashed = (hash: string): { readonly app: string; readonly hash: string } => ({ app: "web", hash });
const selecting = (hash: string): object => ({ spec: { selector: { matchLabels: hashed(hash) } } });

let scene: Scene;
beforeEach(() => {
  scene = syncScene(replicaset);
});

async function deletedOf(scene: Scene): Promise<readonly string[]> {
  await scene.sync("shop/web");
  return scene.calls.filter(({ verb }) => verb === "delete").map(({ name }) => name);
}

describe("ranking by the pods of the same Deployment", () => {
  const onNode = (name: string, node: string, hash: string, owner = replicaSetOf()): ReturnType<typeof podOf> =>
    podOf(name, { node, labels: hashed(hash), owner });

  test("the pod that shares its node with pods of an older ReplicaSet is deleted first", async () => {
    const old = ownedBy(shop, { name: "old", ...selecting("1") });
    scene.put(ReplicaSets, ownedBy(shop, { replicas: 1, ...selecting("2") }), old);
    scene.put(Pods, onNode("alone", "n1", "2"), onNode("crowded", "n2", "2"), onNode("older", "n2", "1", old));
    expect(await deletedOf(scene)).toEqual(["crowded"]);
    expect(scene.decisions[0]?.facts).toMatchObject({ by: "most pods on the node first" });
  });

  test("pods of another Deployment, or of a ReplicaSet without a controller, do not count", async () => {
    const foreign = ownedBy(deploymentOf("other"), { name: "foreign", ...selecting("1") });
    const free = replicaSetOf({ name: "free", ...selecting("3") });
    scene.put(ReplicaSets, ownedBy(shop, { replicas: 1, ...selecting("2") }), foreign, free);
    scene.put(
      Pods,
      onNode("alone", "n1", "2"),
      onNode("beside", "n2", "2"),
      onNode("a", "n2", "1", foreign),
      onNode("b", "n2", "3", free),
    );
    expect(await deletedOf(scene)).toEqual(["alone"]);
  });

  test("pods of another namespace do not count, whatever their labels and node", async () => {
    scene.put(ReplicaSets, ownedBy(shop, { replicas: 1, ...selecting("2") }));
    scene.put(Pods, onNode("alone", "n1", "2"), onNode("beside", "n2", "2"));
    const elsewhere = (name: string): ReturnType<typeof podOf> =>
      podOf(name, { node: "n2", labels: hashed("2"), owner: "none", meta: { namespace: "elsewhere" } });
    scene.put(Pods, elsewhere("a"), elsewhere("b"));
    expect(await deletedOf(scene)).toEqual(["alone"]);
  });

  test("a ReplicaSet is indexed by its controller, and not at all without one", () => {
    expect(indexByOwner(ownedBy(shop, {}))).toEqual(["uid-shop"]);
    expect(indexByOwner(replicaSetOf())).toEqual([]);
  });

  test("a ReplicaSet without a controller does not even count its own pods", async () => {
    scene.put(ReplicaSets, replicaSetOf({ replicas: 2 }));
    scene.put(Pods, podOf("alone", { node: "n1" }), podOf("one", { node: "n2" }), podOf("two", { node: "n2" }));
    expect(await deletedOf(scene)).toEqual(["alone"]);
  });

  test("a ReplicaSet that is being deleted counts; one with an invalid selector does not", async () => {
    const going = ownedBy(shop, {
      name: "going",
      ...selecting("1"),
      meta: { deletionTimestamp: "2026-11-21T09:59:00Z" },
    });
    const odd = ownedBy(shop, {
      name: "odd",
      spec: { selector: { matchExpressions: [{ key: "app", operator: "Like", values: ["web"] }] } },
    });
    scene.put(ReplicaSets, ownedBy(shop, { replicas: 1, ...selecting("2") }), going, odd);
    scene.put(Pods, onNode("alone", "n1", "2"), onNode("crowded", "n2", "2"), onNode("older", "n2", "1", going));
    expect(await deletedOf(scene)).toEqual(["crowded"]);
  });
});
