/** How much of what was applied has become available, and what prevents the rest. */
import { generatedPrefix } from "../../api/generated-name.ts";
import type { ObjectKey } from "../../api/key.ts";
import type { StoredObject } from "../../api/object.ts";
import type { DaemonSet, Deployment, Job, Pod, ReplicaSet, StatefulSet } from "../../api/types.ts";
import type { ControllerDefinition } from "../../controller/api/definition.ts";
import { isPodReady } from "../../controller/workload/pod-status.ts";
import { rollsOut as rollsOutDaemons } from "../../controllers/daemonset/spec.ts";
import { schedulerName as ownScheduler } from "../../controllers/scheduler/due.ts";
import { desiredReplicas, partition, rollsOut } from "../../controllers/statefulset/spec.ts";
import type { KindName } from "../../trace/names.ts";
import { entryName, type State } from "../../views/state.ts";
import { storageIn } from "./claims.ts";
import { whatPodLacks } from "./lacking.ts";
import { ownedBy } from "./owned-by.ts";
import { type Followed, isReconciled, missingBelow } from "./reconciled-kinds.ts";
import type { Scope } from "./scope.ts";
import type { Validation } from "./server-validate.ts";

/** How many pods of an applied object are available or, for a Job, have succeeded. */
export interface Availability {
  readonly of: KindName;
  readonly key: ObjectKey;
  readonly available: number;
  readonly desired: number;
  /** If not all are available, what prevents it, as far as known: `Pod …: 0/3 nodes are available: …` */
  readonly why: string | undefined;
  /** Whether the rest becomes available is unknown: `why` names what does not run here. */
  readonly isUnknown?: boolean;
  /** With `--server-validate`: the API server would reject a part of it. */
  readonly isRefused?: boolean;
}

/** What availability is derived from. */
export interface AvailabilityOptions {
  readonly state: State;
  readonly controllers: readonly ControllerDefinition[];
  readonly scope: Scope;
}

/**
 * One entry for each Pod, Deployment, StatefulSet, DaemonSet, ReplicaSet, ReplicationController and Job among these that controllers here
 * reconcile, down to the pods.
 */
export function availabilityOf(
  done: readonly Followed[],
  { state, scope, ...reconcilers }: AvailabilityOptions,
): readonly Availability[] {
  const each = new Map(done.map((one) => [entryName(one.of, one.key), one]));
  const storage = storageIn(state, scope);
  return [...each].flatMap(([name, one]) => {
    const { of, key, did } = one;
    const object = state.get(name)?.object;
    if (object === undefined || did === "deleted" || !isReconciled(one, reconcilers)) return [];
    if (missingBelow(of, reconcilers) !== undefined) return [];
    const counts = countsOf(of, object);
    if (counts === undefined) return [];
    const lacks = (pod: Pod & StoredObject): string | undefined => whatPodLacks(pod, storage);
    return [{ of, key, ...counts, ...(isShort(counts) ? reasonFor(object, state, lacks) : { why: undefined }) }];
  });
}

/** What the API server would reject does not become available, whatever happened in the dry run. */
export function withRefusals(
  availability: readonly Availability[],
  state: State,
  validations: readonly Validation[],
): readonly Availability[] {
  const refused = validations.flatMap(({ refused }) => refused ?? []);
  if (refused.length === 0) return availability;
  return availability.map((each) => {
    const object = state.get(entryName(each.of, each.key))?.object;
    if (object === undefined) return each;
    const owners = new Set([object, ...ownedBy(object, state)].map(({ metadata }) => metadata.uid));
    const own = refused.filter(({ uid, owner }) => owners.has(uid) || owners.has(owner ?? ""));
    const [first] = own;
    if (first === undefined) return each;
    const pods = own.filter(({ uid }) => isPod(state, uid)).reduce((sum, { count }) => sum + count, 0);
    const available = Math.max(0, each.available - pods);
    return { ...each, available, why: `the API server would refuse it: ${first.message}`, isRefused: true };
  });
}

