/** Owner references that are invalid, contradictory or circular. */
import type { Script, Step } from "../../suite.ts";
import { changing, deleting, hold, make, making, type Owners, owned, releasing, to, toNobody } from "./owning.ts";

const nobody: Owners = (stage) => Promise.resolve([toNobody(stage)]);

/** Twenty workers process the objects of a circle concurrently, and each sees the others in their current state. */
const inACircle = "which objects see that they are in a circle, and are unblocked";

/** Makes each object the owner of the next, and the last one that of the first. */
function circle(...names: readonly string[]): Step {
  return {
    name: `${names.join(" → ")} → ${names[0]}`,
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
    name: "two owners: the reference to the one that goes is dropped",
    steps: [
      making("a dependent of two", { owner: undefined, other: undefined, child: owned("owner", "other") }),
      deleting("owner", "Background"),
      deleting("other", "Background"),
    ],
  },
  {
    name: "an owner that never was",
    steps: [
      making("a held object without owners", { child: { finalizers: hold } }),
      changing("child", "an owner that never was", async (stage) => ({ ownerReferences: await nobody(stage) })),
      releasing("child"),
    ],
  },
  {
    name: "one owner that never was, one that is",
    steps: [
      making("an owner and a dependent", { owner: undefined, child: owned("owner") }),
      changing("child", "another owner, that never was", async (stage) => ({
        ownerReferences: [toNobody(stage), await to(stage, "owner")],
      })),
    ],
  },
  {
    name: "an owner of the same name, made anew",
    steps: [
      making("a dependent that is held", { owner: undefined, child: { owners: owned("owner"), finalizers: hold } }),
      {
        name: "owner is deleted and made again",
        async act(stage) {
          await stage.remove("configmaps", "owner", { propagationPolicy: "Background" });
          await make(stage, "owner");
        },
      },
      releasing("child"),
    ],
  },
  {
    name: "a reference with another kind than its owner has",
    steps: [
      making("an owner, and an object that is held", { owner: undefined, child: { finalizers: hold } }),
      changing("child", "an owner by its uid, as a Secret", async (stage) => ({
        ownerReferences: [await to(stage, "owner", "configmaps", { kind: "Secret" })],
      })),
      releasing("child"),
    ],
  },
  {
    name: "a reference with another name than its owner has",
    steps: [
      making("an owner, and an object that is held", { owner: undefined, child: { finalizers: hold } }),
      changing("child", "an owner by its uid, under another name", async (stage) => ({
        ownerReferences: [await to(stage, "owner", "configmaps", { name: "other" })],
      })),
      releasing("child"),
    ],
  },
  {
    name: "a right and a wrong reference to one owner",
    steps: [
      making("an owner with a dependent, and an object that is held", {
        owner: undefined,
        good: owned("owner"),
        bad: { finalizers: hold },
      }),
      changing("bad", "the owner by its uid, as a Secret", async (stage) => ({
        ownerReferences: [await to(stage, "owner", "configmaps", { kind: "Secret" })],
      })),
      releasing("bad"),
      deleting("owner", "Background"),
    ],
  },
  {
    name: "a version of the owner's kind that the server does not have",
    steps: [
      making("an owner", { owner: undefined, child: undefined }),
      changing("child", "its owner as v1beta9", async (stage) => ({
        ownerReferences: [await to(stage, "owner", "configmaps", { apiVersion: "v1beta9" })],
      })),
      changing("child", "its owner as it is", async (stage) => ({ ownerReferences: [await to(stage, "owner")] })),
      deleting("owner", "Background"),
    ],
  },
  {
    name: "two objects say different things of an owner that never was",
    steps: [
      making("two objects that are held", { a: { finalizers: hold }, b: { finalizers: hold } }),
      changing("a", "it is a ConfigMap", async (stage) => ({ ownerReferences: await nobody(stage) })),
      changing("b", "it is a Secret", (stage) =>
        Promise.resolve({ ownerReferences: [toNobody(stage, { kind: "Secret" })] }),
      ),
      releasing("a"),
      releasing("b"),
    ],
  },
  {
    name: "an owner in another namespace",
    steps: [
      { name: "an owner in another namespace", act: async (stage) => make(await stage.beside("other"), "owner") },
      making("an object that is held", { child: { finalizers: hold } }),
      changing("child", "the owner in the other namespace", async (stage) => ({
        ownerReferences: [await to(await stage.beside("other"), "owner")],
      })),
      releasing("child"),
    ],
  },
  {
    name: "an owner in another namespace, and one here",
    steps: [
      { name: "an owner in another namespace", act: async (stage) => make(await stage.beside("other"), "owner") },
      making("an owner here, and its dependent", { here: undefined, child: owned("here") }),
      changing("child", "the owner in the other namespace too", async (stage) => ({
        ownerReferences: [await to(await stage.beside("other"), "owner"), await to(stage, "here")],
      })),
    ],
  },
  {
    name: "a cluster-scoped owner",
    steps: [
      making("a ClusterRole", { role: { resource: "clusterroles" } }),
      making("what it owns", { child: { owners: async (stage) => [await to(stage, "role", "clusterroles")] } }),
      deleting("role", "Foreground", "clusterroles"),
    ],
  },
  {
    name: "a cluster-scoped owner of cluster-scoped objects",
    steps: [
      making("a ClusterRole", { role: { resource: "clusterroles" } }),
      making("a PriorityClass that it owns", {
        class: { resource: "priorityclasses", owners: async (stage) => [await to(stage, "role", "clusterroles")] },
      }),
      deleting("role", "Background", "clusterroles"),
    ],
  },
  {
    name: "a cluster-scoped owner that never was",
    steps: [
      making("an object that is held", { child: { finalizers: hold } }),
      changing("child", "a ClusterRole that never was", (stage) =>
        Promise.resolve({
          ownerReferences: [toNobody(stage, { apiVersion: "rbac.authorization.k8s.io/v1", kind: "ClusterRole" })],
        }),
      ),
      releasing("child"),
    ],
  },
  {
    name: "a cluster-scoped object owned by one that has a namespace",
    steps: [
      making("an owner", { owner: undefined }),
      making("a ClusterRole that it owns", { role: { resource: "clusterroles", owners: owned("owner") } }),
      deleting("owner", "Background"),
      changing("role", "it has no owner any more", { ownerReferences: null }, "clusterroles"),
      deleting("role", "Foreground", "clusterroles"),
    ],
  },
  {
    name: "a circle of two, deleted in the foreground",
    steps: [
      making("two objects", { a: undefined, b: undefined }),
      circle("a", "b"),
      { ...deleting("a", "Foreground"), chance: inACircle },
    ],
  },
  {
    name: "a circle of three, deleted in the foreground",
    steps: [
      making("three objects", { a: undefined, b: undefined, c: undefined }),
      circle("a", "b", "c"),
      { ...deleting("b", "Foreground"), chance: inACircle },
    ],
  },
  {
    name: "a circle of three, deleted in the background",
    steps: [
      making("three objects", { a: undefined, b: undefined, c: undefined }),
      circle("a", "b", "c"),
      deleting("b", "Background"),
    ],
  },
  {
    name: "an object that owns itself",
    steps: [making("an object", { a: undefined }), circle("a"), deleting("a", "Foreground")],
  },
  {
    name: "an owner is named later",
    steps: [
      making("three objects", { owner: undefined, a: undefined, b: undefined }),
      changing("a", "it is owned", async (stage) => ({ ownerReferences: [await to(stage, "owner")] })),
      deleting("owner", "Background"),
    ],
  },
  {
    name: "an owner is named while it waits",
    steps: [
      making("a held dependent, and a stranger", {
        owner: undefined,
        child: { owners: owned("owner"), finalizers: hold },
        stranger: undefined,
      }),
      deleting("owner", "Foreground"),
      changing("stranger", "it is owned", async (stage) => ({ ownerReferences: [await to(stage, "owner")] })),
      releasing("child"),
    ],
  },
  {
    name: "Events are no part of the graph",
    steps: [
      making("an owner and its dependent", { owner: undefined, child: owned("owner") }),
      {
        name: "an Event that is owned",
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
