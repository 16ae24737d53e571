/** Earlier states of a fork, with what it has read from its cluster since. */
import { entryName, type State, type StateEntry } from "../../views/state.ts";
import type { Divergence } from "../fork/divergences.ts";

/**
 * An earlier state, completed from the current one: an object not written here has existed all along, and a written one is as the cluster
 * had it, unless the earlier state knows better.
 */
export function completedState(
  earlier: State,
  { now, divergences }: { readonly now: State; readonly divergences: readonly Divergence[] },
): State {
  const complete = new Map<string, StateEntry>(earlier);
  const diverged = new Map(divergences.map((each) => [entryName(each.of, each.key), each]));
  for (const [name, entry] of now) if (!complete.has(name) && !diverged.has(name)) complete.set(name, entry);
  for (const [name, { of, key, base }] of diverged)
    if (!complete.has(name) && base !== undefined) complete.set(name, { of, key, object: base });
  return complete;
}
