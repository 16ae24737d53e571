/** Owner references that are invalid, contradictory or circular. */
import type { Script, Step } from "../../suite.ts";
import { changing, deleting, hold, make, making, type Owners, owned, releasing, to, toNobody } from "./owning.ts";

const nobody: Owners = (stage) => Promise.resolve([toNobody(stage)]);

/** Twenty workers process the objects of a circle concurrently, and each sees the others in their current state. */
const inACircle = "which objects of a cycle see that they are in one, and are unblocked";

/** Makes each object the owner of the next, and the last one that of the first. */
function circle(...names: readonly string[]): Step {
  return {
    name: `set the owners ${names.join(" → ")} → ${names[0]}`,
    async act(stage) {
      for (const [n, name] of names.entries()) {
        const owner = names.at(n - 1) as string;
        await stage.patch("configmaps", name, { metadata: { ownerReferences: [await to(stage, owner)] } });
      }
    },
  };
}

export const references: readonly Script[] = [
  {
    name: "a reference to a deleted owner is removed if another owner exists",
    steps: [
      making("create a dependent of two owners", {
        owner: undefined,
        other: undefined,
        child: owned("owner", "other"),
      }),
      deleting("owner", "Background"),
      deleting("other", "Background"),
    ],
  },
  {
    name: "the owner never existed",
    steps: [
      making("create an object with a finalizer and no owner", { child: { finalizers: hold } }),
      changing("child", "set an owner that never existed", async (stage) => ({ ownerReferences: await nobody(stage) })),
      releasing("child"),
    ],
  },
  {
    name: "one owner never existed, another exists",
    steps: [
      making("create an owner and a dependent", { owner: undefined, child: owned("owner") }),
      changing("child", "add an owner that never existed", async (stage) => ({
        ownerReferences: [toNobody(stage), await to(stage, "owner")],
      })),
    ],
  },
  {
    name: "the owner is recreated with the same name",
    steps: [
      making("create an owner and a dependent with a finalizer", {
        owner: undefined,
        child: { owners: owned("owner"), finalizers: hold },
      }),
      {
        name: "recreate the owner",
        async act(stage) {
          await stage.remove("configmaps", "owner", { propagationPolicy: "Background" });
          await make(stage, "owner");
        },
      },
      releasing("child"),
    ],
  },
  {
    name: "a reference with the wrong kind",
    steps: [
      making("create an owner, and an object with a finalizer", { owner: undefined, child: { finalizers: hold } }),
      changing("child", "refer to the uid of the owner, as a Secret", async (stage) => ({
        ownerReferences: [await to(stage, "owner", "configmaps", { kind: "Secret" })],
      })),
      releasing("child"),
    ],
  },
  {
    name: "a reference with the wrong name",
    steps: [
      making("create an owner, and an object with a finalizer", { owner: undefined, child: { finalizers: hold } }),
      changing("child", "refer to the uid of the owner, with another name", async (stage) => ({
        ownerReferences: [await to(stage, "owner", "configmaps", { name: "other" })],
      })),
      releasing("child"),
    ],
  },
  {
    name: "a correct and a wrong reference to the same owner",
    steps: [
      making("create an owner with a dependent, and an object with a finalizer", {
        owner: undefined,
        good: owned("owner"),
        bad: { finalizers: hold },
      }),
      changing("bad", "refer to the uid of the owner, as a Secret", async (stage) => ({
        ownerReferences: [await to(stage, "owner", "configmaps", { kind: "Secret" })],
      })),
      releasing("bad"),
      deleting("owner", "Background"),
    ],
  },
  {
    name: "a reference with an apiVersion that the server does not serve",
    steps: [
      making("create two objects", { owner: undefined, child: undefined }),
      changing("child", "set the owner with v1beta9", async (stage) => ({
        ownerReferences: [await to(stage, "owner", "configmaps", { apiVersion: "v1beta9" })],
      })),
      changing("child", "set the owner with v1", async (stage) => ({ ownerReferences: [await to(stage, "owner")] })),
      deleting("owner", "Background"),
    ],
  },
  {
    name: "two objects refer to an owner that never existed, with different kinds",
    steps: [
      making("create two objects with finalizers", { a: { finalizers: hold }, b: { finalizers: hold } }),
      changing("a", "set a ConfigMap as the owner", async (stage) => ({ ownerReferences: await nobody(stage) })),
      changing("b", "set a Secret as the owner", (stage) =>
        Promise.resolve({ ownerReferences: [toNobody(stage, { kind: "Secret" })] }),
      ),
      releasing("a"),
      releasing("b"),
    ],
  },
  {
    name: "the owner is in another namespace",
    steps: [
      {
        name: "create the owner in another namespace",
        act: async (stage) => make(await stage.beside("other"), "owner"),
      },
      making("create an object with a finalizer", { child: { finalizers: hold } }),
      changing("child", "set the owner in the other namespace", async (stage) => ({
        ownerReferences: [await to(await stage.beside("other"), "owner")],
      })),
      releasing("child"),
    ],
  },
  {
    name: "one owner is in another namespace, one in the same",
    steps: [
      {
        name: "create an owner in another namespace",
        act: async (stage) => make(await stage.beside("other"), "owner"),
      },
      making("create an owner in this namespace, and its dependent", { here: undefined, child: owned("here") }),
      changing("child", "add the owner in the other namespace", async (stage) => ({
        ownerReferences: [await to(await stage.beside("other"), "owner"), await to(stage, "here")],
      })),
    ],
  },
  {
    name: "a cluster-scoped owner",
    steps: [
      making("create a ClusterRole", { role: { resource: "clusterroles" } }),
      making("create its dependent", { child: { owners: async (stage) => [await to(stage, "role", "clusterroles")] } }),
      deleting("role", "Foreground", "clusterroles"),
    ],
  },
  {
    name: "a cluster-scoped owner of cluster-scoped objects",
    steps: [
      making("create a ClusterRole", { role: { resource: "clusterroles" } }),
      making("create a PriorityClass that it owns", {
        class: { resource: "priorityclasses", owners: async (stage) => [await to(stage, "role", "clusterroles")] },
      }),
      deleting("role", "Background", "clusterroles"),
    ],
  },
  {
    name: "a cluster-scoped owner that never existed",
    steps: [
      making("create an object with a finalizer", { child: { finalizers: hold } }),
      changing("child", "set a ClusterRole that never existed as the owner", (stage) =>
        Promise.resolve({
          ownerReferences: [toNobody(stage, { apiVersion: "rbac.authorization.k8s.io/v1", kind: "ClusterRole" })],
        }),
      ),
      releasing("child"),
    ],
  },
  {
    name: "a cluster-scoped object owned by a namespaced one",
    steps: [
      making("create an owner", { owner: undefined }),
      making("create a ClusterRole that it owns", { role: { resource: "clusterroles", owners: owned("owner") } }),
      deleting("owner", "Background"),
      changing("role", "remove its owner", { ownerReferences: null }, "clusterroles"),
      deleting("role", "Foreground", "clusterroles"),
    ],
  },
  {
    name: "a cycle of two is deleted in the foreground",
    steps: [
      making("create two objects", { a: undefined, b: undefined }),
      circle("a", "b"),
      { ...deleting("a", "Foreground"), chance: inACircle },
    ],
  },
  {
    name: "a cycle of three is deleted in the foreground",
    steps: [
      making("create three objects", { a: undefined, b: undefined, c: undefined }),
      circle("a", "b", "c"),
      { ...deleting("b", "Foreground"), chance: inACircle },
    ],
  },
  {
    name: "a cycle of three is deleted in the background",
    steps: [
      making("create three objects", { a: undefined, b: undefined, c: undefined }),
      circle("a", "b", "c"),
      deleting("b", "Background"),
    ],
  },
  {
    name: "an object that owns itself",
    steps: [making("create an object", { a: undefined }), circle("a"), deleting("a", "Foreground")],
  },
  {
    name: "an owner reference is added later",
    steps: [
      making("create three objects", { owner: undefined, a: undefined, b: undefined }),
      changing("a", "set its owner", async (stage) => ({ ownerReferences: [await to(stage, "owner")] })),
      deleting("owner", "Background"),
    ],
  },
  {
    name: "an owner reference is added while the owner waits",
    steps: [
      making("create an owner, a dependent with a finalizer, and an unrelated object", {
        owner: undefined,
        child: { owners: owned("owner"), finalizers: hold },
        stranger: undefined,
      }),
      deleting("owner", "Foreground"),
      changing("stranger", "set its owner", async (stage) => ({ ownerReferences: [await to(stage, "owner")] })),
      releasing("child"),
    ],
  },
  {
    name: "Events are not part of the graph",
    steps: [
      making("create an owner and a dependent", { owner: undefined, child: owned("owner") }),
      {
        name: "create an Event that it owns",
        act: async (stage) =>
          stage.create("events", {
            metadata: { name: "said", ownerReferences: [await to(stage, "owner")] },
            involvedObject: { kind: "ConfigMap", name: "owner", namespace: stage.namespace, apiVersion: "v1" },
            reason: "Said",
            message: "said",
            type: "Normal",
          }),
      },
      deleting("owner", "Foreground"),
    ],
  },
];
