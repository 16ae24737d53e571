/**
 * Memory of a controller during a run, in addition to its caches. The definition of a controller is a value without state, so that two runs
 * in one process share nothing.
 */

/** Declares a piece of a controller's memory and its initial value. */
export interface RunState<S> {
  readonly begin: () => S;
  /**
   * It is about the controller's own writes, such as those that its caches do not show yet. Where nothing is written, as in shadow mode, it
   * lasts for one sync.
   */
  readonly remembersWrites?: boolean;
}

/**
 * Declares memory of a controller for the duration of a run, such as times of earlier attempts. Syncs and handlers access it with
 * `context.state`. Each run in a process has its own.
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
export function runState<S>(begin: () => S, options: Pick<RunState<S>, "remembersWrites"> = {}): RunState<S> {
  return { begin, ...options };
}

/** The memory of one run of one controller. */
export class RunStates {
  #states = new Map<RunState<unknown>, unknown>();

  /** Returns the same value each time; created on first access. Atomic. */
  of<S>(state: RunState<S>): S {
    if (!this.#states.has(state)) this.#states.set(state, state.begin());
    // The value was created by this state's own `begin`.
    return this.#states.get(state) as S;
  }
}
