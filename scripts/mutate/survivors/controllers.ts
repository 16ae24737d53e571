import type { KnownSurvivor } from "./known-survivor.ts";

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
];
