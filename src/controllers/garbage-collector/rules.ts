/** The rules of the garbage collector, as data: `explain` prints them, every write names one of them. */
import { rule, type Rule } from "../../controller/api/rule.ts";

type Sentenced<K extends string> = Readonly<Record<K, string>> & Readonly<Record<string, unknown>>;

/** What has become of one owner, in facts. */
export interface OwnerFact {
  /** `ReplicaSet web-1` */
  readonly owner: string;
  readonly uid: string;
  /** `exists`, `waits for its dependents`, or how it is known to be absent: `404 from the API server`. */
  readonly state: string;
  readonly absent: boolean;
}

const exampleOwner: OwnerFact = {
  owner: "ReplicaSet web-1",
  uid: "0f6a33c1-7d3a-4c52-9a59-5a4f0b8f2f10",
  state: "404 from the API server",
  absent: true,
};

/** `ReplicaSet web-1 (uid 0f6a33c1…) is absent: 404 from the API server`. The facts have the whole uid. */
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

export const remove: Rule<OwnersFacts & { readonly policy: string }> = rule({
  id: "delete",
  looksAt: ["metadata.ownerReferences", "each owner, asked of the API server", "metadata.finalizers"],
  chooses:
    "An object none of whose owners is left, or of which all that are left wait for their dependents, is deleted: at this uid and version. A finalizer that it has, orphan or foregroundDeletion, decides how; otherwise in the background.",
  sentence: ({ owners, policy }) => `${allOwners(owners)} → delete, ${policy}`,
  example: { owners: [exampleOwner], policy: "Background" },
  source: source("attemptToDeleteItem"),
});

export const removeWithDependents: Rule<OwnersFacts & { readonly dependents: number }> = rule({
  id: "delete-foreground",
  looksAt: ["metadata.ownerReferences", "each owner, asked of the API server", "dependents in the graph"],
  chooses:
    "An object whose owner waits for its dependents, and that has dependents of its own, is deleted in the foreground, so that they go first.",
  sentence: ({ owners, dependents }) =>
    `${allOwners(owners)}, and it has ${counted(dependents, "dependent")} of its own → delete, Foreground`,
  example: { owners: [{ ...exampleOwner, state: "waits for its dependents", absent: false }], dependents: 2 },
  source: source("attemptToDeleteItem"),
});

export const breakCycle: Rule<{ readonly dependent: string }> = rule({
  id: "break-cycle",
  looksAt: ["dependents in the graph that wait for their dependents too"],
  chooses:
    "If an owner of the object and a dependent of it both wait for their dependents, they may wait for each other: the object then holds up the deletion of none of its owners.",
  sentence: ({ dependent }) =>
    `its dependent ${dependent} waits as its owner does, which may be a cycle → unblock its owners`,
  example: { dependent: "ConfigMap b" },
  source: source("attemptToDeleteItem"),
});

export const changedMeanwhile: Rule<{ readonly from: string; readonly to: string }> = rule({
  id: "changed-meanwhile",
  looksAt: ["the object, after a conflict", "metadata.ownerReferences"],
  chooses: "If the object has changed since it was looked at, but not its owners, it is deleted at whatever version.",
  sentence: ({ from, to }) => `it changed from version ${from} to ${to}, its owners did not → delete at any version`,
  example: { from: "48210", to: "48214" },
  source: "operations.go deleteObject",
});

export const keep: Rule<OwnersFacts> = rule({
  id: "keep",
  looksAt: ["metadata.ownerReferences", "each owner, asked of the API server"],
  chooses: "An object with an owner that exists is kept.",
  sentence: ({ owners }) => `${allOwners(owners)} → kept`,
  example: { owners: [{ ...exampleOwner, state: "exists", absent: false }] },
  source: source("attemptToDeleteItem"),
});

export const noOwners: Rule<Readonly<Record<string, never>>> = rule({
  id: "no-owners",
  looksAt: ["metadata.ownerReferences"],
  chooses: "An object without owners is kept.",
  sentence: () => "it has no owners → kept",
  example: {},
  source: source("attemptToDeleteItem"),
});

export const dropReferences: Rule<OwnersFacts & { readonly count: number }> = rule({
  id: "drop-references",
  looksAt: ["metadata.ownerReferences", "each owner, asked of the API server"],
  chooses:
    "An object that is kept loses its references to owners that are absent, and to those that wait for their dependents: these would wait for ever.",
  sentence: ({ owners, count }) => `${allOwners(owners)} → remove ${counted(count, "owner reference")}`,
  example: {
    owners: [exampleOwner, { ...exampleOwner, owner: "ReplicaSet web-2", state: "exists", absent: false }],
    count: 1,
  },
  source: source("attemptToDeleteItem"),
});

