import type { KnownSurvivor } from "./known-survivor.ts";

const empty = "equivalent: an empty list or set, removed to save memory, is the same as none";
const runningOnNode = "equivalent: what runs is listed under its node; only the type of the map does not say so";
const attachDetach = "src/controllers/persistentvolume-attach-detach";
const collector = "src/controllers/garbage-collector";
const scaling = "src/controllers/deployment/scaling.ts";
const sync = "src/controllers/replicaset/sync.ts";

export const controllersSurvivors: readonly KnownSurvivor[] = [
  {
    file: sync,
    line: "const creations = Math.max(0, expected?.creations ?? 0);",
    replacement: "expected.creations",
    why: "equivalent: only a key with a record is not satisfied, and only a sync of that key, which runs alone, forgets it",
  },
  {
    file: sync,
    line: "context.decide(wait, { ...counts, creations, deletions: expected?.deletions.size ?? 0 });",
    replacement: "expected.deletions",
    why: "equivalent, for the same reason",
  },
  {
    file: sync,
    line: "failure = error instanceof Error ? error : new Error(String(error), { cause: error });",
    replacement: "{}",
    why: "manageReplicas throws Errors only; the cause helps to debug anything else",
  },
  {
    file: "src/controllers/deployment/rolling.ts",
    line: "if (from > desired) {",
    replacement: "from >= desired",
    why: "equivalent: equal sizes have returned above",
  },
  {
    file: scaling,
    line: 'const annotated = newReplicaSet.metadata.annotations?.[desiredReplicasAnnotation] ?? "";',
    replacement: "newReplicaSet.metadata.annotations[desiredReplicasAnnotation]",
    why: "equivalent: the new ReplicaSet got a revision earlier in the same sync, so it has annotations; their type does not say so",
  },
  {
    file: scaling,
    line: "if (toAdd !== 0) replicaSets.sort(toAdd > 0 ? bySizeNewer : bySizeOlder);",
    replacement: "toAdd >= 0",
    why: "equivalent: with nothing to add there is no sorting",
  },
  {
    file: scaling,
    line: "return toAdd > 0 ? Math.min(share, toAdd - added) : Math.max(share, toAdd - added);",
    replacement: "toAdd >= 0",
    why: "equivalent: with nothing to add it has returned above, since nothing was added either",
  },
  {
    file: scaling,
    line: "if (deployment.spec?.paused === true) return;",
    replacement: "deployment.spec.paused",
    why: "equivalent: the server stores no Deployment without a spec; only its type allows it",
  },
  {
    file: scaling,
    line: "const annotated = Number(replicaSet.metadata.annotations?.[desiredReplicasAnnotation]);",
    replacement: "replicaSet.metadata.annotations[desiredReplicasAnnotation]",
    why: "equivalent: a Deployment that is not paused is only scaled because its active ReplicaSet has the annotation",
  },
  {
    file: `${collector}/graph.ts`,
    line: "const { nonmatching } = partitionDependents(node.dependents ?? [], absent);",
    replacement: '["Stryker was here"]',
    why: "equivalent: a virtual node is made with its set of dependents; only the type has none",
  },
  {
    file: `${collector}/graph.ts`,
    line: "for (const dependent of partitionDependents(node.dependents ?? [], observed).nonmatching) {",
    replacement: '["Stryker was here"]',
    why: "equivalent: a virtual node is made with its set of dependents; only the type has none",
  },
  {
    file: `${collector}/graph.ts`,
    line: "if (other === undefined) return;",
    replacement: "false",
    why: "equivalent: a dependent that does not mean the absent identity means another one, so there always is one",
  },
  {
    file: `${collector}/graph.ts`,
    line: 'if (this.#byKey.size > 0) for (const task of ["delete", "orphan"] as const) this.#forget(node, task);',
    replacement: "true",
    why: "saves work: where nothing has been queued there is no key to be forgotten",
  },
  {
    file: `${collector}/graph.ts`,
    line: 'if (this.#byKey.size > 0) for (const task of ["delete", "orphan"] as const) this.#forget(node, task);',
    replacement: "this.#byKey.size >= 0",
    why: "saves work: where nothing has been queued there is no key to be forgotten",
  },
  {
    file: `${collector}/identity.ts`,
    line: "if (a[part] !== b[part]) return a[part] < b[part] ? -1 : 1;",
    replacement: "a[part] <= b[part]",
    why: "equivalent: the parts are known to differ",
  },
  {
    file: `${collector}/identity.ts`,
    line: "return sorted.find((other) => compareIdentities(absent, other) < 0) ?? sorted[0];",
    replacement: "compareIdentities(absent, other) <= 0",
    why: "equivalent: the absent identity is not among the others",
  },
  {
    file: `${collector}/node.ts`,
    line: 'const group = slash < 0 ? "" : `.${of.apiVersion.slice(0, slash)}`;',
    replacement: "slash <= 0",
    why: "equivalent: no apiVersion begins with a slash",
  },
  {
    file: `${collector}/references.ts`,
    line: "if (sameReferences(before, after)) return unchanged;",
    replacement: "false",
    why: "saves work: the comparison by uid finds no change either",
  },
  {
    file: `${collector}/references.ts`,
    line: "return a === b || (a.length === b.length && a.every((each, n) => sameReference(each, b[n] as OwnerReference)));",
    replacement: "false",
    why: "saves work: a list equals itself, reference by reference",
  },
  {
    file: "src/controllers/deployment/status-rules.ts",
    line: "example: { deadlineSeconds: 600, leftMs: 252_000, wasComplete: false },",
    replacement: "true",
    why: "an example for the documentation: its sentence is the same while time is left",
  },
  {
    file: "src/controllers/statefulset/plan.ts",
    line: 'const isPending = pod.status?.phase === "Pending";',
    replacement: "pod.status.phase",
    why: "equivalent: a pod without a status counts as missing, above",
  },
  {
    file: `${attachDetach}/desired.ts`,
    line: ".toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));",
    replacement: "keyOf(a) <= keyOf(b)",
    why: "equivalent: no two pods have the same key",
  },
  {
    file: `${attachDetach}/detach.ts`,
    line: "const unwantedMs = now - (known.attachmentOf(unique, node)?.unwantedSince ?? now);",
    replacement: "known.attachmentOf(unique, node).unwantedSince",
    why: "equivalent: it is only called for nodes that have the volume",
  },
  {
    file: `${attachDetach}/detach.ts`,
    line: "if (attachment === undefined) return undefined;",
    replacement: "false",
    why: "equivalent: only a sync of the node, which runs alone, forgets what is attached to it",
  },
  {
    file: `${attachDetach}/operations.ts`,
    line: "if (left.length > 0) this.#byVolume.set(unique, left);",
    replacement: "true",
    why: empty,
  },
  {
    file: `${attachDetach}/operations.ts`,
    line: "if (left.length > 0) this.#byVolume.set(unique, left);",
    replacement: "left.length >= 0",
    why: empty,
  },
  {
    file: `${attachDetach}/operations.ts`,
    line: "others?.delete(pending);",
    replacement: "others.delete",
    why: runningOnNode,
  },
  {
    file: `${attachDetach}/operations.ts`,
    line: "if (others?.size === 0) this.#runningOn.delete(pending.node);",
    replacement: "others.size",
    why: runningOnNode,
  },
  {
    file: `${attachDetach}/operations.ts`,
    line: "if (others?.size === 0) this.#runningOn.delete(pending.node);",
    replacement: "false",
    why: empty,
  },
  {
    file: `${attachDetach}/sync.ts`,
    line: "if (csi === undefined || name === undefined || !known.isConfirmedOn(unique, node)) return undefined;",
    replacement: "false",
    why: "equivalent: a volume with a CSI source has a name; only the type of the two does not say so",
  },
  {
    file: `${attachDetach}/world.ts`,
    line: "if (onNode?.size === 0) this.#attachedByNode.delete(node);",
    replacement: "false",
    why: empty,
  },
  {
    file: `${attachDetach}/world.ts`,
    line: "if (after.size === 0) this.#inUse.delete(node);",
    replacement: "false",
    why: empty,
  },
  {
    file: `${attachDetach}/world.ts`,
    line: "const reported = this.#reported.get(node) ?? { volumes: new Set<string>(), isDue: true, written: undefined };",
    replacement: "false",
    why: "equivalent: the volume is new in the report, which makes it due",
  },
  {
    file: `${attachDetach}/world.ts`,
    line: '.map((name) => ({ name, devicePath: this.#attached.get(name)?.devicePath ?? "" }));',
    replacement: "this.#attached.get(name).devicePath",
    why: "equivalent: what is reported is attached; only the type of the map does not say so",
  },
  {
    file: "src/controllers/persistentvolume-expander/sync.ts",
    line: 'const size = claim.spec?.resources?.requests?.["storage"] ?? "0";',
    replacement: "claim.spec.resources",
    why: "equivalent: a claim without a spec names no volume, and has failed above",
  },
];
