/**
 * Whether enough indexes of a Job have succeeded, by its success policy.
 * Source: kubernetes v1.36 pkg/controller/job/success_policy.go.
 */
import type { Job } from "../../api/types.ts";
import { type Intervals, parseIntervals, totalOf } from "./intervals.ts";

type Policy = NonNullable<NonNullable<Job["spec"]>["successPolicy"]>;

/** The index of the first rule that is met, from 0; undefined if none is. */
export function matchSuccess(
  policy: Policy | undefined,
  { completions, succeeded }: { readonly completions: number; readonly succeeded: Intervals },
): number | undefined {
  if (policy === undefined || succeeded.length === 0) return undefined;
  const met = policy.rules.findIndex(({ succeededIndexes, succeededCount }) => {
    if (succeededIndexes === undefined) return succeededCount !== undefined && totalOf(succeeded) >= succeededCount;
    const required = parseIntervals(succeededIndexes, completions);
    if (required.length === 0) return false;
    const done = overlap(required, succeeded);
    return done === totalOf(required) || (succeededCount !== undefined && done >= succeededCount);
  });
  return met === -1 ? undefined : met;
}

/** How many indexes are in both. */
function overlap(a: Intervals, b: Intervals): number {
  let [count, i, j] = [0, 0, 0];
  for (;;) {
    const [x, y] = [a[i], b[j]];
    if (x === undefined || y === undefined) return count;
    count += Math.max(0, Math.min(x.last, y.last) - Math.max(x.first, y.first) + 1);
    if (x.last <= y.last) i++;
    if (y.last <= x.last) j++;
  }
}
