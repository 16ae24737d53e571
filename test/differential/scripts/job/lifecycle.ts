/** Jobs that succeed, grow and shrink, and are deleted. */
import { bind, removePod, setPodState } from "../../acts.ts";
import { podNamed } from "../../objects.ts";
import type { Stage } from "../../stage.ts";
import type { Script } from "../../suite.ts";
import {
  create,
  endFirst,
  failed,
  finalizer,
  jobIs,
  jobName,
  jobOf,
  later,
  patchSpec,
  runningPods,
  succeeded,
  toFirst,
} from "./acts.ts";

async function quota(stage: Stage, pods: number): Promise<void> {
  const hard = { pods: String(pods) };
  await stage.create("resourcequotas", { metadata: { name: "small" }, spec: { hard } });
  await stage.patch("resourcequotas", "small/status", { status: { hard, used: { pods: "0" } } });
}

const labels = { app: "mine" };
const selecting = {
  manualSelector: true,
  selector: { matchLabels: labels },
};
const mine = jobOf({ ...selecting, completions: 2, parallelism: 2 }, { template: { labels } });

export const lifecycle: readonly Script[] = [
  { name: "one pod succeeds", steps: [create(), endFirst(1, succeeded)] },
  {
    name: "five completions, two at a time",
    steps: [
      create({ completions: 5, parallelism: 2 }),
      endFirst(1, succeeded),
      endFirst(2, succeeded),
      endFirst(2, succeeded),
    ],
  },
  {
    name: "pods become ready",
    steps: [
      create({ completions: 3, parallelism: 3 }),
      toFirst("one pod becomes ready", (stage, pod) => setPodState(stage, pod, { ready: true })),
      endFirst(3, succeeded),
    ],
  },
  {
    name: "a work queue",
    steps: [create({ parallelism: 3 }), endFirst(1, succeeded), endFirst(1, failed), endFirst(1, succeeded)],
  },
  {
    name: "a work queue whose pods fail",
    steps: [create({ parallelism: 2, backoffLimit: 1 }), endFirst(1, failed), endFirst(2, failed)],
  },
  { name: "0 completions", steps: [create({ completions: 0 })] },
  {
    name: "parallelism is increased and reduced",
    steps: [
      create({ completions: 9, parallelism: 0 }),
      patchSpec({ parallelism: 4 }),
      {
        name: "bind two pods, one ready, one with restarts",
        async act(stage) {
          const [first, second] = await runningPods(stage);
          if (first === undefined || second === undefined) return;
          await bind(stage, first, "node-1");
          await setPodState(stage, first, { ready: true });
          await bind(stage, second, "node-2");
          await setPodState(stage, second, { restarts: 2 });
        },
      },
      patchSpec({ parallelism: 1 }),
      patchSpec({ parallelism: 2 }),
      patchSpec({ parallelism: 0 }),
    ],
  },
  {
    name: "a deleted pod counts as failed, and is replaced after 10 s",
    steps: [
      create({ completions: 2, parallelism: 2 }),
      toFirst("delete a pod", (stage, pod) => removePod(stage, pod)),
      later("it is replaced", async (stage) => (await runningPods(stage)).length === 2),
    ],
  },
  {
    name: "a deleted bound pod is replaced before it has finished",
    steps: [
      create({ completions: 2, parallelism: 1 }),
      toFirst("delete the pod", async (stage, pod) => {
        await bind(stage, pod, "node-1");
        await setPodState(stage, pod, { ready: false });
        await removePod(stage, pod);
      }),
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
    name: "the Job is deleted in the background",
    steps: [
      create({ completions: 2, parallelism: 2 }),
      { name: "delete the Job", act: (stage) => stage.remove("jobs", jobName, { propagationPolicy: "Background" }) },
    ],
  },
  {
    name: "the Job is deleted in the foreground",
    steps: [
      create({ completions: 4, parallelism: 2 }),
      { name: "delete the Job", act: (stage) => stage.remove("jobs", jobName, { propagationPolicy: "Foreground" }) },
      endFirst(1, succeeded),
    ],
  },
  {
    name: "the Job is deleted in the background and recreated",
    steps: [
      create({ completions: 2, parallelism: 2 }),
      endFirst(1, failed),
      { name: "delete the Job", act: (stage) => stage.remove("jobs", jobName, { propagationPolicy: "Background" }) },
      create({ completions: 2, parallelism: 2 }),
      endFirst(4, succeeded),
    ],
  },
  {
    name: "a Job of another controller is ignored",
    steps: [
      create({ managedBy: "example.com/queue" }),
      create({ managedBy: "kubernetes.io/job-controller" }, { name: "other" }),
    ],
  },
  {
    name: "pods are adopted, one of which has succeeded",
    steps: [
      {
        name: "create three pods",
        async act(stage) {
          for (const name of ["one", "two", "three"]) await stage.create("pods", podNamed(name, labels));
          await stage.patch("pods", "two/status", { status: { phase: "Succeeded" } });
          // Of the others, the one without a node is deleted as surplus.
          for (const pod of await stage.pods(({ metadata }) => metadata.name === "one"))
            await bind(stage, pod, "node-1");
        },
      },
      { name: "create the Job", act: (stage) => stage.create("jobs", mine) },
      endFirst(1, succeeded),
    ],
  },
  {
    name: "more pods have succeeded than completions",
    steps: [
      {
        name: "create three succeeded pods",
        async act(stage) {
          for (const name of ["one", "two", "three"]) {
            await stage.create("pods", podNamed(name, labels));
            await stage.patch("pods", `${name}/status`, { status: { phase: "Succeeded" } });
          }
        },
      },
      { name: "create the Job", act: (stage) => stage.create("jobs", mine) },
    ],
  },
  {
    name: "a relabelled pod is released, without its finalizer",
    steps: [
      { name: "create the Job", act: (stage) => stage.create("jobs", mine) },
      toFirst("relabel a pod", (stage, pod) =>
        stage.patch("pods", pod.metadata.name, { metadata: { labels: { app: "aside" } } }),
      ),
    ],
  },
  {
    name: "a pod whose owner reference was removed is adopted again",
    steps: [
      create({ completions: 2, parallelism: 2 }),
      toFirst("remove the owner of a pod", (stage, pod) =>
        stage.patch("pods", pod.metadata.name, { metadata: { ownerReferences: null } }),
      ),
    ],
    race: "whether the finalizer is removed from an orphan before or after it is adopted",
  },
  {
    name: "the finalizer is removed from pods that no Job owns",
    steps: [
      create(),
      {
        name: "create an orphan, and a pod with an owner of another kind",
        async act(stage) {
          await stage.create(
            "pods",
            podNamed("orphan", {}, { metadata: { finalizers: [finalizer, "example.com/keep"] } }),
          );
          const owner = { apiVersion: "example.com/v1", kind: "Batch", name: "b", uid: "1-2", controller: true };
          await stage.create(
            "pods",
            podNamed("theirs", {}, { metadata: { finalizers: [finalizer], ownerReferences: [owner] } }),
          );
        },
      },
    ],
  },
  {
    name: "a quota allows two of four pods, and is deleted",
    steps: [
      { name: "create the quota", act: (stage) => quota(stage, 2) },
      {
        name: "create a Job with four pods",
        act: (stage) => stage.create("jobs", jobOf({ completions: 4, parallelism: 4 })),
      },
      {
        name: "delete the quota",
        act: (stage) => stage.remove("resourcequotas", "small"),
        until: async (stage) => (await runningPods(stage)).length === 4,
      },
    ],
  },
  {
    name: "activeDeadlineSeconds passes",
    steps: [
      // In one step, because on a busy machine the deadline could pass before a second step begins.
      {
        ...create({ completions: 2, parallelism: 2, activeDeadlineSeconds: 4 }),
        until: (stage) => jobIs(stage, "Failed"),
      },
    ],
  },
  {
    name: "activeDeadlineSeconds is set later",
    steps: [
      create({ completions: 2, parallelism: 2 }),
      { ...patchSpec({ activeDeadlineSeconds: 1 }), until: (stage) => jobIs(stage, "Failed") },
    ],
  },
];
