/** The rules of the garbage collector, as data: `explain` prints them, and every write names one of them. */
import { pluralize } from "../../api/pluralize.ts";
import { rule, type Rule } from "../../controller/api/rule.ts";

type Sentenced<K extends string> = Readonly<Record<K, string>> & Readonly<Record<string, unknown>>;

/** The state of one owner, in facts. */
export interface OwnerFact {
  /** `ReplicaSet web-1` */
  readonly owner: string;
  readonly uid: string;
  /** `exists`, `waits for its dependents`, or the evidence that it is absent: `404 from the API server`. */
  readonly state: string;
  readonly absent: boolean;
}

const exampleOwner: OwnerFact = {
  owner: "ReplicaSet web-1",
  uid: "0f6a33c1-7d3a-4c52-9a59-5a4f0b8f2f10",
  state: "404 from the API server",
  absent: true,
};

/** `ReplicaSet web-1 (uid 0f6a33c1…) is absent: 404 from the API server`. The facts contain the whole uid. */
function inWords({ owner, uid, state, absent }: OwnerFact): string {
  const short = uid.length > 12 ? `${uid.slice(0, 8)}…` : uid;
  return `${owner} (uid ${short}) ${absent ? `is absent: ${state}` : state}`;
}

/** `its only owner ReplicaSet web-1 (uid …) is absent: …`, or `its 2 owners: …; …`. */
function allOwners(owners: readonly OwnerFact[]): string {
  const [only] = owners;
  if (owners.length === 1 && only !== undefined) return `its only owner ${inWords(only)}`;
  return `its ${owners.length} owners: ${owners.map(inWords).join("; ")}`;
}

const source = (name: string): string => `garbagecollector.go ${name}`;

interface OwnersFacts extends Readonly<Record<string, unknown>> {
  readonly owners: readonly OwnerFact[];
}

/** An object without an owner is deleted. */
export const remove: Rule<OwnersFacts & { readonly policy: string }> = rule({
  id: "delete",
  looksAt: ["metadata.ownerReferences", "each owner, looked up on the API server", "metadata.finalizers"],
  chooses:
    "An object is deleted if none of its owners exists, or all that exist wait for their dependents; uid and version are preconditions. Its finalizer, orphan or foregroundDeletion, decides the propagation policy; the default is Background.",
  sentence: ({ owners, policy }) => `${allOwners(owners)} → delete, ${policy}`,
  example: { owners: [exampleOwner], policy: "Background" },
  source: source("attemptToDeleteItem"),
});

/** An object between a waiting owner and dependents is deleted in the foreground. */
export const removeWithDependents: Rule<OwnersFacts & { readonly dependents: number }> = rule({
  id: "delete-foreground",
  looksAt: ["metadata.ownerReferences", "each owner, looked up on the API server", "dependents in the graph"],
  chooses:
    "An object that has dependents, and whose owner waits for its own, is deleted in the foreground, so that its dependents are deleted first.",
  sentence: ({ owners, dependents }) =>
    `${allOwners(owners)}, and it has ${pluralize(dependents, "dependent")} of its own → delete, Foreground`,
  example: { owners: [{ ...exampleOwner, state: "waits for its dependents", absent: false }], dependents: 2 },
  source: source("attemptToDeleteItem"),
});

/** A possible cycle of waiting objects is broken. */
export const breakCycle: Rule<{ readonly dependent: string }> = rule({
  id: "break-cycle",
  looksAt: ["dependents in the graph that wait for their dependents too"],
  chooses:
    "If an owner and a dependent of the object both wait for their dependents, they may wait for each other: the object then no longer blocks the deletion of its owners.",
  sentence: ({ dependent }) =>
    `its dependent ${dependent} waits for its dependents, as its owner does: possibly a cycle → unblock its owners`,
  example: { dependent: "ConfigMap b" },
  source: source("attemptToDeleteItem"),
});

/** An object that has changed is deleted anyway. */
export const changedMeanwhile: Rule<{ readonly from: string; readonly to: string }> = rule({
  id: "changed-meanwhile",
  looksAt: ["the object, after a conflict", "metadata.ownerReferences"],
  chooses:
    "If the object has changed since it was read, but its owners have not, it is deleted with a UID precondition only.",
  sentence: ({ from, to }) =>
    `it changed from version ${from} to ${to}, its owners did not → delete with a UID precondition only`,
  example: { from: "48210", to: "48214" },
  source: "operations.go deleteObject",
});

/** An object with an existing owner is kept. */
export const keep: Rule<OwnersFacts> = rule({
  id: "keep",
  looksAt: ["metadata.ownerReferences", "each owner, looked up on the API server"],
  chooses: "An object with an owner that exists is kept.",
  sentence: ({ owners }) => `${allOwners(owners)} → kept`,
  example: { owners: [{ ...exampleOwner, state: "exists", absent: false }] },
  source: source("attemptToDeleteItem"),
});

/** An object without owner references is kept. */
export const noOwners: Rule<Readonly<Record<string, never>>> = rule({
  id: "no-owners",
  looksAt: ["metadata.ownerReferences"],
  chooses: "An object without owners is kept.",
  sentence: () => "it has no owners → kept",
  example: {},
  source: source("attemptToDeleteItem"),
});

