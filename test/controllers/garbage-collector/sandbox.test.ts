/** The garbage collector in an embedded cluster, on virtual time: which objects are deleted with each policy, and why. */
import { describe, expect, test } from "bun:test";
import { type Kind, kindOf } from "../../../src/api/kind.ts";
import { Pods, ReplicaSets } from "../../../src/api/kinds.ts";
import type { StoredObject } from "../../../src/api/object.ts";
import type { DeleteOptions } from "../../../src/client/api/verbs.ts";
import { garbageCollector } from "../../../src/controllers/garbage-collector/garbage-collector.ts";
import { replicaset } from "../../../src/controllers/replicaset/replicaset.ts";
import { embeddedScene, type EmbeddedScene } from "../../support/embedded-scene.ts";

const ConfigMaps: Kind = kindOf({
  group: "",
  version: "v1",
  kind: "ConfigMap",
  plural: "configmaps",
  namespaced: true,
});

interface GarbageScene extends EmbeddedScene {
  /** Creates a ConfigMap with these owners, in this order. */
  own(name: string, ...owners: readonly (StoredObject | Reference)[]): Promise<StoredObject>;
  names(kind?: Kind): Promise<readonly string[]>;
  delete(name: string, policy: DeleteOptions["propagationPolicy"]): Promise<void>;
  settle(): Promise<void>;
  /** The decisions of the garbage collector about an object as `rule: sentence`, without UIDs. */
  decisions(key: string): readonly string[];
}

interface Reference {
  readonly ownerReference: Readonly<Record<string, unknown>>;
}

function reference(owner: StoredObject | Reference, blockOwnerDeletion: boolean): Record<string, unknown> {
  if ("ownerReference" in owner) return owner.ownerReference;
  const { name, uid } = owner.metadata;
  return { apiVersion: "v1", kind: "ConfigMap", name, uid, blockOwnerDeletion };
}

async function scene(): Promise<GarbageScene> {
  const embedded = await embeddedScene({ controllers: [garbageCollector, replicaset], nodes: 1 });
  const { you, events } = embedded;
  const during = <T>(promise: Promise<T>): Promise<T> => embedded.during(promise);
  const settle = async (): Promise<void> => void (await embedded.run(20_000));
  return {
    ...embedded,
    settle,
    own: (name, ...owners) => {
      const ownerReferences = owners.map((owner) => reference(owner, true));
      return during(you.create(ConfigMaps, { metadata: { namespace: "default", name, ownerReferences } } as never));
    },
    async names(kind = ConfigMaps) {
      const { items } = await during(you.list(kind, { namespace: "default" }));
      return items.map(({ metadata }) => metadata.name).filter((name) => name !== "kube-root-ca.crt");
    },
    async delete(name, propagationPolicy) {
      const options = propagationPolicy === undefined ? {} : { propagationPolicy };
      await during(you.delete(ConfigMaps, { namespace: "default", name }, options));
      await settle();
    },
    decisions: (key) =>
      events.flatMap((event) =>
        event.stage === "decision" && event.controller === "garbage-collector" && event.key === key
          ? [`${event.rule}: ${event.sentence.replaceAll(/uid [^)]*\)/g, "uid …)")}`]
          : [],
      ),
  };
}

describe("a deleted owner", () => {
  test("in the background has its dependents deleted, and theirs, each with its reason", async () => {
    const it = await scene();
    const owner = await it.own("owner");
    const child = await it.own("child", owner);
    await it.own("grandchild", child);
    await it.own("stranger");
    await it.settle();
    await it.delete("owner", "Background");
    expect(await it.names()).toEqual(["stranger"]);
    expect(it.decisions("ConfigMap default/child")).toEqual([
      "delete: its only owner ConfigMap owner (uid …) is absent: its deletion was observed → delete, Background",
    ]);
    expect(it.decisions("ConfigMap default/grandchild")).toEqual([
      "delete: its only owner ConfigMap child (uid …) is absent: its deletion was observed → delete, Background",
    ]);
    await it.stop();
  });

  test("in the foreground is deleted after those that block it", async () => {
    const it = await scene();
    const owner = await it.own("owner");
    const child = await it.own("child", owner);
    await it.own("grandchild", child);
    await it.settle();
    await it.delete("owner", "Foreground");
    expect(await it.names()).toEqual([]);
    const gone = it.events.flatMap((event) =>
      event.stage === "delta" && event.type === "Deleted" && event.of.kind === "ConfigMap" ? [event.key] : [],
    );
    expect(gone).toEqual(["default/grandchild", "default/child", "default/owner"]);
    expect(it.decisions("ConfigMap default/owner").at(-1)).toBe(
      "dependents-gone: no dependent blocks its deletion → remove the finalizer foregroundDeletion",
    );
    const written = it.events.flatMap((event) =>
      event.stage === "write" && event.verb === "patch" && event.key === "default/owner" ? event.changes : [],
    );
    expect(written).toEqual([{ path: ".metadata.finalizers", before: ["foregroundDeletion"] }]);
    await it.stop();
  });

  test("leaves its dependents if they are to be orphaned", async () => {
    const it = await scene();
    const owner = await it.own("owner");
    const other = await it.own("other");
    await it.own("child", owner, other);
    await it.settle();
    await it.delete("owner", "Orphan");
    expect(await it.names()).toEqual(["child", "other"]);
    const child = await it.during(it.you.get(ConfigMaps, { namespace: "default", name: "child" }));
    expect(child.metadata.ownerReferences?.map(({ name }) => name)).toEqual(["other"]);
    expect(it.decisions("orphan ConfigMap default/owner")).toEqual([
      "orphan: ConfigMap default/owner is being deleted without its dependents → remove the reference to it from 1 dependent",
      "orphaned: all dependents are orphaned → remove the orphan finalizer",
    ]);
    await it.stop();
  });
});

test("a ReplicaSet is deleted with its pods, while its controller runs", async () => {
  const it = await scene();
  const labels = { app: "web" };
  const template = { metadata: { labels }, spec: { containers: [{ name: "main", image: "main:1" }] } };
  const spec = { replicas: 3, selector: { matchLabels: labels }, template };
  await it.during(it.you.create(ReplicaSets, { metadata: { namespace: "default", name: "web" }, spec }));
  await it.settle();
  expect(await it.names(Pods)).toHaveLength(3);
  await it.during(it.you.delete(ReplicaSets, { namespace: "default", name: "web" }));
  await it.run(60_000);
  expect(await it.names(Pods)).toEqual([]);
  expect(await it.names(ReplicaSets)).toEqual([]);
  const informersOfPods = it.events.filter((event) => event.stage === "list" && event.of.kind === "Pod");
  expect(informersOfPods).toHaveLength(1);
  await it.stop();
});

test("an object whose owner never existed is deleted, after a request to the API server", async () => {
  const it = await scene();
  await it.own("child", {
    ownerReference: {
      apiVersion: "v1",
      kind: "ConfigMap",
      name: "nobody",
      uid: "11111111-2222-3333-4444-555555555555",
    },
  });
  await it.settle();
  expect(await it.names()).toEqual([]);
  expect(it.decisions("ConfigMap default/child")).toEqual([
    "delete: its only owner ConfigMap nobody (uid …) is absent: 404 from the API server → delete, Background",
  ]);
  await it.stop();
});
