/** Counts the writes that are recorded once or not at all: status writes, rejected ones, repeated ones. */

/** Number of writes by description. */
export type Tally = Map<string, number>;

/** Default of `Suite.spareWrites`: by how many our count can exceed twice kube-controller-manager's over a whole script. */
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
 * Returns the writes whose count on our side exceeds twice kube-controller-manager's plus `spare`. The order of deltas and syncs causes
 * small differences; a redundant write in every sync causes a larger one.
 */
export function excesses(theirs: readonly Tally[], ours: Tally, spare: number): Excess[] {
  return [...ours].flatMap(([what, count]) => {
    const most = Math.max(0, ...theirs.map((each) => each.get(what) ?? 0));
    return count > 2 * most + spare ? [{ what, theirs: most, ours: count }] : [];
  });
}
