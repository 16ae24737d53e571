/** Jobs and the outcomes of their pods. Pods do not run: scripts write their status. */
import { timeAgo } from "../../acts.ts";
import type { Json, PodObject } from "../../objects.ts";
import type { Stage } from "../../stage.ts";
import type { Step } from "../../suite.ts";

export const jobName = "data";
export const finalizer = "batch.kubernetes.io/job-tracking";
export const indexName = "batch.kubernetes.io/job-completion-index";
const hour = 3_600_000;

export interface JobParts {
  readonly name?: string;
  /** Additional spec of the pods. */
  readonly podSpec?: object;
  readonly template?: object;
}

export function jobOf(spec: object = {}, { name = jobName, podSpec, template }: JobParts = {}): object {
  return {
    metadata: { name },
    spec: {
      ...spec,
      template: {
        ...(template !== undefined && { metadata: template }),
        spec: { restartPolicy: "Never", containers: [{ name: "main", image: "main:1" }], ...podSpec },
      },
    },
  };
}

export function create(spec: object = {}, parts: JobParts = {}): Step {
  return {
    name: `create ${JSON.stringify(spec)}`,
    act: (stage) => stage.create("jobs", jobOf(spec, parts)),
    order: true,
  };
}

export function patchSpec(spec: object): Step {
  return { name: `patch ${JSON.stringify(spec)}`, act: (stage) => stage.patch("jobs", jobName, { spec }), order: true };
}

export interface End {
  readonly phase: "Succeeded" | "Failed";
  readonly exitCode?: number;
  /** How long before the script's base it finished. Default an hour, so that no back-off is left. */
  readonly agoMs?: number;
  /** Whether it finished just now. */
  readonly now?: boolean;
  readonly conditions?: readonly object[];
}

/** Writes a pod's final status, as a kubelet does. */
export async function endPod(stage: Stage, pod: PodObject, end: End): Promise<void> {
  const { phase, exitCode = phase === "Succeeded" ? 0 : 1, agoMs = hour, now = false, conditions } = end;
  const finishedAt = now ? `${new Date().toISOString().slice(0, 19)}Z` : timeAgo(stage, agoMs);
  const terminated = { exitCode, startedAt: finishedAt, finishedAt };
  const main = { name: "main", image: "main:1", imageID: "", ready: false, restartCount: 0, state: { terminated } };
  await stage.patch("pods", `${pod.metadata.name}/status`, {
    status: { phase, containerStatuses: [main], ...(conditions !== undefined && { conditions }) },
  });
}

export const succeeded: End = { phase: "Succeeded" };
export const failed: End = { phase: "Failed" };

/** The pods that have not finished and are not being deleted, sorted by index if they have one. */
export async function runningPods(stage: Stage): Promise<readonly PodObject[]> {
  const pods = await stage.pods(
    ({ metadata, status }) =>
      metadata.deletionTimestamp === undefined && status?.phase !== "Failed" && status?.phase !== "Succeeded",
  );
  return pods.toSorted((a, b) => indexOf(a) - indexOf(b));
}

export function indexOf({ metadata }: PodObject): number {
  return Number(metadata.annotations?.[indexName] ?? -1);
}

/** Finishes the first `count` running pods. */
export function endFirst(count: number, end: End): Step {
  return {
    name: `finish ${count} ${count === 1 ? "pod" : "pods"} with ${JSON.stringify(end)}`,
    async act(stage) {
      for (const pod of (await runningPods(stage)).slice(0, count)) await endPod(stage, pod, end);
    },
    order: true,
  };
}

/** Finishes the running pods with these indexes. */
export function endIndexes(indexes: readonly number[], end: End): Step {
  return {
    name: `finish indexes ${indexes.join()} with ${JSON.stringify(end)}`,
    async act(stage) {
      for (const pod of await runningPods(stage)) if (indexes.includes(indexOf(pod))) await endPod(stage, pod, end);
    },
    order: true,
  };
}

/** Acts on the first running pod. */
export function toFirst(name: string, act: (stage: Stage, pod: PodObject) => Promise<unknown>): Step {
  return {
    name,
    async act(stage) {
      const [pod] = await runningPods(stage);
      if (pod !== undefined) await act(stage, pod);
    },
  };
}

export interface JobObject extends Json {
  readonly metadata: { readonly name: string; readonly uid: string; readonly deletionTimestamp?: string };
  readonly spec: { readonly suspend?: boolean; readonly managedBy?: string };
  readonly status?: {
    readonly active?: number;
    readonly ready?: number;
    readonly succeeded?: number;
    readonly failed?: number;
    readonly terminating?: number;
    readonly uncountedTerminatedPods?: { readonly succeeded?: readonly string[]; readonly failed?: readonly string[] };
    readonly conditions?: readonly { readonly type: string; readonly status: string }[];
  };
}

export function hasCondition(job: JobObject, type: string): boolean {
  return job.status?.conditions?.some((condition) => condition.type === type && condition.status === "True") === true;
}

/** Whether a Job has this condition with status True. */
export async function jobIs(stage: Stage, type: string): Promise<boolean> {
  const jobs = (await stage.list("jobs")) as unknown as readonly JobObject[];
  return jobs.some((job) => hasCondition(job, type));
}

/** Waits for a later effect. */
export function later(name: string, until: (stage: Stage) => Promise<boolean>): Step {
  return { name, act: () => Promise.resolve(), until };
}
