import type { KnownSurvivor } from "./known-survivor.ts";

const ties =
  "equivalent: keys that are due at one time have no order among them, and this only changes which is higher in the heap";

export const workqueueSurvivors: readonly KnownSurvivor[] = [
  {
    file: "src/workqueue/delaying-queue.ts",
    line: "if (!background && (next === undefined || dueAt < next)) next = dueAt;",
    replacement: "dueAt <= next",
    why: "equivalent: of two equal times either is the earliest",
  },
  {
    file: "src/workqueue/heap.ts",
    line: "if (parent === undefined || parent.dueAt <= item.dueAt) return;",
    replacement: "parent.dueAt < item.dueAt",
    why: ties,
  },
  {
    file: "src/workqueue/heap.ts",
    line: "const least = right === undefined || left.dueAt <= right.dueAt ? left : right;",
    replacement: "left.dueAt < right.dueAt",
    why: ties,
  },
  {
    file: "src/workqueue/heap.ts",
    line: "if (item.dueAt <= least.dueAt) return;",
    replacement: "item.dueAt < least.dueAt",
    why: ties,
  },
  {
    file: "src/workqueue/heap.ts",
    line: "if (parent === undefined || parent.dueAt <= item.dueAt) return;",
    replacement: "false",
    why: "equivalent: only the first item has no parent, and the loop ends before it; the type of the array does not know",
  },
  {
    file: "src/workqueue/heap.ts",
    line: "while (item.index > 0) {",
    replacement: "item.index >= 0",
    why: "equivalent: the first item has no parent, and then the next line ends the loop",
  },
  {
    file: "src/workqueue/heap.ts",
    line: "if (last !== undefined && last !== first) {",
    replacement: "true",
    why: "equivalent: of an empty heap neither is defined, and so they are the same",
  },
  ...["true", "failures.size >= 0"].map((replacement) => ({
    file: "src/workqueue/rate-limiters.ts",
    line: "if (failures.size > 0) failures.delete(key);",
    replacement,
    why: "equivalent: it saves a look-up in an empty map, which nearly every success would make",
  })),
];
