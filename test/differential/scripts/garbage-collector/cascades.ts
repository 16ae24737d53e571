/** The outcome for dependents when their owner is deleted. */
import type { Script } from "../../suite.ts";
import { changing, deleting, hold, make, making, owned, releasing, to } from "./owning.ts";

const family = making("create an owner with three dependents", {
  owner: undefined,
  a: owned("owner"),
  b: owned("owner"),
  c: owned("owner"),
});

const threeGenerations = making("create three generations", {
  owner: undefined,
  child: owned("owner"),
  grandchild: owned("child"),
});

const notBlocking = making("create an owner with a dependent that does not block", {
  owner: undefined,
  a: async (stage) => [await to(stage, "owner", "configmaps", { blockOwnerDeletion: false })],
});

export const cascades: readonly Script[] = [
  { name: "background: dependents are deleted after their owner", steps: [family, deleting("owner", "Background")] },
  {
    name: "background: three generations, one after the other",
    steps: [threeGenerations, deleting("owner", "Background")],
  },
  { name: "foreground: blocking dependents are deleted first", steps: [family, deleting("owner", "Foreground")] },
  {
    name: "foreground: three generations are deleted, the last one first",
    steps: [threeGenerations, deleting("owner", "Foreground")],
  },
  {
    name: "foreground: without dependents",
    steps: [making("create an object", { owner: undefined }), deleting("owner", "Foreground")],
  },
  {
    name: "foreground: dependents that do not block are deleted after the owner",
    steps: [notBlocking, deleting("owner", "Foreground")],
  },
  {
    name: "foreground: one dependent blocks, one does not",
    steps: [
      notBlocking,
      making("create a blocking dependent with a finalizer", { b: { owners: owned("owner"), finalizers: hold } }),
      deleting("owner", "Foreground"),
      releasing("b"),
    ],
  },
  {
    name: "foreground: the owner waits for a dependent with a finalizer",
    steps: [
      making("create an owner and a dependent with a finalizer", {
        owner: undefined,
        child: { owners: owned("owner"), finalizers: hold },
      }),
      deleting("owner", "Foreground"),
      releasing("child"),
    ],
  },
  {
    name: "foreground: a dependent with another owner is kept",
    steps: [
      making("create a dependent of two owners", {
        owner: undefined,
        other: undefined,
        child: owned("owner", "other"),
      }),
      deleting("owner", "Foreground"),
      deleting("other", "Background"),
    ],
  },
  {
    name: "foreground: a dependent drops its owner reference",
    steps: [
      making("create an owner and a dependent with a finalizer", {
        owner: undefined,
        child: { owners: owned("owner"), finalizers: hold },
      }),
      deleting("owner", "Foreground"),
      changing("child", "remove its owner", { ownerReferences: null }),
    ],
  },
  {
    name: "foreground: a dependent stops blocking",
    steps: [
      making("create an owner and a dependent with a finalizer", {
        owner: undefined,
        child: { owners: owned("owner"), finalizers: hold },
      }),
      deleting("owner", "Foreground"),
      changing("child", "set blockOwnerDeletion to false", async (stage) => ({
        ownerReferences: [await to(stage, "owner", "configmaps", { blockOwnerDeletion: false })],
      })),
      releasing("child"),
    ],
  },
  {
    name: "foreground: a dependent is created while its owner waits",
    steps: [
      making("create an owner and a dependent with a finalizer", {
        owner: undefined,
        child: { owners: owned("owner"), finalizers: hold },
      }),
      deleting("owner", "Foreground"),
      making("create another dependent", { late: owned("owner") }),
      releasing("child"),
    ],
  },
  {
    name: "foreground: two owners of one dependent both wait",
    steps: [
      making("create a dependent of two owners with a finalizer", {
        owner: undefined,
        other: undefined,
        child: { owners: owned("owner", "other"), finalizers: hold },
      }),
      deleting("owner", "Foreground"),
      deleting("other", "Foreground"),
      releasing("child"),
    ],
  },
  { name: "orphan: dependents lose their owner reference and are kept", steps: [family, deleting("owner", "Orphan")] },
  {
    name: "orphan: without dependents",
    steps: [making("create an object", { owner: undefined }), deleting("owner", "Orphan")],
  },
  {
    name: "orphan: references to other owners are kept",
    steps: [
      making("create a dependent of two owners", {
        owner: undefined,
        other: undefined,
        child: owned("owner", "other"),
      }),
      deleting("owner", "Orphan"),
      deleting("other", "Background"),
    ],
  },
  {
    name: "orphan: in the middle of three generations",
    steps: [threeGenerations, deleting("child", "Orphan"), deleting("owner", "Background")],
  },
  {
    name: "background: a dependent with the finalizer orphan orphans its own dependents",
    steps: [
      making("create three generations, the second with the finalizer orphan", {
        owner: undefined,
        child: { owners: owned("owner"), finalizers: ["orphan"] },
        grandchild: owned("child"),
      }),
      deleting("owner", "Background"),
    ],
  },
  {
    name: "background: a dependent with the finalizer foregroundDeletion waits for its own dependents",
    steps: [
      making("create three generations, the second with the finalizer foregroundDeletion", {
        owner: undefined,
        child: { owners: owned("owner"), finalizers: ["foregroundDeletion"] },
        grandchild: owned("child"),
      }),
      deleting("owner", "Background"),
    ],
  },
  {
    name: "dependents of an owner with a finalizer are kept until it is removed",
    steps: [
      making("create an owner with a finalizer, and a dependent", {
        owner: { finalizers: hold },
        child: owned("owner"),
      }),
      deleting("owner", "Background"),
      releasing("owner"),
    ],
  },
  {
    name: "a dependent with a finalizer is deleted once",
    steps: [
      making("create an owner and a dependent with a finalizer", {
        owner: undefined,
        child: { owners: owned("owner"), finalizers: hold },
      }),
      deleting("owner", "Background"),
      changing("child", "add a label", { labels: { touched: "yes" } }),
      releasing("child"),
    ],
  },
  {
    name: "dependents of several kinds",
    steps: [
      making("create a ConfigMap that owns a Secret, a Lease, a Pod, a ReplicaSet and a ServiceAccount", {
        owner: undefined,
        secret: { resource: "secrets", owners: owned("owner") },
        lease: { resource: "leases", owners: owned("owner") },
        pod: { resource: "pods", owners: owned("owner") },
        set: { resource: "replicasets", owners: owned("owner") },
        account: { resource: "serviceaccounts", owners: owned("owner") },
      }),
      deleting("owner", "Background"),
    ],
  },
  {
    name: "foreground: a ReplicaSet and its pods",
    steps: [
      making("create a ReplicaSet", { set: { resource: "replicasets" } }),
      {
        name: "create two of its pods",
        async act(stage) {
          const owners = async (): Promise<readonly [Awaited<ReturnType<typeof to>>]> => [
            await to(stage, "set", "replicasets", { controller: true }),
          ];
          for (const name of ["a", "b"]) await make(stage, name, { resource: "pods", owners });
        },
      },
      deleting("set", "Foreground", "replicasets"),
    ],
  },
];
