/** The results of a benchmark, and the arithmetic behind them. */

/**
 * `at most`: ours divided by the peer's must not be more; `at least`: not less. `below` and `above`: a limit for ours alone, in the
 * figure's unit, regardless of the peer's. `within`: by how much ours may exceed the peer's, in the figure's unit.
 */
export type Goal =
  | { readonly is: "at most" | "at least"; readonly ratio: number }
  | { readonly is: "below" | "above"; readonly limit: number }
  | { readonly is: "within"; readonly more: number };

/** One figure of the table: medians, the peer's beside ours. */
export interface Figure {
  readonly name: string;
  readonly unit: string;
  readonly ours: number;
  readonly peer: number;
  readonly ratio: number;
  readonly goal: string;
  readonly met: boolean;
  /** All rounds, in the order in which they were run. */
  readonly rounds: { readonly ours: readonly number[]; readonly peer: readonly number[] };
}

/** Something that could not be measured, and why. */
export interface Unmeasured {
  readonly name: string;
  readonly why: string;
}

export type Result = Figure | Unmeasured;

export function isFigure(result: Result): result is Figure {
  return "ratio" in result;
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  if (sorted.length === 0) return NaN;
  const high = sorted[middle] as number;
  return sorted.length % 2 === 1 ? high : ((sorted[middle - 1] as number) + high) / 2;
}

/** @throws RangeError if a side has no rounds. */
export function figure(
  name: string,
  unit: string,
  goal: Goal,
  rounds: { readonly ours: readonly number[]; readonly peer: readonly number[] },
): Figure {
  if (rounds.ours.length === 0 || rounds.peer.length === 0) throw new RangeError(`Cannot compare ${name}: no rounds`);
  const [ours, peer] = [median(rounds.ours), median(rounds.peer)];
  const ratio = ours / peer;
  return { name, unit, ours, peer, ratio, goal: goalText(goal, unit), met: reaches(goal, ours, peer), rounds };
}

function reaches(goal: Goal, ours: number, peer: number): boolean {
  const ratio = ours / peer;
  switch (goal.is) {
    case "at most":
      return ratio <= goal.ratio;
    case "at least":
      return ratio >= goal.ratio;
    case "below":
      return ours <= goal.limit;
    case "above":
      return ours >= goal.limit;
    case "within":
      return ours <= peer + goal.more;
  }
}

function goalText(goal: Goal, unit: string): string {
  switch (goal.is) {
    case "at most":
      return `≤ ${goal.ratio}`;
    case "at least":
      return `≥ ${goal.ratio}`;
    case "below":
      return `≤ ${goal.limit} ${unit}`;
    case "above":
      return `≥ ${goal.limit} ${unit}`;
    case "within":
      return `≤ peer + ${goal.more} ${unit}`;
  }
}
