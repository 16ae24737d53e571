/** What is mutated, and the tests that must detect it. */

export interface MutatedRoom {
  readonly name: string;
  /** Each is a separate run, so a mutant runs only the tests that can detect it. */
  readonly groups: readonly MutatedGroup[];
}

export interface MutatedGroup {
  /** Globs, from the root of the work tree. */
  readonly sources: readonly string[];
  /**
   * Globs of test files. Files that start a cluster are left out, and so should be those that take seconds: they run once per mutant.
   */
  readonly tests: readonly string[];
}

/**
 * The rooms whose bugs are not obvious: they lose a key, a delta or a write without an error. Files with only types or only sentences are
 * left out.
 */
export const mutatedRooms: readonly MutatedRoom[] = [
  {
    name: "workqueue",
    groups: [
      { sources: ["src/workqueue/queue.ts"], tests: ["test/workqueue/queue.test.ts"] },
      { sources: ["src/workqueue/*fifo.ts"], tests: ["test/workqueue/*fifo.test.ts"] },
      {
        sources: ["src/workqueue/{delaying-queue,heap,rate-limiters,rate-limiting-queue}.ts"],
        tests: ["test/workqueue/{background,delaying-queue,heap}.test.ts"],
      },
    ],
  },
  {
    name: "cache",
    groups: [
      {
        sources: ["src/cache/{delta-fifo,real-fifo,indexer,object-transformer,delta-processor}.ts"],
        tests: ["test/cache/{delta-queue,indexer,object-transformer,delta-processor}.test.ts"],
      },
      {
        sources: ["src/cache/{backoff,open-watch,reflector,reflector-reports,reflector-state}.ts"],
        tests: ["test/cache/{backoff,open-watch,reflector-state,reflector-reports,reflector}.test.ts"],
      },
      {
        sources: ["src/cache/{freeze,processor-listener,shared-informer,shared-informer-factory,batch-runner}.ts"],
        tests: ["test/cache/{freeze,processor-listener,shared-informer,shared-informer-factory,batch-runner}.test.ts"],
      },
    ],
  },
  {
    name: "controllers",
    groups: [
      {
        sources: ["src/controllers/replicaset/{scale,status,sync,replicated,related}.ts"],
        tests: ["test/controllers/replicaset/{sync,status,related,replicationcontroller,definition}.test.ts"],
      },
      {
        sources: ["src/controllers/deployment/{rolling,scaling,complete,new-replica-set-replicas,status-rules}.ts"],
        tests: [
          "test/controllers/deployment/{rolling,scaling,rollout-status,sync,recreate,history,new-replica-set-replicas,status-rules,replica-sets,strategy}.test.ts",
        ],
      },
      {
        sources: ["src/controllers/statefulset/{plan,claim-owners}.ts"],
        tests: ["test/controllers/statefulset/{plan,claim-owners,pods,status,sync}.test.ts"],
      },
      {
        sources: ["src/controllers/daemonset/plan-rollout.ts"],
        tests: ["test/controllers/daemonset/{plan-rollout,sync}.test.ts"],
      },
      {
        sources: [
          "src/controllers/persistentvolume-attach-detach/{attach,attachable,desired,detach,end,operations,report,sync,world}.ts",
        ],
        tests: [
          "test/controllers/persistentvolume-attach-detach/{attach,attachable,detach,operations,report,world}.test.ts",
        ],
      },
      {
        sources: ["src/controllers/persistentvolume-expander/sync.ts"],
        tests: ["test/controllers/persistentvolume-expander/sync.test.ts"],
      },
      {
        sources: [
          "src/controllers/garbage-collector/{attempt-to-delete,attempt-to-orphan,classify,graph,identity,node,references}.ts",
        ],
        tests: ["test/controllers/garbage-collector/{sync,graph}.test.ts"],
      },
    ],
  },
  {
    name: "trace",
    groups: [
      { sources: ["src/trace/bus.ts"], tests: ["test/trace/bus.test.ts"] },
      { sources: ["src/trace/linker.ts"], tests: ["test/trace/linker.test.ts"] },
      { sources: ["src/trace/generational-cache.ts"], tests: ["test/trace/generational-cache.test.ts"] },
      { sources: ["src/trace/mask.ts"], tests: ["test/trace/{mask,delta-detail}.test.ts"] },
      { sources: ["src/trace/triggers.ts"], tests: ["test/trace/triggers.test.ts"] },
    ],
  },
];
