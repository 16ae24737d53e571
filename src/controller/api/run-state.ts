/**
 * What a controller remembers while it runs, beyond its caches: a definition is a value and holds nothing, so that two runs of one
 * process share nothing.
 */

/** Names a piece of a controller's memory, and says how it begins. */
export interface RunState<S> {
  readonly begin: () => S;
}

/** `const assumed = runState(() => new Map<ObjectKey, string>())`; a sync or a handler then asks for `context.state(assumed)`. */
export function runState<S>(begin: () => S): RunState<S> {
  return { begin };
}

/** The memory of one run of one controller. */
export class RunStates {
  #states = new Map<RunState<unknown>, unknown>();

  /** The same value each time; begun when it is first asked for. Atomic. */
  of<S>(state: RunState<S>): S {
    if (!this.#states.has(state)) this.#states.set(state, state.begin());
    // Only `begin` of this very state has put it there.
    return this.#states.get(state) as S;
  }
}
