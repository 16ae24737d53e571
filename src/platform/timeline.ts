/**
 * Time and turns. Everything that waits, and every hand-over between two actors, goes through a `Timeline`: the real one costs
 * nothing, the virtual one decides by a seed which of the ready hops comes next, so that a whole run is a function of its
 * inputs and the seed. Order must never rest on the number of microtasks: runtimes differ there.
 */

/** Ends a timer that has not fired; harmless after it has, and more than once. */
export type Cancel = () => void;

export interface TimerOptions {
  /** Resyncs, heartbeats, leases, bookmarks, watchdogs: a virtual run does not wait for these to be steady. */
  readonly background?: boolean;
}

/**
 * A moment by both clocks, in milliseconds; only differences of two of them mean something. `wall` goes on while a machine sleeps,
 * and jumps when it is set; `steady` does neither.
 */
export interface Clocks {
  readonly wall: number;
  readonly steady: number;
}

/** A clock with timers and hand-overs between actors, real or virtual; handed to everything that waits. */
export interface Timeline {
  /** Milliseconds since 1970, with fractions; never goes back. */
  now(): number;
  /**
   * When the code that runs now began, by `now()`: read once until it returns or awaits, so that a burst of thousands of calls costs
   * one look at the clock.
   */
  burstBegan(): number;
  /** This moment, for durations that must not follow a clock that is set, or must not miss that the machine has slept. */
  clocks(): Clocks;
  /**
   * A hand-over between actors: a request sent, an answer, a chunk, a queue's item to its worker. Resolves when the actor's
   * turn has come. Actors are named stably (`replicaset worker 3`), since a virtual run orders by these names.
   */
  hop(actor: string): Promise<void>;
  /**
   * The same hand-over for a caller that can go on in the same turn: undefined when the actor's turn is now, which on the real
   * timeline it nearly always is. Saves a hand-over the promise.
   */
  turn(actor: string): Promise<void> | undefined;
  /** Calls `fn` once, `ms` from now (at once in the next turn for 0 or less). `fn` must not throw. */
  after(ms: number, actor: string, fn: () => void, options?: TimerOptions): Cancel;
}

/**
 * Resolves after `ms`; rejects with the signal's reason when it aborts first, and then leaves no timer behind.
 */
export function sleep(
  timeline: Timeline,
  ms: number,
  actor: string,
  options?: TimerOptions & { readonly signal?: AbortSignal },
): Promise<void> {
  const signal = options?.signal;
  return new Promise((resolve, reject) => {
    if (signal?.aborted === true) {
      reject(signal.reason as Error);
      return;
    }
    const onAbort = (): void => {
      cancel();
      reject(signal?.reason as Error);
    };
    const cancel = timeline.after(
      ms,
      actor,
      () => {
        signal?.removeEventListener("abort", onAbort);
        resolve();
      },
      options,
    );
    signal?.addEventListener("abort", onAbort, { once: true });
  });
}
