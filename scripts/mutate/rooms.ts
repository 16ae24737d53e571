/** What is mutated, and the tests that must notice. */

export interface MutatedRoom {
  readonly name: string;
  /** Globs, from the top of the work tree. */
  readonly sources: readonly string[];
  /** Folders of tests; their files that start a cluster are left out. */
  readonly tests: readonly string[];
}

/**
 * The rooms whose mistakes nobody sees at once: they lose a key, a delta or a write without an error. Files of types and of
 * sentences alone are left out.
 */
export const mutatedRooms: readonly MutatedRoom[] = [
  { name: "workqueue", sources: ["src/workqueue/*.ts"], tests: ["test/workqueue"] },
  {
    name: "cache",
    sources: [
      "src/cache/delta-fifo.ts",
      "src/cache/delta-queue.ts",
      "src/cache/real-fifo.ts",
      "src/cache/indexer.ts",
      "src/cache/intake.ts",
      "src/cache/store-writer.ts",
    ],
    tests: ["test/cache"],
  },
  {
    name: "controllers",
    sources: [
      "src/controllers/replicaset/{scale,status,sync,replicated,related}.ts",
      "src/controllers/deployment/{rolling,scaling,complete,new-size,status-rules}.ts",
    ],
    tests: ["test/controllers/replicaset", "test/controllers/deployment"],
  },
  { name: "trace", sources: ["src/trace/{bus,linker,mask,triggers,recent}.ts"], tests: ["test/trace"] },
];
