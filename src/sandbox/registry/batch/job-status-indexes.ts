/** The completed and failed indexes in a Job's status. Source: kubernetes v1.36 pkg/apis/batch/validation/validation.go validateJobStatus. */
import { invalid, type FieldError } from "../../meta/field-errors.ts";
import { textOf, type ApiObject, type Fields } from "../../meta/object.ts";
import { indexesIn, overlapOf } from "./index-intervals.ts";

/** Lists of indexes are compared with the spec only when they change: a Job that is scaled down keeps them until the next sync. */
export function indexErrors(job: ApiObject, old: Fields): FieldError[] {
  const { completedIndexes: completed = "", failedIndexes: failed } = job.status ?? {};
  const { completions, completionMode, backoffLimitPerIndex } = job.spec ?? {};
  const hasCompleted = completed !== (old["completedIndexes"] ?? "");
  const hasFailed = failed !== old["failedIndexes"];
  const limited = backoffLimitPerIndex !== undefined;
  const errors: FieldError[] = [];
  const check = (key: "completedIndexes" | "failedIndexes", list: unknown): void => {
    const problem = typeof completions === "number" ? indexesIn(textOf(list), completions) : 0;
    if (typeof problem === "string") errors.push(invalid(`status.${key}`, list, `error parsing ${key}: ${problem}`));
  };
  if (hasCompleted) check("completedIndexes", completed);
  if (hasFailed && limited) check("failedIndexes", failed);
  if (hasCompleted && completed !== "" && completionMode !== "Indexed") {
    const why = "cannot set non-empty completedIndexes when non-indexed completion mode";
    errors.push(invalid("status.completedIndexes", completed, why));
  }
  if (failed === undefined) return errors;
  if (hasFailed && !limited) {
    const why = "cannot set non-null failedIndexes when backoffLimitPerIndex is null";
    errors.push(invalid("status.failedIndexes", failed, why));
  }
  if ((hasCompleted || hasFailed) && typeof completions === "number") {
    const index = overlapOf({ completed: textOf(completed), failed: textOf(failed) }, completions);
    const why = `failedIndexes and completedIndexes overlap at index: ${index}`;
    if (index !== undefined) errors.push(invalid("status.failedIndexes", failed, why));
  }
  return errors;
}