function isPod(state: State, uid: string): boolean {
  for (const { of, object } of state.values()) if (object.metadata.uid === uid) return of.kind === "Pod";
  return false;
}

/** Whether fewer than desired become available, or the API server would reject it. */
export function isShort({ available, desired, isUnknown, isRefused }: Partial<Availability>): boolean {
  return ((available ?? 0) < (desired ?? 0) && isUnknown !== true) || isRefused === true;
}

/** Undefined for kinds without availability. */
export function countsOf(
  of: KindName,
  object: StoredObject | undefined,
): { readonly available: number; readonly desired: number } | undefined {
  if (object === undefined) return undefined;
  switch (of.kind) {
    case "Pod": {
      const pod = object as Pod;
      const isStaying = pod.metadata.deletionTimestamp === undefined;
      const isThere = isStaying && (isPodReady(pod) || pod.status?.phase === "Succeeded");
      return { available: isThere ? 1 : 0, desired: 1 };
    }
    case "Deployment": {
      const { spec, status, metadata } = object as Deployment;
      const { availableReplicas = 0, updatedReplicas = 0, observedGeneration = 0 } = status ?? {};
      const isSeen = observedGeneration >= (metadata.generation ?? 0);
      return { available: isSeen ? Math.min(availableReplicas, updatedReplicas) : 0, desired: spec?.replicas ?? 1 };
    }
    case "StatefulSet":
      return countsOfStatefulSet(object);
    case "DaemonSet":
      return countsOfDaemonSet(object);
    case "ReplicaSet":
    case "ReplicationController": {
      const { spec, status } = object as ReplicaSet;
      return { available: status?.availableReplicas ?? 0, desired: spec?.replicas ?? 1 };
    }
    case "Job":
      return completionsIn(object);
    default:
      return undefined;
  }
}

/** A success policy may be met before all completions; a suspended Job must not start yet. */
function completionsIn({ spec, status }: Job): { readonly available: number; readonly desired: number } {
  const succeeded = status?.succeeded ?? 0;
  if (hasCondition(status, "Complete")) return { available: succeeded, desired: succeeded };
  // A Job that has ended but is not complete has failed, however many pods have succeeded.
  const desired = Math.max(spec?.completions ?? 1, hasCondition(status, "Failed") ? succeeded + 1 : 0);
  return { available: succeeded, desired: spec?.suspend === true ? succeeded : desired };
}

function hasCondition(status: Conditioned["status"], type: string): boolean {
  return status?.conditions?.some((condition) => condition.type === type && condition.status === "True") === true;
}

/** Pods yet to be updated do not count; with OnDelete, and below the partition, there are none. */
function countsOfStatefulSet(set: StatefulSet): { readonly available: number; readonly desired: number } {
  const { status, metadata } = set;
  const desired = desiredReplicas(set);
  const { availableReplicas = 0, updatedReplicas = 0, observedGeneration = 0 } = status ?? {};
  if (observedGeneration < (metadata.generation ?? 0)) return { available: 0, desired };
  // Pods that are being deleted count towards no revision.
  const isRolledOut = status?.currentRevision !== undefined && status.currentRevision === status.updateRevision;
  const outdated = rollsOut(set) && !isRolledOut ? Math.max(0, desired - partition(set) - updatedReplicas) : 0;
  return { available: Math.max(0, availableReplicas - outdated), desired };
}

/** Counts nodes that should run a pod. Pods yet to be updated do not count; with OnDelete, there are none. */
function countsOfDaemonSet(set: DaemonSet): { readonly available: number; readonly desired: number } {
  const { status, metadata } = set;
  const { desiredNumberScheduled: desired = 0, numberAvailable = 0, updatedNumberScheduled = 0 } = status ?? {};
  // How many nodes should run a pod is not known yet.
  if ((status?.observedGeneration ?? 0) < (metadata.generation ?? 0))
    return { available: 0, desired: Math.max(1, desired) };
  const outdated = rollsOutDaemons(set) ? Math.max(0, desired - updatedNumberScheduled) : 0;
  return { available: Math.max(0, numberAvailable - outdated), desired };
}

