/** Indexed Jobs. */
import { bind, removePod, setPodState } from "../../acts.ts";
import type { Script } from "../../suite.ts";
import { create, endIndexes, failed, indexName, indexOf, later, patchSpec, runningPods, succeeded } from "./acts.ts";

const indexed = (completions: number, spec: object = {}): object => ({
  completionMode: "Indexed",
  completions,
  parallelism: completions,
  ...spec,
});
const limited = { backoffLimitPerIndex: 1 };

/** Changes the index of the running pod with an index. */
const renumber = (from: number, to: string | null) => ({
  name: `set index ${from} to ${to}`,
  async act(stage: Parameters<typeof runningPods>[0]) {
    const pod = (await runningPods(stage)).find((each) => indexOf(each) === from);
    if (pod === undefined) return;
    // The other pod, without a node, is deleted first.
    await bind(stage, pod, "node-1");
    await stage.patch("pods", pod.metadata.name, { metadata: { annotations: { [indexName]: to } } });
  },
});

export const indexedJobs: readonly Script[] = [
  {
    name: "each index succeeds once",
    steps: [
      create(indexed(5, { parallelism: 3 }), {
        podSpec: {
          initContainers: [{ name: "init", image: "main:1" }],
          containers: [
            { name: "main", image: "main:1", env: [{ name: "A", value: "1" }] },
            { name: "own", image: "main:1", env: [{ name: "JOB_COMPLETION_INDEX", value: "mine" }] },
          ],
        },
        template: { labels: { app: "data" }, annotations: { note: "1" }, finalizers: ["example.com/keep"] },
      }),
      endIndexes([1], succeeded),
      endIndexes([0, 2], succeeded),
      endIndexes([3, 4], succeeded),
    ],
  },
  {
    name: "a failed index is retried",
    steps: [create(indexed(3)), endIndexes([1], failed), endIndexes([0, 1, 2], succeeded)],
  },
  {
    name: "completions are reduced and increased",
    steps: [
      create(indexed(4)),
      endIndexes([3], succeeded),
      patchSpec({ completions: 2, parallelism: 2 }),
      patchSpec({ completions: 5, parallelism: 5 }),
      endIndexes([0, 1, 2, 3, 4], succeeded),
    ],
  },
  { name: "a second pod of an index is deleted", steps: [create(indexed(3)), renumber(2, "0")] },
  { name: "a pod without an index is deleted", steps: [create(indexed(2)), renumber(1, null)] },
  { name: "a pod beyond the last index is deleted", steps: [create(indexed(2)), renumber(1, "7")] },
  {
    name: "the back-off limit is per index",
    steps: [
      create(indexed(3, limited)),
      endIndexes([1], failed),
      endIndexes([1], failed),
      endIndexes([0, 2], succeeded),
    ],
  },
  {
    name: "an index that failed just now is retried after 10 s",
    steps: [
      create(indexed(2, { backoffLimitPerIndex: 2 })),
      endIndexes([1], { phase: "Failed", now: true }),
      later("it is retried", async (stage) => (await runningPods(stage)).length === 2),
    ],
  },
  {
    name: "more indexes fail than maxFailedIndexes",
    steps: [
      create(indexed(4, { backoffLimitPerIndex: 0, maxFailedIndexes: 1 })),
      endIndexes([2], failed),
      endIndexes([0], failed),
    ],
  },
  {
    name: "a pod failure policy fails an index immediately, and ignores other failures",
    steps: [
      create(
        indexed(3, {
          backoffLimitPerIndex: 3,
          podFailurePolicy: {
            rules: [
              { action: "FailIndex", onExitCodes: { operator: "In", values: [5] } },
              { action: "Ignore", onExitCodes: { operator: "In", values: [7] } },
            ],
          },
        }),
      ),
      endIndexes([0], { phase: "Failed", exitCode: 5 }),
      endIndexes([1], { phase: "Failed", exitCode: 7 }),
      endIndexes([1], { phase: "Failed", exitCode: 1 }),
      endIndexes([1], { phase: "Failed", exitCode: 7 }),
      endIndexes([1, 2], succeeded),
    ],
  },
  {
    name: "a success policy is met by one of several indexes",
    steps: [
      create(indexed(4, { successPolicy: { rules: [{ succeededIndexes: "0,2", succeededCount: 1 }] } })),
      {
        name: "bind indexes 0 and 1",
        async act(stage) {
          for (const pod of await runningPods(stage)) {
            if (indexOf(pod) > 1) continue;
            await bind(stage, pod, "node-1");
            await setPodState(stage, pod, { ready: true });
          }
        },
      },
      endIndexes([2], succeeded),
      {
        name: "remove the terminating pods",
        async act(stage) {
          for (const pod of await stage.pods(({ metadata }) => metadata.deletionTimestamp !== undefined))
            await removePod(stage, pod, "at once");
        },
      },
    ],
  },
  {
    name: "a success policy is met by a number of indexes",
    steps: [
      create(indexed(4, { successPolicy: { rules: [{ succeededIndexes: "3" }, { succeededCount: 2 }] } })),
      endIndexes([0], succeeded),
      endIndexes([1], succeeded),
    ],
  },
  {
    name: "podReplacementPolicy Failed, indexed: a deleted pod is replaced when it is removed",
    steps: [
      create(indexed(2, { podReplacementPolicy: "Failed" })),
      {
        name: "delete index 1, bound to a node",
        async act(stage) {
          const pod = (await runningPods(stage)).find((each) => indexOf(each) === 1);
          if (pod === undefined) return;
          await bind(stage, pod, "node-1");
          await setPodState(stage, pod, { ready: false });
          await removePod(stage, pod);
        },
      },
      {
        name: "remove it",
        async act(stage) {
          for (const pod of await stage.pods(({ metadata }) => metadata.deletionTimestamp !== undefined))
            await removePod(stage, pod, "at once");
        },
      },
    ],
  },
  {
    name: "a name of nearly the maximum length",
    steps: [create(indexed(2), { name: "a-name-that-is-nearly-as-long-as-the-name-of-a-job-may-be-2" })],
  },
];
