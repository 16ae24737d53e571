/** Jobs whose pods fail. */
import { bind, removePod, setPodState } from "../../acts.ts";
import type { Script } from "../../suite.ts";
import { create, endFirst, endPod, failed, jobIs, later, runningPods, succeeded, toFirst } from "./acts.ts";

const onExit = (action: string, values: readonly number[], operator = "In"): object => ({
  action,
  onExitCodes: { operator, values },
});
const policy = (...rules: readonly object[]): object => ({ podFailurePolicy: { rules } });
const disrupted = [{ type: "DisruptionTarget", status: "True", reason: "EvictionByEvictionAPI" }];

export const failures: readonly Script[] = [
  {
    name: "no failure is allowed",
    steps: [create({ backoffLimit: 0, completions: 3, parallelism: 3 }), endFirst(1, failed)],
  },
  {
    name: "failures up to the limit, and beyond",
    steps: [
      create({ backoffLimit: 2, completions: 2, parallelism: 2 }),
      endFirst(1, failed),
      endFirst(1, failed),
      endFirst(1, failed),
    ],
  },
  {
    name: "a success between failures",
    steps: [
      create({ backoffLimit: 2, completions: 9 }),
      endFirst(1, failed),
      endFirst(1, succeeded),
      endFirst(1, failed),
    ],
  },
  {
    name: "a pod that has just failed is replaced after 10 s, the next after 20 s",
    steps: [
      create(),
      endFirst(1, { phase: "Failed", now: true }),
      later("the second", async (stage) => (await runningPods(stage)).length === 1),
      endFirst(1, { phase: "Failed", now: true }),
      later("the third", async (stage) => (await runningPods(stage)).length === 1),
    ],
  },
  {
    name: "active pods on nodes keep a failed Job from being finished",
    steps: [
      create({ backoffLimit: 0, completions: 3, parallelism: 3 }),
      {
        name: "one fails, the others run on nodes",
        async act(stage) {
          const [first, ...others] = await runningPods(stage);
          for (const pod of others) {
            await bind(stage, pod, "node-1");
            await setPodState(stage, pod, { ready: true });
          }
          if (first !== undefined) await endPod(stage, first, failed);
        },
      },
      {
        name: "they end",
        async act(stage) {
          for (const pod of await stage.pods(({ metadata }) => metadata.deletionTimestamp !== undefined))
            await removePod(stage, pod, "at once");
        },
        until: (stage) => jobIs(stage, "Failed"),
      },
    ],
  },
  {
    name: "containers restart in their pods up to the limit",
    steps: [
      create({ backoffLimit: 3, completions: 2, parallelism: 2 }, { podSpec: { restartPolicy: "OnFailure" } }),
      toFirst("two restarts", (stage, pod) => setPodState(stage, pod, { restarts: 2 })),
      toFirst("three", (stage, pod) => setPodState(stage, pod, { restarts: 3 })),
    ],
  },
  {
    name: "containers may not restart",
    steps: [
      create({ backoffLimit: 0 }, { podSpec: { restartPolicy: "OnFailure" } }),
      toFirst("one restart", (stage, pod) => setPodState(stage, pod, { restarts: 1 })),
    ],
  },
  {
    name: "a policy fails the Job at an exit code",
    steps: [
      create({ completions: 2, parallelism: 2, ...policy(onExit("Ignore", [1, 2]), onExit("FailJob", [42])) }),
      endFirst(1, { phase: "Failed", exitCode: 2 }),
      endFirst(1, { phase: "Failed", exitCode: 42 }),
    ],
  },
  {
    name: "a policy fails the Job at a condition",
    steps: [
      create(policy({ action: "FailJob", onPodConditions: [{ type: "DisruptionTarget", status: "True" }] })),
      endFirst(1, { phase: "Failed", conditions: disrupted }),
    ],
  },
  {
    name: "a policy ignores disruptions and counts the rest",
    steps: [
      create({
        backoffLimit: 0,
        ...policy(
          { action: "Ignore", onPodConditions: [{ type: "DisruptionTarget", status: "True" }] },
          onExit("Count", [1]),
        ),
      }),
      endFirst(1, { phase: "Failed", conditions: disrupted }),
      endFirst(1, failed),
    ],
  },
  {
    name: "with a policy a pod that is deleted is replaced when it has ended",
    steps: [
      create({ ...policy(onExit("Ignore", [7], "NotIn")) }),
      toFirst("it is deleted", async (stage, pod) => {
        await bind(stage, pod, "node-1");
        await setPodState(stage, pod, { ready: true });
        await removePod(stage, pod);
      }),
      {
        name: "it ends",
        async act(stage) {
          for (const pod of await stage.pods(({ metadata }) => metadata.deletionTimestamp !== undefined))
            await endPod(stage, pod, { phase: "Failed", exitCode: 143 });
        },
      },
    ],
  },
  {
    name: "only failed pods are replaced",
    steps: [
      create({ completions: 3, parallelism: 2, podReplacementPolicy: "Failed" }),
      toFirst("one is deleted", async (stage, pod) => {
        await bind(stage, pod, "node-1");
        await setPodState(stage, pod, { ready: true });
        await removePod(stage, pod);
      }),
      {
        name: "it ends",
        async act(stage) {
          for (const pod of await stage.pods(({ metadata }) => metadata.deletionTimestamp !== undefined))
            await endPod(stage, pod, failed);
        },
      },
      endFirst(2, succeeded),
    ],
  },
];
