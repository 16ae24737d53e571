/** Lists of completion indexes such as `1,3-5`. Source: kubernetes v1.36 pkg/apis/batch/validation/validation.go validateIndexesFormat. */
import { goQuoted } from "../../../api/go-text.ts";

interface Interval {
  readonly from: number;
  readonly to: number;
}

/** The largest number that Go reads as an int. */
const largest = 2n ** 63n - 1n;

/** An interval, or what is wrong with it. */
function intervalOf(text: string, completions: number): Interval | string {
  const limits = text.split("-");
  if (limits.length > 2) {
    return `the fragment ${goQuoted(text)} violates the requirement that an index interval can have at most two parts separated by '-'`;
  }
  for (const limit of limits) {
    if (!/^\+?\d+$/.test(limit) || BigInt(limit.replace("+", "")) > largest)
      return `cannot convert string to integer for index: ${goQuoted(limit)}`;
    if (Number(limit) >= completions) return `too large index: ${goQuoted(limit)}`;
  }
  const [from, to = from] = limits.map(Number) as [number, number?];
  return limits.length === 2 && from >= to ? `non-increasing order, previous: ${from}, current: ${to}` : { from, to };
}

/** The number of indexes in a list, or what is wrong with it. */
export function indexesIn(list: string, completions: number): number | string {
  if (list === "") return 0;
  let [total, last] = [0, -1];
  for (const text of list.split(",")) {
    const interval = intervalOf(text, completions);
    if (typeof interval === "string") return interval;
    const { from, to } = interval;
    if (last >= from) return `non-increasing order, previous: ${last}, current: ${from}`;
    total += to - from + 1;
    last = to;
  }
  return total;
}

/** The lists of indexes in a Job's status. */
export interface IndexLists {
  readonly completed: string;
  readonly failed: string;
}

/** The first index that is in both lists; undefined if there is none. Intervals that cannot be read are passed over. */
export function overlapOf({ completed, failed }: IndexLists, completions: number): number | undefined {
  const intervalsIn = (list: string): Interval[] =>
    list.split(",").flatMap((text) => {
      const interval = intervalOf(text, completions);
      return typeof interval === "string" ? [] : [interval];
    });
  const [ones, others] = [intervalsIn(completed), intervalsIn(failed)];
  // Which interval is left first decides what is found in lists that are not sorted.
  for (let i = 0, j = 0; ;) {
    const [one, other] = [ones[i], others[j]];
    if (one === undefined || other === undefined) return undefined;
    if (one.from <= other.to && other.from <= one.to) return Math.max(one.from, other.from);
    if (one.from <= other.from) i++;
    else j++;
  }
}
