/**
 * The conditions of a Job. Their reasons and messages are upstream's.
 * Source: kubernetes v1.36 pkg/controller/job/job_controller.go newCondition, ensureJobConditionStatus.
 */
import { formatTime } from "../../api/time.ts";
import { findCondition } from "../../controller/workload/conditions.ts";
import type { JobCondition, JobStatus } from "./spec.ts";

/** How a Job ends, or why it runs no pods. */
export interface ConditionParts {
  readonly type: "Suspended" | "SuccessCriteriaMet" | "FailureTarget" | "Complete" | "Failed";
  readonly reason: string;
  readonly message: string;
  /** Default True. */
  readonly status?: "True" | "False";
}

/** Set when the Job is suspended; `resumed` follows when it no longer is. */
export const suspended: ConditionParts = { type: "Suspended", reason: "JobSuspended", message: "Job suspended" };
/** See `suspended`. */
export const resumed: ConditionParts = {
  type: "Suspended",
  status: "False",
  reason: "JobResumed",
  message: "Job resumed",
};

/** A condition set at `now`, in ms since 1970. */
export function conditionOf({ type, status = "True", reason, message }: ConditionParts, now: number): JobCondition {
  const time = formatTime(now);
  return { type, status, lastProbeTime: time, lastTransitionTime: time, reason, message };
}

/** The condition of this type, if it is True. */
export function trueCondition(status: JobStatus | undefined, type: ConditionParts["type"]): JobCondition | undefined {
  const condition = findCondition(status?.conditions, type);
  return condition?.status === "True" ? condition : undefined;
}

/**
 * The conditions with the one of this type replaced, or appended; the same list if nothing changes. A condition that was never True is not
 * set to False.
 */
export function withJobCondition(
  conditions: readonly JobCondition[] | undefined,
  condition: JobCondition,
): readonly JobCondition[] {
  const all = conditions ?? [];
  const current = findCondition(all, condition.type);
  if (current === undefined) return condition.status === "False" ? all : [...all, condition];
  const same = (["status", "reason", "message"] as const).every((field) => current[field] === condition[field]);
  return same ? all : all.map((each) => (each === current ? condition : each));
}
