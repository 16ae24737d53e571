import type { KnownSurvivor } from "./known-survivor.ts";

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
    line: "return error instanceof Error ? error : new Error(String(error), { cause: error });",
    replacement: "{}",
    why: "all that scaling throws are Errors; the cause is for whoever debugs one that is not",
  },
  {
    file: "src/controllers/deployment/rolling.ts",
    line: "if (from > desired) {",
    replacement: "from >= desired",
    why: "equivalent: equal sizes have returned above",
  },
  {
    file: scaling,
    line: 'const told = newest.metadata.annotations?.[desiredReplicasAnnotation] ?? "";',
    replacement: "newest.metadata.annotations[desiredReplicasAnnotation]",
    why: "equivalent: the new ReplicaSet got a revision earlier in the same sync, so it has annotations; their type does not say so",
  },
  {
    file: scaling,
    line: "replicaSets.sort(toAdd > 0 ? bySizeNewer : bySizeOlder);",
    replacement: "toAdd >= 0",
    why: "with nothing to add all keep their sizes: only the order in which their annotations are written differs",
  },
  {
    file: scaling,
    line: "return toAdd > 0 ? Math.min(share, toAdd - added) : Math.max(share, toAdd - added);",
    replacement: "toAdd >= 0",
    why: "equivalent: with nothing to add it has returned above, since nothing was added either",
  },
];
