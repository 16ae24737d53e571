/**
 * What a controller remembers while it runs, beyond its caches: a definition is a value and holds nothing, so that two runs of one
 * process share nothing.
 */

/** Names a piece of a controller's memory, and says how it begins. */
export interface RunState<S> {
  readonly begin: () => S;
}

/**
 * Declares memory of a controller that lasts as long as a run, such as "tried at". A sync or a handler reads it with
 * `context.state`. Two runs in one process have their own.
 *
 * @example
 * ```ts
 * import { runState, type SyncContext } from "kubectl-reconcile";
 *
 * const lastSync = runState(() => new Map<string, number>());
 *
 * function remember(context: SyncContext): void {
 *   context.state(lastSync).set(context.key, context.now());
 * }
 * console.log(remember.name);
 * ```
 */
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