export const beingDeleted: Rule<Readonly<Record<string, never>>> = rule({
  id: "being-deleted",
  looksAt: ["metadata.deletionTimestamp", "metadata.finalizers"],
  chooses: "An object that is being deleted, and does not wait for its dependents, is left alone: it will be gone.",
  sentence: () => "it is being deleted already → left alone",
  example: {},
  source: source("attemptToDeleteItem"),
});

export const absent: Rule<{ readonly evidence: string; readonly dependents: number }> = rule({
  id: "absent",
  looksAt: ["the object, asked of the API server by name", "metadata.uid"],
  chooses: "What does not exist, or not with this uid, leaves the graph; its dependents are looked at.",
  sentence: ({ evidence, dependents }) =>
    `it is absent: ${evidence} → ${dependents === 0 ? "nothing depends on it" : `look at its ${counted(dependents, "dependent")}`}`,
  example: { evidence: "404 from the API server", dependents: 3 },
  source: "graph_builder.go enqueueVirtualDeleteEvent, processGraphChanges",
});

export const waitForDependents: Rule<{ readonly blocking: number; readonly first: readonly string[] }> = rule({
  id: "wait-for-dependents",
  looksAt: ["dependents in the graph", "blockOwnerDeletion of their references"],
  chooses: "An object that is deleted in the foreground waits while dependents hold it up; these are looked at.",
  sentence: ({ blocking, first }) => {
    const more = blocking - first.length;
    return `${counted(blocking, "dependent")} held by it: ${first.join(", ")}${more > 0 ? ` and ${more} more` : ""} → look at ${blocking === 1 ? "it" : "them"}`;
  },
  example: { blocking: 3, first: ["Pod web-1-x7k2p", "Pod web-1-c81vw"] },
  source: source("processDeletingDependentsItem"),
});

export const dependentsGone: Rule<Readonly<Record<string, never>>> = rule({
  id: "dependents-gone",
  looksAt: ["dependents in the graph", "blockOwnerDeletion of their references"],
  chooses: "When no dependent holds it up any more, the finalizer foregroundDeletion is taken off.",
  sentence: () => "no dependent holds up its deletion → remove the finalizer foregroundDeletion",
  example: {},
  source: source("processDeletingDependentsItem"),
});

export const orphan: Rule<{ readonly dependents: number; readonly owner: string }> = rule({
  id: "orphan",
  looksAt: ["metadata.finalizers", "dependents in the graph"],
  chooses: "The dependents of an object that is deleted with the finalizer orphan lose their references to it.",
  sentence: ({ dependents, owner }) =>
    `${owner} is deleted and leaves its dependents → remove the reference to it from ${counted(dependents, "dependent")}`,
  example: { dependents: 3, owner: "ReplicaSet web-1" },
  source: source("orphanDependents"),
});

export const orphaned: Rule<{ readonly dependents: number }> = rule({
  id: "orphaned",
  looksAt: ["the answers for all dependents"],
  chooses: "When no dependent refers to it any more, the finalizer orphan is taken off.",
  sentence: ({ dependents }) =>
    `${dependents === 0 ? "it has no dependents" : "its dependents are free of it"} → remove the finalizer orphan`,
  example: { dependents: 3 },
  source: source("attemptToOrphanWorker"),
});

export const impossibleOwner: Rule<Sentenced<"owner">> = rule({
  id: "impossible-owner",
  looksAt: ["metadata.namespace", "the kinds of its owners"],
  chooses: "An object without a namespace cannot be owned by one that has a namespace; such an object is left alone.",
  sentence: ({ owner }) => `it has no namespace, and its owner ${owner} is of a kind that has → left alone`,
  example: { owner: "ConfigMap a" },
  source: source("isDangling"),
});

export const virtualWithoutNamespace: Rule<Readonly<Record<string, never>>> = rule({
  id: "no-namespace",
  looksAt: ["the kind", "the namespace of whoever refers to it"],
  chooses: "An owner of a kind that has namespaces cannot be looked for when what refers to it has none.",
  sentence: () => "only objects without a namespace refer to it, and its kind has namespaces → left alone",
  example: {},
  source: "operations.go getObject",
});

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}

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
