/** Jobs with their pods, and their deletion after they finish. Pods do not run: scripts bind them and write their status. */
import { Jobs, Pods } from "../../../src/api/kinds.ts";
import { job } from "../../../src/controllers/job/job.ts";
import { ttlAfterFinished } from "../../../src/controllers/ttl-after-finished/ttl-after-finished.ts";
import type { Effect } from "../../support/audit-log.ts";
import { namespaceInBody, noBodyOfDelete, ownFieldManager } from "../differences.ts";
import { type PodObject, podState } from "../objects.ts";
import { hasPendingPodEvents } from "../quiet.ts";
import { finalizer, hasCondition, indexName, type JobObject } from "../scripts/job/acts.ts";
import { randomScript } from "../scripts/job/grammar.ts";
import { scripts } from "../scripts/job/index.ts";
import type { Stage } from "../stage.ts";
import type { Suite } from "../suite.ts";
import type { Names, Entry } from "../step-record.ts";

const isEnded = ({ status }: PodObject): boolean => status?.phase === "Succeeded" || status?.phase === "Failed";
const isLeaving = ({ metadata }: PodObject): boolean => metadata.deletionTimestamp !== undefined;
const isReady = ({ status }: PodObject): boolean =>
  status?.conditions?.some(({ type, status: is }) => type === "Ready" && is === "True") === true;
const isTracked = ({ metadata }: PodObject): boolean => metadata.finalizers?.includes(finalizer) === true;

/** Whether every Job has counted its pods in its status. */
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

/**
 * For each Job, its writes in order: each status with its conditions and counts, and between two of them each verb on its pods once,
 * because those interleave randomly.
 */
function order(effects: readonly Effect[], names: Names): Entry[] {
  const byJob = new Map<string, { readonly steps: string[]; verbs: Set<string> }>();
  for (const effect of effects) {
    const isStatus = effect.resource === "jobs.batch/status";
    if (effect.code >= 300 || (!isStatus && effect.resource !== "pods")) continue;
    const job = names.uids.get(jobUid(effect) ?? "") ?? "no Job";
    const known = byJob.get(job) ?? { steps: [], verbs: new Set() };
    byJob.set(job, known);
    // After a Job has finished, its finalizers may be removed a second time, or not.
    const isOver = /(?:Complete|Failed) True/.test(known.steps.at(-1) ?? "");
    const step = isStatus ? statusInWords(effect.response as JobObject) : effect.verb;
    if ((isOver && step === "patch") || known.verbs.has(step)) continue;
    known.steps.push(step);
    known.verbs = isStatus ? new Set() : known.verbs.add(step);
  }
  const sorted = [...byJob].sort(([a], [b]) => (a < b ? -1 : 1));
  return sorted.map(([job, { steps }]) => ({ what: "order", content: { job, steps } }));
}

/** The uid of the Job that was written to, or that owns the pod. */
function jobUid({ resource, request, response }: Effect): string | undefined {
  const owner = (of: unknown): string | undefined =>
    (of as Partial<PodObject> | undefined)?.metadata?.ownerReferences?.[0]?.uid;
  return resource === "pods" ? (owner(request) ?? owner(response)) : (response as JobObject).metadata.uid;
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

/** Includes the index, because pods with different indexes are not interchangeable. */
function jobPodState(object: object): object {
  const { metadata, spec } = object as PodObject & { readonly spec: { readonly hostname?: string } };
  return { ...podState(object), index: metadata.annotations?.[indexName], hostname: spec.hostname };
}

export const jobs: Suite = {
  name: "job",
  oracle: "job-controller,ttl-after-finished-controller",
  ours: [job, ttlAfterFinished],
  // Pods are bound to nodes that do not exist, and outlive their Job.
  runsWithout: ["garbage-collector", "pod-garbage-collector"],
  kinds: [{ kind: Jobs }, { kind: Pods, compared: jobPodState }],
  hasPendingWrites: hasPendingPodEvents,
  isSettled: jobsAreSettled,
  // Changes are collected for a second before they cause a sync.
  quietMs: 1500,
  // Remaining finalizers on the pods of a finished Job are removed, even if the last sync did so and the cache does not show it yet.
  repeated: (what) => what === "patch pods 200",
  order,
  scripts,
  random: randomScript,
  seeds: { short: 6, long: 100 },
  differences: [namespaceInBody, noBodyOfDelete, ownFieldManager],
};
