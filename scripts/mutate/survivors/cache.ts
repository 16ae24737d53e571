import type { KnownSurvivor } from "./known-survivor.ts";

export const cacheSurvivors: readonly KnownSurvivor[] = [
  {
    file: "src/cache/real-fifo.ts",
    line: 'case "SyncAll":',
    replacement: 'case "SyncAll":',
    why: "equivalent: the last case of a switch, and it does nothing; it is written out for the check that all are there",
  },
  {
    file: "src/cache/store-writer.ts",
    line: 'case "Bookmark":',
    replacement: 'case "Bookmark":',
    why: "equivalent: the last case of a switch, and it does nothing; it is written out for the check that all are there",
  },
  {
    file: "src/cache/indexer.ts",
    line: "if (bucket?.size === 0) buckets.delete(value);",
    replacement: "false",
    why: "memory only: a value without objects reads the same whether its empty bucket is kept or not",
  },
  {
    file: "src/cache/store-writer.ts",
    line: 'this.#notify(listeners, { type: "Sync", key, before: object, object, initial: false, seq });',
    replacement: "true",
    why: "equivalent: only an object that was not known before is initial, and a resync tells of known ones",
  },
  {
    file: "src/cache/store-writer.ts",
    line: "if (!bus.on) return 0;",
    replacement: "false",
    why: "equivalent: the bus itself answers 0 while nobody listens; it saves making the event",
  },
];