/** References to absent or waiting owners are removed. */
export const dropReferences: Rule<OwnersFacts & { readonly count: number }> = rule({
  id: "drop-references",
  looksAt: ["metadata.ownerReferences", "each owner, looked up on the API server"],
  chooses:
    "References to absent owners are removed from an object that is kept, and so are references to owners that wait for their dependents: these would wait forever.",
  sentence: ({ owners, count }) => `${allOwners(owners)} → remove ${pluralize(count, "owner reference")}`,
  example: {
    owners: [exampleOwner, { ...exampleOwner, owner: "ReplicaSet web-2", state: "exists", absent: false }],
    count: 1,
  },
  source: source("attemptToDeleteItem"),
});

/** An object that is being deleted already is left alone. */
export const beingDeleted: Rule<Readonly<Record<string, never>>> = rule({
  id: "being-deleted",
  looksAt: ["metadata.deletionTimestamp", "metadata.finalizers"],
  chooses: "An object that is being deleted and does not wait for its dependents is left alone.",
  sentence: () => "it is being deleted already → left alone",
  example: {},
  source: source("attemptToDeleteItem"),
});

/** An object that does not exist leaves the graph. */
export const absent: Rule<{ readonly evidence: string; readonly dependents: number }> = rule({
  id: "absent",
  looksAt: ["the object, looked up on the API server by name", "metadata.uid"],
  chooses: "An object that does not exist with this uid leaves the graph; its dependents are checked.",
  sentence: ({ evidence, dependents }) =>
    `it is absent: ${evidence} → ${dependents === 0 ? "nothing depends on it" : `check its ${pluralize(dependents, "dependent")}`}`,
  example: { evidence: "404 from the API server", dependents: 3 },
  source: "graph_builder.go enqueueVirtualDeleteEvent, processGraphChanges",
});

/** A foreground deletion waits for blocking dependents. */
export const waitForDependents: Rule<{ readonly blocking: number; readonly first: readonly string[] }> = rule({
  id: "wait-for-dependents",
  looksAt: ["dependents in the graph", "blockOwnerDeletion of their references"],
  chooses: "An object that is deleted in the foreground waits for its blocking dependents; these are checked.",
  sentence: ({ blocking, first }) => {
    const more = blocking - first.length;
    return `${pluralize(blocking, "dependent")} ${blocking === 1 ? "blocks" : "block"} its deletion: ${first.join(", ")}${more > 0 ? ` and ${more} more` : ""} → check ${blocking === 1 ? "it" : "them"}`;
  },
  example: { blocking: 3, first: ["Pod web-1-x7k2p", "Pod web-1-c81vw"] },
  source: source("processDeletingDependentsItem"),
});

/** A foreground deletion is completed. */
export const dependentsGone: Rule<Readonly<Record<string, never>>> = rule({
  id: "dependents-gone",
  looksAt: ["dependents in the graph", "blockOwnerDeletion of their references"],
  chooses: "When no dependent blocks the deletion any more, the finalizer foregroundDeletion is removed.",
  sentence: () => "no dependent blocks its deletion → remove the finalizer foregroundDeletion",
  example: {},
  source: source("processDeletingDependentsItem"),
});

/** Dependents lose their reference to an object that is deleted without them. */
export const orphan: Rule<{ readonly dependents: number; readonly owner: string }> = rule({
  id: "orphan",
  looksAt: ["metadata.finalizers", "dependents in the graph"],
  chooses: "If an object is deleted with the finalizer orphan, the references to it are removed from its dependents.",
  sentence: ({ dependents, owner }) =>
    `${owner} is being deleted without its dependents → remove the reference to it from ${pluralize(dependents, "dependent")}`,
  example: { dependents: 3, owner: "ReplicaSet web-1" },
  source: source("orphanDependents"),
});

/** An orphaning deletion is completed. */
export const orphaned: Rule<{ readonly dependents: number }> = rule({
  id: "orphaned",
  looksAt: ["the responses to the patches of all dependents"],
  chooses: "When no dependent refers to it any more, the orphan finalizer is removed.",
  sentence: ({ dependents }) =>
    `${dependents === 0 ? "it has no dependents" : "all dependents are orphaned"} → remove the orphan finalizer`,
  example: { dependents: 3 },
  source: source("attemptToOrphanWorker"),
});

/** A cluster-scoped object cannot have a namespaced owner. */
export const impossibleOwner: Rule<Sentenced<"owner">> = rule({
  id: "impossible-owner",
  looksAt: ["metadata.namespace", "the kinds of its owners"],
  chooses: "A cluster-scoped object cannot have an owner of a namespaced kind; such an object is left alone.",
  sentence: ({ owner }) => `it is cluster-scoped, but its owner ${owner} is of a namespaced kind → left alone`,
  example: { owner: "ConfigMap a" },
  source: source("isDangling"),
});

/** A namespaced owner of a cluster-scoped object cannot be looked up. */
export const virtualWithoutNamespace: Rule<Readonly<Record<string, never>>> = rule({
  id: "no-namespace",
  looksAt: ["the kind", "the namespaces of the objects that refer to it"],
  chooses: "An owner of a namespaced kind cannot be looked up if only cluster-scoped objects refer to it.",
  sentence: () => "only cluster-scoped objects refer to it, but its kind is namespaced → left alone",
  example: {},
  source: "operations.go getObject",
});

/** All of them. */
export const rules: readonly Rule[] = [
  remove,
  removeWithDependents,
  breakCycle,
  changedMeanwhile,
  keep,
  noOwners,
  dropReferences,
  beingDeleted,
  absent,
  waitForDependents,
  dependentsGone,
  orphan,
  orphaned,
  impossibleOwner,
  virtualWithoutNamespace,
] as readonly Rule[];
