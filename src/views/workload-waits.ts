/** What a Deployment, ReplicaSet, ReplicationController or StatefulSet waits for. */
import type { StoredObject } from "../api/object.ts";
import { readTime } from "../api/time.ts";
import type { Deployment, Pod, ReplicaSet } from "../api/types.ts";
import { unseenGeneration } from "./generic-waits.ts";
import { podWait } from "./pod-waits.ts";
import { controlledBy, since, type Snapshot, type State, type Wait } from "./snapshot.ts";

const revisionAnnotation = "deployment.kubernetes.io/revision";

export function workloadState(snapshot: Snapshot): State {
  return snapshot.kind === "Deployment" ? deploymentState(snapshot) : replicatedState(snapshot);
}

interface Counted extends StoredObject {
  readonly spec?: { readonly replicas?: number };
  readonly status?: {
    readonly replicas?: number;
    readonly availableReplicas?: number;
    readonly readyReplicas?: number;
    readonly conditions?: readonly { readonly type: string; readonly status: string; readonly message?: string }[];
  };
}

function replicatedState(snapshot: Snapshot): State {
  const counted: Counted = snapshot.object;
  const desired = counted.spec?.replicas ?? 1;
  const available = counted.status?.availableReplicas ?? 0;
  const actual = counted.status?.replicas ?? 0;
  const pods: readonly Pod[] = controlledBy(snapshot.owned, "Pod", counted);
  const waits = [...unseenGeneration(snapshot, counted.status), ...replicaFailures([counted], ""), ...podWaits(pods)];
  const done = available === desired && actual === desired && waits.every(({ about }) => about !== "");
  if (done && waits.length === 0)
    return { is: "as desired", says: availability(available, desired, ""), waits, next: [] };
  return {
    is: done ? "as desired" : "waiting",
    says: availability(available, desired, ""),
    waits,
    next: minReady(snapshot, pods),
  };
}

function availability(available: number, desired: number, of: string): string {
  if (desired === 0)
    return `scaled to 0${available > 0 ? `, ${available} ${available === 1 ? "pod" : "pods"} left` : ""}`;
  const pods = desired === 1 ? "pod" : "pods";
  return `${available} of ${desired} ${pods}${of} ${desired === 1 ? "is" : "are"} available`;
}

function deploymentState(snapshot: Snapshot): State {
  const deployment: Deployment = snapshot.object;
  const { spec, status } = deployment;
  const desired = spec?.replicas ?? 1;
  const sets: readonly ReplicaSet[] = controlledBy(snapshot.owned, "ReplicaSet", deployment);
  const newest = [...sets].sort((a, b) => revisionOf(b) - revisionOf(a))[0];
  const pods: readonly Pod[] = sets.flatMap((set) => controlledBy(snapshot.owned, "Pod", set));
  const left = (status?.replicas ?? 0) - (status?.updatedReplicas ?? 0);
  const unseen = unseenGeneration(snapshot, status);
  const done =
    unseen.length === 0 &&
    (status?.updatedReplicas ?? 0) === desired &&
    left === 0 &&
    (status?.availableReplicas ?? 0) === desired;
  const paused = spec?.paused === true && (!done || newest === undefined);
  const failures = replicaFailures(sets, "ReplicaSet");
  const waits: Wait[] = [
    ...unseen,
    ...(paused
      ? [{ about: "", why: "it is paused: nothing is rolled out until it is resumed (kubectl rollout resume)" }]
      : []),
    ...deadlineExceeded(deployment),
    ...(failures.length > 0 ? failures : replicaFailures([deployment], "")),
    ...(left > 0 && !done
      ? [{ about: "", why: `${left} ${left === 1 ? "pod" : "pods"} of older revisions still there` }]
      : []),
    ...podWaits(pods),
  ];
  const of = newest === undefined ? "" : ` of ReplicaSet ${newest.metadata.name}`;
  const available = newest?.status?.availableReplicas ?? status?.availableReplicas ?? 0;
  const says = availability(available, desired, of);
  if (done && !paused) return { is: "as desired", says, waits: waits.filter(({ about }) => about !== ""), next: [] };
  const isLate = deadlineExceeded(deployment).length > 0;
  return {
    is: isLate ? "failed" : "waiting",
    says: isLate ? `its rollout does not get on, ${says}` : says,
    waits,
    next: [...minReady(snapshot, pods), ...progressDeadline(deployment, snapshot.now)],
  };
}

function revisionOf({ metadata }: ReplicaSet): number {
  return Number(metadata.annotations?.[revisionAnnotation] ?? 0) || 0;
}

function deadlineExceeded({ status }: Deployment): Wait[] {
  const progressing = status?.conditions?.find(({ type }) => type === "Progressing");
  if (progressing?.status !== "False") return [];
  return [
    {
      about: "",
      why: `${progressing.reason ?? "not progressing"}: ${progressing.message ?? ""}`,
      ...since(readTime(progressing.lastTransitionTime)),
    },
  ];
}

function progressDeadline({ spec, status }: Deployment, now: number): string[] {
  const progressing = status?.conditions?.find(({ type }) => type === "Progressing");
  const seconds = spec?.progressDeadlineSeconds;
  if (spec?.paused === true || progressing?.status !== "True" || progressing.lastUpdateTime === undefined) return [];
  // The default means never.
  if (seconds === undefined || seconds >= 2147483647 || progressing.reason === "NewReplicaSetAvailable") return [];
  const leftMs = (readTime(progressing.lastUpdateTime) ?? 0) + seconds * 1000 - now;
  return leftMs > 0 ? [`progress deadline in ${span(leftMs)}, then Progressing=False`] : [];
}

/** `4 m 12 s`. */
export function span(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1000));
  if (seconds < 120) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  return minutes < 120 ? `${minutes} m ${seconds % 60} s` : `${Math.floor(minutes / 60)} h ${minutes % 60} m`;
}

/** Why pods could not be created or deleted: a quota, an admission webhook, a template that is not valid. */
function replicaFailures(objects: readonly Counted[], kind: string): Wait[] {
  return objects.flatMap(({ metadata, status }) => {
    const failure = status?.conditions?.find(({ type, status: is }) => type === "ReplicaFailure" && is === "True");
    if (failure === undefined) return [];
    const about = kind === "" ? "" : `${kind} ${metadata.name}`;
    return [{ about, why: `pods cannot be created: ${failure.message ?? ""}` }];
  });
}

function podWaits(pods: readonly Pod[]): Wait[] {
  return pods.flatMap((pod) => {
    const wait = podWait(pod, `Pod ${pod.metadata.name}`);
    return wait === undefined ? [] : [wait];
  });
}

/** Ready pods that have to stay so for a while before they count as available. */
function minReady({ object, now }: Snapshot, pods: readonly Pod[]): string[] {
  const { minReadySeconds = 0 } = (object as { readonly spec?: { readonly minReadySeconds?: number } }).spec ?? {};
  if (minReadySeconds === 0) return [];
  const due = pods.flatMap(({ status }) => {
    const ready = status?.conditions?.find(({ type, status: is }) => type === "Ready" && is === "True");
    const at = ready?.lastTransitionTime;
    const leftMs = (readTime(at) ?? 0) + minReadySeconds * 1000 - now;
    return leftMs > 0 ? [leftMs] : [];
  });
  if (due.length === 0) return [];
  return [
    `${due.length} ready ${due.length === 1 ? "pod counts" : "pods count"} as available in ${span(Math.max(...due))} (minReadySeconds ${minReadySeconds})`,
  ];
}
