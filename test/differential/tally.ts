/** How often something was written that is told once, or not at all: writes of a status, what is refused, what is repeated. */

/** By what was written, how often. */
export type Tally = Map<string, number>;

/** How often, over a whole script, one may write more than twice as often as the other. */
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
 * What we wrote more than twice as often as kube-controller-manager, and `spare` times besides: which deltas come before which sync
 * makes some difference, a write in every sync a larger one.
 */
export function excesses(theirs: readonly Tally[], ours: Tally, spare: number): Excess[] {
  return [...ours].flatMap(([what, count]) => {
    const most = Math.max(0, ...theirs.map((each) => each.get(what) ?? 0));
    return count > 2 * most + spare ? [{ what, theirs: most, ours: count }] : [];
  });
}
