import { describe, expect, test } from "bun:test";
import { keyOf } from "../../src/api/key.ts";
import type { StoredObject } from "../../src/api/object.ts";
import { Chain, type ObjectName, ownersAbove } from "../../src/views/chains.ts";

function objectOf(kind: string, name: string, owner?: StoredObject): StoredObject {
  const reference = owner && {
    apiVersion: "v1",
    kind: owner.kind ?? "",
    name: owner.metadata.name,
    uid: owner.metadata.uid,
    controller: true,
  };
  return {
    kind,
    metadata: {
      name,
      namespace: "shop",
      uid: `${kind} ${name}`,
      resourceVersion: "1",
      creationTimestamp: "",
      ...(reference !== undefined && { ownerReferences: [reference] }),
    },
  };
}

const deployment = objectOf("Deployment", "web");
const replicaSet = objectOf("ReplicaSet", "web-1", deployment);
const pod = objectOf("Pod", "web-1-a", replicaSet);
const stranger = objectOf("Pod", "other", objectOf("ReplicaSet", "other"));
const cached = new Map(
  [deployment, replicaSet, pod, stranger].map((object) => [`${object.kind} ${keyOf(object)}`, object]),
);
const find = ({ kind, key }: ObjectName): StoredObject | undefined => cached.get(`${kind} ${key}`);
const nameOf = (object: StoredObject): ObjectName => ({ kind: object.kind ?? "", key: keyOf(object) });

describe("a chain of owners", () => {
  test("has the nearest owners first", () => {
    expect(ownersAbove(nameOf(pod), find)).toEqual([nameOf(replicaSet), nameOf(deployment)]);
  });

  test("ends at a deleted owner: a new object of its name is another one", () => {
    const again = new Map(cached).set("ReplicaSet shop/web-1", {
      ...objectOf("ReplicaSet", "web-1"),
      metadata: { ...replicaSet.metadata, uid: "new" },
    });
    const owners = ownersAbove(nameOf(pod), ({ kind, key }) => again.get(`${kind} ${key}`));
    expect(owners).toEqual([nameOf(replicaSet)]);
  });

  test("has the objects above and below its object, and no siblings", () => {
    for (const target of [deployment, replicaSet, pod]) {
      const chain = new Chain(nameOf(target), find);
      expect([deployment, replicaSet, pod, stranger].map((object) => chain.has(nameOf(object)))).toEqual([
        true,
        true,
        true,
        false,
      ]);
    }
  });

  test("keeps an object that was deleted", () => {
    const left = new Map(cached);
    const chain = new Chain(nameOf(deployment), ({ kind, key }) => left.get(`${kind} ${key}`));
    expect(chain.has(nameOf(pod))).toBe(true);
    left.clear();
    expect(chain.has(nameOf(pod))).toBe(true);
  });
});
