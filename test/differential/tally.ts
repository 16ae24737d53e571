/** Counts the writes that are recorded once or not at all: status writes, refusals and repetitions. */

/** Number of writes by description. */
export type Tally = Map<string, number>;

/** How often, over a whole script, one side may exceed twice the other's number. */
export const spareWrites = 8;

export function tally(into: Tally, written: readonly string[]): void {
  for (const what of written) into.set(what, (into.get(what) ?? 0) + 1);
}

export interface Excess {
  readonly what: string;
  readonly theirs: number;
  readonly ours: number;
}

/**
 * Writes that we made more than twice as often as kube-controller-manager, plus `spare`: the order of deltas and syncs causes small
 * differences, a write in every sync a larger one.
 */
export function excesses(theirs: readonly Tally[], ours: Tally, spare: number): Excess[] {
  return [...ours].flatMap(([what, count]) => {
    const most = Math.max(0, ...theirs.map((each) => each.get(what) ?? 0));
    return count > 2 * most + spare ? [{ what, theirs: most, ours: count }] : [];
  });
}
