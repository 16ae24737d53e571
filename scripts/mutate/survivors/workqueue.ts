import type { KnownSurvivor } from "./known-survivor.ts";

const ties =
  "equivalent: keys that are due at one time have no order among them, and this only changes which is higher in the heap";

export const workqueueSurvivors: readonly KnownSurvivor[] = [
  {
    file: "src/workqueue/delaying-queue.ts",
    line: "if (parent.readyAt <= waiting.readyAt) return;",
    replacement: "parent.readyAt < waiting.readyAt",
    why: ties,
  },
  {
    file: "src/workqueue/delaying-queue.ts",
    line: "const least = right === undefined || left.readyAt <= right.readyAt ? left : right;",
    replacement: "left.readyAt < right.readyAt",
    why: ties,
  },
  {
    file: "src/workqueue/delaying-queue.ts",
    line: "if (waiting.readyAt <= least.readyAt) return;",
    replacement: "waiting.readyAt < least.readyAt",
    why: ties,
  },
  ...["true", "failures.size >= 0"].map((replacement) => ({
    file: "src/workqueue/rate-limiters.ts",
    line: "if (failures.size > 0) failures.delete(key);",
    replacement,
    why: "equivalent: it saves a look-up in an empty map, which nearly every success would make",
  })),
];
