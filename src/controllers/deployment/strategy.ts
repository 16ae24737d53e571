/**
 * How many pods a rollout may add and remove.
 * Source: kubernetes v1.36 pkg/controller/deployment/util/deployment_util.go.
 */
import type { Deployment } from "../../api/types.ts";
import { scaledValue } from "../../controller/workload/int-or-percent.ts";

/** The maximum of Go's int32; in some fields it means "no limit". */
const maxInt32 = 2_147_483_647;

/** `spec.replicas`; 1, the API server's default, if absent. */
export function desiredReplicas(deployment: Deployment): number {
  return deployment.spec?.replicas ?? 1;
}

/** Whether the strategy is RollingUpdate. */
export function isRollingUpdate(deployment: Deployment): boolean {
  return deployment.spec?.strategy?.type === "RollingUpdate";
}

/** Whether a lack of progress is ever reported. */
export function hasProgressDeadline({ spec }: Deployment): boolean {
  return spec?.progressDeadlineSeconds !== undefined && spec.progressDeadlineSeconds !== maxInt32;
}

/** How many old ReplicaSets are kept; undefined for all. */
export function revisionHistoryLimit({ spec }: Deployment): number | undefined {
  return spec?.revisionHistoryLimit === maxInt32 ? undefined : spec?.revisionHistoryLimit;
}

/** Both bounds of a rolling update, in pods. */
export interface Fenceposts {
  readonly surge: number;
  readonly unavailable: number;
}

/**
 * Resolves both bounds. If both are 0 (1% of 2 pods, rounded down), one pod may be unavailable, or the rollout could
 * never begin. An invalid value makes both 0, and the rollout does not proceed.
 */
export function fenceposts(deployment: Deployment): Fenceposts {
  const desired = desiredReplicas(deployment);
  const { maxSurge = 0, maxUnavailable = 0 } = deployment.spec?.strategy?.rollingUpdate ?? {};
  try {
    const surge = scaledValue(maxSurge, desired, "up");
    const unavailable = scaledValue(maxUnavailable, desired, "down");
    return surge === 0 && unavailable === 0 ? { surge, unavailable: 1 } : { surge, unavailable };
  } catch (error) {
    if (error instanceof RangeError) return { surge: 0, unavailable: 0 };
    throw error;
  }
}

/** How many pods above the desired number a rollout may have; 0 for Recreate. */
export function maxSurge(deployment: Deployment): number {
  return isRollingUpdate(deployment) ? fenceposts(deployment).surge : 0;
}

/** How many pods may be unavailable during a rollout, at most the desired number; 0 for Recreate. */
export function maxUnavailable(deployment: Deployment): number {
  const desired = desiredReplicas(deployment);
  if (!isRollingUpdate(deployment) || desired === 0) return 0;
  return Math.min(fenceposts(deployment).unavailable, desired);
}

/** `maxSurge 25% → 1`, `maxSurge 2`: the value in the spec, and what it resolves to. */
export function boundInWords(deployment: Deployment, bound: "maxSurge" | "maxUnavailable"): string {
  const requested = deployment.spec?.strategy?.rollingUpdate?.[bound] ?? 0;
  const value = bound === "maxSurge" ? maxSurge(deployment) : maxUnavailable(deployment);
  return requested === value ? `${bound} ${value}` : `${bound} ${requested} → ${value}`;
}
