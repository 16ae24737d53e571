/** The outcome for dependents when their owner is deleted. */
import type { Script } from "../../suite.ts";
import { changing, deleting, hold, make, making, owned, releasing, to } from "./owning.ts";

const family = making("an owner with three dependents", {
  owner: undefined,
  a: owned("owner"),
  b: owned("owner"),
  c: owned("owner"),
});

const threeGenerations = making("three generations", {
  owner: undefined,
  child: owned("owner"),
  grandchild: owned("child"),
});

const notBlocking = making("an owner with dependents that do not block", {
  owner: undefined,
  a: async (stage) => [await to(stage, "owner", "configmaps", { blockOwnerDeletion: false })],
});

export const cascades: readonly Script[] = [
  { name: "background: dependents follow their owner", steps: [family, deleting("owner", "Background")] },
  {
    name: "background: three generations, one after the other",
    steps: [threeGenerations, deleting("owner", "Background")],
  },
  { name: "foreground: blocking dependents go first", steps: [family, deleting("owner", "Foreground")] },
  { name: "foreground: three generations, from the last", steps: [threeGenerations, deleting("owner", "Foreground")] },
  {
    name: "foreground: without dependents",
    steps: [making("an object", { owner: undefined }), deleting("owner", "Foreground")],
  },
  { name: "foreground: dependents that do not block follow", steps: [notBlocking, deleting("owner", "Foreground")] },
  {
    name: "foreground: one dependent blocks, one does not",
    steps: [
      notBlocking,
      making("a blocking one, held", { b: { owners: owned("owner"), finalizers: hold } }),
      deleting("owner", "Foreground"),
      releasing("b"),
    ],
  },
  {
    name: "foreground: the owner waits for a dependent that is held",
    steps: [
      making("an owner with a held dependent", {
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
      making("a dependent of two", { owner: undefined, other: undefined, child: owned("owner", "other") }),
      deleting("owner", "Foreground"),
      deleting("other", "Background"),
    ],
  },
  {
    name: "foreground: a dependent lets go of its owner",
    steps: [
      making("a held dependent", { owner: undefined, child: { owners: owned("owner"), finalizers: hold } }),
      deleting("owner", "Foreground"),
      changing("child", "it has no owner any more", { ownerReferences: null }),
    ],
  },
  {
    name: "foreground: a dependent blocks no more",
    steps: [
      making("a held dependent", { owner: undefined, child: { owners: owned("owner"), finalizers: hold } }),
      deleting("owner", "Foreground"),
      changing("child", "it blocks no more", async (stage) => ({
        ownerReferences: [await to(stage, "owner", "configmaps", { blockOwnerDeletion: false })],
      })),
      releasing("child"),
    ],
  },
  {
    name: "foreground: a dependent that comes while its owner waits",
    steps: [
      making("a held dependent", { owner: undefined, child: { owners: owned("owner"), finalizers: hold } }),
      deleting("owner", "Foreground"),
      making("another dependent", { late: owned("owner") }),
      releasing("child"),
    ],
  },
  {
    name: "foreground: two owners of one dependent, both wait",
    steps: [
      making("a held dependent of two", {
        owner: undefined,
        other: undefined,
        child: { owners: owned("owner", "other"), finalizers: hold },
      }),
      deleting("owner", "Foreground"),
      deleting("other", "Foreground"),
      releasing("child"),
    ],
  },
  { name: "orphan: dependents lose their owner and stay", steps: [family, deleting("owner", "Orphan")] },
  {
    name: "orphan: without dependents",
    steps: [making("an object", { owner: undefined }), deleting("owner", "Orphan")],
  },
  {
    name: "orphan: other owners stay",
    steps: [
      making("a dependent of two", { owner: undefined, other: undefined, child: owned("owner", "other") }),
      deleting("owner", "Orphan"),
      deleting("other", "Background"),
    ],
  },
  {
    name: "orphan: in the middle of three generations",
    steps: [threeGenerations, deleting("child", "Orphan"), deleting("owner", "Background")],
  },
  {
    name: "an owner is deleted in the background: a dependent with the finalizer orphan orphans its own",
    steps: [
      making("three generations, the second with orphan", {
        owner: undefined,
        child: { owners: owned("owner"), finalizers: ["orphan"] },
        grandchild: owned("child"),
      }),
      deleting("owner", "Background"),
    ],
  },
  {
    name: "an owner is deleted in the background: a dependent with the finalizer foregroundDeletion waits for its own",
    steps: [
      making("three generations, the second with foregroundDeletion", {
        owner: undefined,
        child: { owners: owned("owner"), finalizers: ["foregroundDeletion"] },
        grandchild: owned("child"),
      }),
      deleting("owner", "Background"),
    ],
  },
  {
    name: "an owner that is held: its dependents stay until it is gone",
    steps: [
      making("a held owner", { owner: { finalizers: hold }, child: owned("owner") }),
      deleting("owner", "Background"),
      releasing("owner"),
    ],
  },
  {
    name: "a dependent that is held is deleted once",
    steps: [
      making("a held dependent", { owner: undefined, child: { owners: owned("owner"), finalizers: hold } }),
      deleting("owner", "Background"),
      changing("child", "a label is put on", { labels: { touched: "yes" } }),
      releasing("child"),
    ],
  },
  {
    name: "dependents of several kinds",
    steps: [
      making("a ConfigMap that owns a Secret, a Lease, a Pod, a ReplicaSet and a ServiceAccount", {
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
    name: "a ReplicaSet and its pods, in the foreground",
    steps: [
      making("a ReplicaSet", { set: { resource: "replicasets" } }),
      {
        name: "two pods of it",
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
