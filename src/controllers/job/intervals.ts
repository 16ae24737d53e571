/**
 * Sets of completion indexes, as in `status.completedIndexes` and `status.failedIndexes`: `1,3-5,7`.
 * Source: kubernetes v1.36 pkg/controller/job/indexed_job_utils.go orderedIntervals, parseIndexesFromString.
 */
import { parseInt64 } from "../../controller/workload/revision-history.ts";

/** All indexes from `first` to `last`, inclusive. */
export interface Interval {
  readonly first: number;
  readonly last: number;
}

/** Ascending; adjacent intervals are merged. */
export type Intervals = readonly Interval[];

/** The union of both. */
export function union(a: Intervals, b: Intervals): Intervals {
  const all: Interval[] = [];
  for (const next of [...a, ...b].sort((x, y) => x.first - y.first)) {
    const last = all.at(-1);
    if (last === undefined || next.first > last.last + 1) all.push(next);
    else if (next.last > last.last) all[all.length - 1] = { first: last.first, last: next.last };
  }
  return all;
}

/** The intervals with these indexes, in any order. */
export function withIndexes(intervals: Intervals, indexes: Iterable<number>): Intervals {
  return union(
    intervals,
    [...indexes].map((index) => ({ first: index, last: index })),
  );
}

/** How many indexes there are. */
export function totalOf(intervals: Intervals): number {
  return intervals.reduce((total, { first, last }) => total + last - first + 1, 0);
}

/** Whether the index is among them: a binary search, since a Job may have many intervals, and this runs for each pod. */
export function hasIndex(intervals: Intervals, index: number): boolean {
  let [low, high] = [0, intervals.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((intervals[middle]?.last ?? index) >= index) high = middle;
    else low = middle + 1;
  }
  return (intervals[low]?.first ?? Infinity) <= index;
}

/** `1,3-5,7`: an interval of two is written with a comma. */
export function formatIntervals(intervals: Intervals): string {
  return intervals
    .map(({ first, last }) => {
      if (first === last) return String(first);
      return last === first + 1 ? `${first},${last}` : `${first}-${last}`;
    })
    .join(",");
}

/** Reads `1,3-5,7`, dropping indexes from `completions` on; anything that is not a number or an interval is skipped. */
export function parseIntervals(text: string | undefined, completions: number): Intervals {
  const all: Interval[] = [];
  if (text === undefined || text === "") return all;
  for (const part of text.split(",")) {
    const [from = "", to] = part.split("-");
    const first = readIndex(from);
    if (first === undefined) continue;
    if (first >= completions) break;
    const last = to === undefined ? first : readIndex(to);
    if (last === undefined) continue;
    const before = all.at(-1);
    const end = Math.min(last, completions - 1);
    if (before !== undefined && before.last === first - 1) all[all.length - 1] = { first: before.first, last: end };
    else all.push({ first, last: end });
  }
  return all;
}

function readIndex(text: string): number | undefined {
  const index = parseInt64(text);
  return index === undefined ? undefined : Number(index);
}