interface Conditioned {
  readonly status?: {
    readonly conditions?: readonly {
      readonly type: string;
      readonly status: string;
      readonly reason?: string;
      readonly message?: string;
    }[];
  };
}

/** Searched from the pods upwards: the lowest problem explains the rest. */
function reasonFor(
  object: StoredObject,
  state: State,
  lacks: (pod: Pod & StoredObject) => string | undefined,
): Pick<Availability, "why" | "isUnknown"> {
  if (isHeldByPause(object)) return { why: "it is paused: nothing is rolled out until it is resumed" };
  const below = [object, ...ownedBy(object, state)];
  let unknown: string | undefined;
  for (const each of below) {
    if (each.kind !== "Pod") continue;
    const why = podReason(each, lacks);
    if (why === undefined) continue;
    if (!waitsForOtherScheduler(each, lacks)) return { why };
    unknown ??= why;
  }
  if (unknown !== undefined) return { why: unknown, isUnknown: true };
  for (const each of below.toReversed()) {
    const wrong = (each as Conditioned).status?.conditions?.find(
      ({ type, status }) =>
        ((type === "ReplicaFailure" || type === "Failed") && status === "True") ||
        (type === "Progressing" && status === "False"),
    );
    if (wrong !== undefined)
      return { why: `${each.kind} ${each.metadata.name}: ${wrong.message ?? wrong.reason ?? wrong.type}` };
  }
  return { why: undefined };
}

/** Whether it is a paused Deployment with fewer updated pods than desired. */
function isHeldByPause(object: StoredObject): boolean {
  if (object.kind !== "Deployment") return false;
  // The kind implies the type.
  const { spec, status } = object as Deployment;
  return spec?.paused === true && (status?.updatedReplicas ?? 0) < (spec.replicas ?? 1);
}

/** Whether a pod waits for a scheduler that does not run here. A pod that lacks something waits for that as well. */
export function waitsForOtherScheduler(
  pod: Pod & StoredObject,
  lacks: (pod: Pod & StoredObject) => string | undefined,
): boolean {
  const { nodeName = "", schedulerName = ownScheduler } = pod.spec ?? {};
  const isSeen = pod.status?.conditions?.some(({ type, status }) => type === "PodScheduled" && status === "False");
  return nodeName === "" && schedulerName !== ownScheduler && isSeen !== true && lacks(pod) === undefined;
}

/** What keeps a pod from being ready; undefined if it is ready or being deleted. */
export function podReason(
  pod: Pod & StoredObject,
  lacks: (pod: Pod & StoredObject) => string | undefined,
): string | undefined {
  if (isPodReady(pod) || pod.metadata.deletionTimestamp !== undefined) return undefined;
  const prefix = generatedPrefix(pod.metadata);
  const name = `Pod ${prefix === undefined ? pod.metadata.name : `${prefix}…`}`;
  const unscheduled = pod.status?.conditions?.find(({ type, status }) => type === "PodScheduled" && status === "False");
  if (unscheduled !== undefined) return `${name}: ${unscheduled.message ?? unscheduled.reason ?? "not scheduled"}`;
  const lacking = lacks(pod);
  if (lacking !== undefined) return `${name}: ${lacking}`;
  if (waitsForOtherScheduler(pod, lacks))
    return `${name}: no scheduler has looked at it (its scheduler is ${pod.spec?.schedulerName ?? ""})`;
  for (const { name: container, state } of pod.status?.containerStatuses ?? []) {
    const wrong = state?.waiting?.reason ?? state?.terminated?.reason;
    if (wrong !== undefined) return `${name}: container ${container}: ${wrong}`;
  }
  return `${name} is not ready`;
}
