/**
 * The pods of a StatefulSet by ordinal: one for each desired ordinal, existing or missing, and the condemned ones.
 * Source: kubernetes v1.36 pkg/controller/statefulset/stateful_set_control.go updateStatefulSet; stateful_set_utils.go
 * newVersionedStatefulSetPod.
 */
import type { ControllerRevision, Pod, StatefulSet } from "../../api/types.ts";
import type { ClaimUser } from "./claim-owners.ts";
import { ordinalOf, podName, revisionOf } from "./identity.ts";
import { type AvailabilityTime, isUnavailable } from "./pod-state.ts";
import { desiredReplicas, isInRange, minReadySeconds, startOrdinal } from "./spec.ts";

/** A pod of the set, as cached. */
export interface ExistingMember {
  readonly ordinal: number;
  readonly name: string;
  /** The name of its ControllerRevision. */
  readonly revision: string;
  readonly pod: Pod;
}

/** A missing pod: how to create it. */
export interface MissingMember extends Omit<ExistingMember, "pod"> {
  readonly pod: undefined;
}

/** The pod of a desired ordinal, existing or missing. */
export type Member = ExistingMember | MissingMember;

/** The two revisions of a set: the one it is rolling out from, and the one of its current template. */
export interface Revisions {
  readonly current: ControllerRevision;
  readonly update: ControllerRevision;
}

/** The pods, arranged by ordinal. */
export interface Members {
  /** By ordinal. */
  readonly replicas: readonly Member[];
  /** Pods of other ordinals, the highest first. */
  readonly condemned: readonly ExistingMember[];
  /** The first replica that is missing or unavailable, otherwise the lowest such condemned pod. */
  readonly firstUnavailable: Member | undefined;
  /** What availability was judged against. */
  readonly time: AvailabilityTime;
}

/** Arranges the pods by ordinal. Pods whose names have no ordinal are dropped. `now` in milliseconds since 1970. */
export function membersOf(
  set: StatefulSet,
  { pods, revisions, now }: { readonly pods: readonly Pod[]; readonly revisions: Revisions; readonly now: number },
): Members {
  const start = startOrdinal(set);
  const missing = (ordinal: number): MissingMember => {
    const { metadata } = isMadeOfCurrent(set, ordinal) ? revisions.current : revisions.update;
    return { ordinal, name: podName(set, ordinal), revision: metadata.name, pod: undefined };
  };
  const found = pods.map(existing).filter(({ ordinal }) => ordinal >= 0);
  const byOrdinal = new Map(found.map((one) => [one.ordinal, one]));
  const replicas = Array.from(
    { length: desiredReplicas(set) },
    (_, n): Member => byOrdinal.get(start + n) ?? missing(start + n),
  );
  const condemned = found.filter(({ ordinal }) => !isInRange(set, ordinal)).sort((a, b) => b.ordinal - a.ordinal);
  const time = { minReadySeconds: minReadySeconds(set), now };
  const isAbsent = ({ pod }: Member): boolean => pod === undefined || isUnavailable(pod, time);
  return { replicas, condemned, firstUnavailable: replicas.find(isAbsent) ?? condemned.findLast(isAbsent), time };
}

function existing(pod: Pod): ExistingMember {
  return { ordinal: ordinalOf(pod), name: pod.metadata.name, revision: revisionOf(pod), pod };
}

/**
 * Whether a pod of this ordinal is recreated from the current revision, not from the update revision: below the partition or, without one,
 * among the first `status.currentReplicas` pods.
 */
function isMadeOfCurrent(set: StatefulSet, ordinal: number): boolean {
  const { type = "RollingUpdate", rollingUpdate } = set.spec?.updateStrategy ?? {};
  const place = ordinal - startOrdinal(set);
  if (rollingUpdate !== undefined) return place < (rollingUpdate.partition ?? 0);
  return type === "RollingUpdate" && place < (set.status?.currentReplicas ?? 0);
}

/** The pod as the user of its claims. */
export function claimUser({ name, ordinal, pod }: Member): ClaimUser {
  return { name, ordinal, uid: pod?.metadata.uid ?? "" };
}
