/** Jobs with their pods. Nothing runs the pods: scripts bind them and write their statuses. */
import { Jobs, Pods } from "../../../src/api/kinds.ts";
import { job } from "../../../src/controllers/job/job.ts";
import { jobOrphanPods } from "../../../src/controllers/job/orphan-pods.ts";
import type { Effect } from "../../support/audit-log.ts";
import { type Allowed, namespaceInBody, noBodyOfDelete, ownFieldManager } from "../differences.ts";
import { type PodObject, tellPod } from "../objects.ts";
import { owesPodEvents } from "../quiet.ts";
import { finalizer, hasCondition, indexName, type JobObject } from "../scripts/job/acts.ts";
import { randomScript } from "../scripts/job/grammar.ts";
import { scripts } from "../scripts/job/index.ts";
import type { Stage } from "../stage.ts";
import type { Suite } from "../suite.ts";
import type { Names, Told } from "../told.ts";

const isEnded = ({ status }: PodObject): boolean => status?.phase === "Succeeded" || status?.phase === "Failed";
const isLeaving = ({ metadata }: PodObject): boolean => metadata.deletionTimestamp !== undefined;
const isReady = ({ status }: PodObject): boolean =>
  status?.conditions?.some(({ type, status: is }) => type === "Ready" && is === "True") === true;
const isTracked = ({ metadata }: PodObject): boolean => metadata.finalizers?.includes(finalizer) === true;

/** Whether every Job has counted its pods, and says so. */
async function jobsAreSettled(stage: Stage): Promise<boolean> {
  const [jobs, pods] = await Promise.all([stage.list("jobs"), stage.pods()]);
  return (jobs as unknown as readonly JobObject[]).every((job) =>
    isJobSettled(
      job,
      pods.filter(({ metadata }) => metadata.ownerReferences?.some(({ uid }) => uid === job.metadata.uid) === true),
    ),
  );
}

function isJobSettled(job: JobObject, pods: readonly PodObject[]): boolean {
  const { metadata, spec, status = {} } = job;
  if (spec.managedBy !== undefined && spec.managedBy !== "kubernetes.io/job-controller") return true;
  const isOver = hasCondition(job, "Complete") || hasCondition(job, "Failed");
  if (isOver || metadata.deletionTimestamp !== undefined) return !pods.some(isTracked);
  const { succeeded = [], failed = [] } = status.uncountedTerminatedPods ?? {};
  const active = pods.filter((pod) => !isEnded(pod) && !isLeaving(pod));
  return (
    succeeded.length + failed.length === 0 &&
    (status.active ?? 0) === active.length &&
    status.ready === active.filter(isReady).length &&
    status.terminating === pods.filter((pod) => isLeaving(pod) && !isEnded(pod)).length &&
    hasCondition(job, "Suspended") === (spec.suspend === true)
  );
}

const finalizerRemovedTwice: Allowed = {
  id: "a finalizer that is removed twice",
  category: "noise",
  upstream: "pkg/controller/job/job_controller.go:updateJob",
  why: "a Job that is finished has what is left of its pods' finalizers removed; the cache may not show yet that its last sync has done so, and the same patch again changes nothing",
  matches: ({ what, path, theirs, ours }) =>
    what === "patch pods 200" &&
    path === "" &&
    JSON.stringify(theirs ?? ours).includes(
      `"body":{"metadata":{"$deleteFromPrimitiveList/finalizers":["${finalizer}"]}}`,
    ),
};

/** For each Job what was written one after the other: pods by verb, the status with what it names and counts. */
function order(effects: readonly Effect[], names: Names): Told[] {
  const byJob = new Map<string, string[]>();
  for (const { verb, resource, code, request, response } of effects) {
    if (code >= 300 || resource.startsWith("events")) continue;
    const object = (response ?? request) as Partial<PodObject> & Partial<JobObject>;
    const isStatus = resource === "jobs.batch/status";
    if (!isStatus && resource !== "pods") continue;
    const owner = isStatus
      ? object.metadata?.uid
      : (((request ?? response) as Partial<PodObject>).metadata?.ownerReferences?.[0]?.uid ??
        object.metadata?.ownerReferences?.[0]?.uid);
    const job = names.uids.get(owner ?? "") ?? "no Job";
    const steps = byJob.get(job) ?? [];
    byJob.set(job, steps);
    const step = isStatus ? statusInWords(object as JobObject) : verb;
    // What follows its end is the second removal of finalizers, or none.
    const isOver = /(?:Complete|Failed) True/.test(steps.at(-1) ?? "");
    if (steps.at(-1) !== step && !(isOver && step === "patch")) steps.push(step);
  }
  return [...byJob]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([job, steps]) => ({ what: "order", content: { job, steps } }));
}

function statusInWords({ status = {} }: JobObject): string {
  const { succeeded = [], failed = [] } = status.uncountedTerminatedPods ?? {};
  const conditions = (status.conditions ?? []).map(({ type, status: is }) => `${type} ${is}`).join("+");
  return [
    `active ${status.active ?? 0}, ready ${status.ready}, terminating ${status.terminating}`,
    `counted ${status.succeeded ?? 0}+${status.failed ?? 0}, named ${succeeded.length}+${failed.length}`,
    conditions,
  ].join("; ");
}

/** The index, too: pods of different indexes do not stand for each other. */
function tellJobPod(object: object): object {
  const { metadata, spec } = object as PodObject & { readonly spec: { readonly hostname?: string } };
  return { ...tellPod(object), index: metadata.annotations?.[indexName], hostname: spec.hostname };
}

export const jobs: Suite = {
  name: "job",
  oracle: "job-controller",
  ours: [job, jobOrphanPods],
  kinds: [{ kind: Jobs }, { kind: Pods, tell: tellJobPod }],
  owes: owesPodEvents,
  isSettled: jobsAreSettled,
  // Changes are collected for a second before they lead to a sync.
  quietMs: 1500,
  order,
  scripts,
  random: randomScript,
  seeds: { short: 6, long: 100 },
  differences: [namespaceInBody, noBodyOfDelete, ownFieldManager, finalizerRemovedTwice],
};
