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
    name: "no failures are allowed",
    steps: [create({ backoffLimit: 0, completions: 3, parallelism: 3 }), endFirst(1, failed)],
  },
  {
    name: "failures up to the back-off limit, and beyond",
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
    name: "a pod that failed just now is replaced after 10 s, the next after 20 s",
    steps: [
      create(),
      endFirst(1, { phase: "Failed", now: true }),
      later("the second pod is created", async (stage) => (await runningPods(stage)).length === 1),
      endFirst(1, { phase: "Failed", now: true }),
      later("the third pod is created", async (stage) => (await runningPods(stage)).length === 1),
    ],
  },
  {
    name: "bound active pods delay the Failed condition of a Job",
    steps: [
      create({ backoffLimit: 0, completions: 3, parallelism: 3 }),
      {
        name: "one pod fails, the others are bound and ready",
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
        name: "remove the terminating pods",
        async act(stage) {
          for (const pod of await stage.pods(({ metadata }) => metadata.deletionTimestamp !== undefined))
            await removePod(stage, pod, "at once");
        },
        until: (stage) => jobIs(stage, "Failed"),
      },
    ],
  },
  {
    name: "containers restart in their pods up to the back-off limit",
    steps: [
      create({ backoffLimit: 3, completions: 2, parallelism: 2 }, { podSpec: { restartPolicy: "OnFailure" } }),
      toFirst("a container has restarted twice", (stage, pod) => setPodState(stage, pod, { restarts: 2 })),
      toFirst("it has restarted three times", (stage, pod) => setPodState(stage, pod, { restarts: 3 })),
    ],
  },
  {
    name: "no restarts are allowed",
    steps: [
      create({ backoffLimit: 0 }, { podSpec: { restartPolicy: "OnFailure" } }),
      toFirst("a container has restarted once", (stage, pod) => setPodState(stage, pod, { restarts: 1 })),
    ],
  },
  {
    name: "a pod failure policy fails the Job on an exit code",
    steps: [
      create({ completions: 2, parallelism: 2, ...policy(onExit("Ignore", [1, 2]), onExit("FailJob", [42])) }),
      endFirst(1, { phase: "Failed", exitCode: 2 }),
      endFirst(1, { phase: "Failed", exitCode: 42 }),
    ],
  },
  {
    name: "a pod failure policy fails the Job on a condition",
    steps: [
      create(policy({ action: "FailJob", onPodConditions: [{ type: "DisruptionTarget", status: "True" }] })),
      endFirst(1, { phase: "Failed", conditions: disrupted }),
    ],
  },
  {
    name: "a pod failure policy ignores disruptions and counts other failures",
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
    name: "with a pod failure policy, a deleted pod is replaced when it has finished",
    steps: [
      create({ ...policy(onExit("Ignore", [7], "NotIn")) }),
      toFirst("delete the pod", async (stage, pod) => {
        await bind(stage, pod, "node-1");
        await setPodState(stage, pod, { ready: true });
        await removePod(stage, pod);
      }),
      {
        name: "the pod fails",
        async act(stage) {
          for (const pod of await stage.pods(({ metadata }) => metadata.deletionTimestamp !== undefined))
            await endPod(stage, pod, { phase: "Failed", exitCode: 143 });
        },
      },
    ],
  },
  {
    name: "podReplacementPolicy Failed: a deleted pod is replaced when it has failed",
    steps: [
      create({ completions: 3, parallelism: 2, podReplacementPolicy: "Failed" }),
      toFirst("delete a pod", async (stage, pod) => {
        await bind(stage, pod, "node-1");
        await setPodState(stage, pod, { ready: true });
        await removePod(stage, pod);
      }),
      {
        name: "the pod fails",
        async act(stage) {
          for (const pod of await stage.pods(({ metadata }) => metadata.deletionTimestamp !== undefined))
            await endPod(stage, pod, failed);
        },
      },
      endFirst(2, succeeded),
    ],
  },
];
