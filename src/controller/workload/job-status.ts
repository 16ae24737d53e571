/**
 * What a Job's status means to others than its own controller.
 * Source: kubernetes v1.36 pkg/controller/job/util/utils.go.
 */
import type { Job } from "../../api/types.ts";

/** A condition of a Job. */
export type JobCondition = NonNullable<NonNullable<Job["status"]>["conditions"]>[number];

/** The condition that records how the Job ended, Complete or Failed; undefined while it has not. */
export function finishedCondition({
  status,
}: Job): (JobCondition & { readonly type: "Complete" | "Failed" }) | undefined {
  for (const condition of status?.conditions ?? []) {
    const { type, status: is } = condition;
    if ((type === "Complete" || type === "Failed") && is === "True") return { ...condition, type };
  }
  return undefined;
}

/** Complete or Failed: nothing more happens to it. */
export function isJobFinished(job: Job): boolean {
  return finishedCondition(job) !== undefined;
}
