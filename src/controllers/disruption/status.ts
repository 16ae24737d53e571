/**
 * The status of a PodDisruptionBudget, from its counts. Pure.
 * Source: kubernetes v1.36 pkg/controller/disruption/disruption.go updatePdbStatus, failSafe; component-helpers v0.36
 * apps/poddisruptionbudget/helpers.go.
 */
import { deepEqual } from "../../api/field-changes.ts";
import { formatTime } from "../../api/time.ts";
import type { PodDisruptionBudget } from "../../api/types.ts";
import { findCondition, withStatusCondition } from "../../controller/workload/conditions.ts";
import type { DisruptedPods } from "./healthy.ts";

/** `status` of a budget. Absent numbers are 0. */
export type BudgetStatus = NonNullable<PodDisruptionBudget["status"]>;

/** What one sync has counted. */
export interface BudgetCounts {
  /** Healthy pods. */
  readonly healthy: number;
  /** How many must stay healthy. */
  readonly desired: number;
  /** How many pods are expected. */
  readonly expected: number;
  readonly disruptedPods: DisruptedPods;
}

/** The condition type that `kubectl describe pdb` and drains read. */
const disruptionAllowed = "DisruptionAllowed";

/** How many pods may be evicted. A budget that expects no pods allows none: its first pods may be about to appear. */
export function allowedDisruptions({ healthy, desired, expected }: BudgetCounts): number {
  return expected <= 0 ? 0 : Math.max(0, healthy - desired);
}

/** When a status is computed. */
interface Moment {
  /** ms since 1970. */
  readonly now: number;
}

/** The status for these counts; undefined if the budget has it already. */
export function nextStatus(
  { metadata, status }: PodDisruptionBudget,
  { now, ...counts }: BudgetCounts & Moment,
): BudgetStatus | undefined {
  const allowed = allowedDisruptions(counts);
  const { generation = 0 } = metadata;
  const isSame =
    (status?.currentHealthy ?? 0) === counts.healthy &&
    (status?.desiredHealthy ?? 0) === counts.desired &&
    (status?.expectedPods ?? 0) === counts.expected &&
    (status?.disruptionsAllowed ?? 0) === allowed &&
    (status?.observedGeneration ?? 0) === generation &&
    deepEqual(status?.disruptedPods ?? {}, counts.disruptedPods);
  const { state, reason } = verdict(allowed);
  const condition = findCondition(status?.conditions, disruptionAllowed);
  if (isSame && condition?.status === state && condition.reason === reason) return undefined;
  const next = {
    type: disruptionAllowed,
    status: state,
    observedGeneration: generation,
    reason,
    message: "",
    lastTransitionTime: formatTime(now),
  };
  return {
    observedGeneration: generation,
    ...(Object.keys(counts.disruptedPods).length > 0 && { disruptedPods: counts.disruptedPods }),
    disruptionsAllowed: allowed,
    currentHealthy: counts.healthy,
    desiredHealthy: counts.desired,
    expectedPods: counts.expected,
    conditions: withStatusCondition(status?.conditions, next),
  };
}

function verdict(allowed: number): { readonly state: "True" | "False"; readonly reason: string } {
  return allowed > 0 ? { state: "True", reason: "SufficientPods" } : { state: "False", reason: "InsufficientPods" };
}

/** The status of a budget whose pods cannot be counted: no eviction is allowed, the rest stays as it was. */
export function failedStatus(
  { status }: PodDisruptionBudget,
  { message, now }: Moment & { readonly message: string },
): BudgetStatus {
  const { observedGeneration } = status ?? {};
  const condition = {
    type: disruptionAllowed,
    status: "False",
    ...(observedGeneration !== undefined && { observedGeneration }),
    reason: "SyncFailed",
    message,
    lastTransitionTime: formatTime(now),
  };
  return {
    currentHealthy: 0,
    desiredHealthy: 0,
    expectedPods: 0,
    ...status,
    disruptionsAllowed: 0,
    conditions: withStatusCondition(status?.conditions, condition),
  };
}
