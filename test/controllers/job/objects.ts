/** Jobs and their pods for tests, with only the relevant fields. */
import { Jobs } from "../../../src/api/kinds.ts";
import { controllerReference } from "../../../src/api/owner-references.ts";
import { formatTime } from "../../../src/api/time.ts";
import type { Job, Pod } from "../../../src/api/types.ts";
import { type JobPods, jobPods } from "../../../src/controllers/job/job-pods.ts";
import type { JobStatus } from "../../../src/controllers/job/spec.ts";
import { sceneStart } from "../../support/sync-context.ts";

export const finalizer = "batch.kubernetes.io/job-tracking";
export const indexAnnotation = "batch.kubernetes.io/job-completion-index";
export const failureCountAnnotation = "batch.kubernetes.io/job-index-failure-count";
export const ignoredCountAnnotation = "batch.kubernetes.io/job-index-ignored-failure-count";

export interface JobParts {
  readonly spec?: object;
  readonly status?: JobStatus;
  readonly meta?: object;
  readonly podSpec?: object;
  readonly template?: object;
}

/** The Job `data` in `shop`, which started a minute ago. */
export function jobOf({ spec, status, meta, podSpec, template }: JobParts = {}): Job {
  return {
    metadata: {
      name: "data",
      namespace: "shop",
      uid: "uid-data",
      resourceVersion: "10",
      creationTimestamp: formatTime(sceneStart - 3_600_000),
      generation: 1,
      ...meta,
    },
    spec: {
      parallelism: 1,
      backoffLimit: 6,
      selector: { matchLabels: { job: "data" } },
      template: {
        metadata: { labels: { job: "data" }, ...template },
        spec: { restartPolicy: "Never", containers: [{ name: "main", image: "data:1" }], ...podSpec },
      },
      ...spec,
    },
    status: { startTime: formatTime(sceneStart - 60_000), ...status },
  };
}

/** An Indexed Job with this number of completions. */
export function indexedJobOf(completions: number, parts: JobParts = {}): Job {
  return jobOf({ ...parts, spec: { completionMode: "Indexed", completions, parallelism: completions, ...parts.spec } });
}

export interface PodParts {
  /** Running by default. */
  readonly phase?: string;
  readonly index?: number | string;
  /** Whether the pod has the tracking finalizer; true by default. */
  readonly tracked?: boolean;
  readonly deleted?: boolean;
  /** When its only container ended, in ms after the start of the scene. */
  readonly endedMs?: number;
  readonly exitCode?: number;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly meta?: object;
  readonly spec?: object;
  readonly status?: object;
}

/** A pod of the Job `data` with the UID `uid-NAME`. */
export function podOf(name: string, parts: PodParts = {}): Pod {
  const { phase = "Running", index, tracked = true, deleted = false, endedMs, exitCode = 1, annotations, meta } = parts;
  const indexed = index === undefined ? {} : { [indexAnnotation]: String(index) };
  return {
    metadata: {
      name,
      namespace: "shop",
      uid: `uid-${name}`,
      resourceVersion: "10",
      creationTimestamp: formatTime(sceneStart - 3_600_000),
      labels: { job: "data" },
      annotations: { ...indexed, ...annotations },
      ownerReferences: [controllerReference(Jobs, jobOf())],
      ...(tracked && { finalizers: [finalizer] }),
      ...(deleted && { deletionTimestamp: formatTime(sceneStart) }),
      ...meta,
    },
    spec: { containers: [{ name: "main" }], ...parts.spec },
    status: {
      phase,
      ...(endedMs !== undefined && { containerStatuses: [ended("main", exitCode, endedMs)] }),
      ...parts.status,
    },
  };
}

type ContainerStatus = NonNullable<NonNullable<Pod["status"]>["containerStatuses"]>[number];

/** The status of a container that ended `atMs` after the start of the scene. */
export function ended(name: string, exitCode: number, atMs: number): ContainerStatus {
  const finishedAt = formatTime(sceneStart + atMs);
  return {
    name,
    image: "",
    imageID: "",
    ready: false,
    restartCount: 0,
    state: { terminated: { exitCode, finishedAt } },
  };
}

export function running(name: string, restartCount = 0): ContainerStatus {
  return { name, image: "", imageID: "", ready: true, restartCount, state: { running: {} } };
}

/** `unseen`: names of pods whose finalizers were removed, but whose removal the cache has not observed yet. */
export function known(job: Job, pods: readonly Pod[], unseen: readonly string[] = []): JobPods {
  return jobPods(job, { pods, unseenRemovals: new Set(unseen.map((name) => `uid-${name}`)) });
}
