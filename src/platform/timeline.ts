/**
 * Time and turns. Every wait, and every hand-over between two actors, goes through a `Timeline`: the real one costs
 * nothing; the virtual one decides by a seed which of the ready hops is next, so that a whole run is a function of its
 * inputs and the seed. Order must never depend on the number of microtasks: runtimes differ there.
 */

/** Cancels a timer; harmless after it has fired, and repeatedly. */
export type Cancel = () => void;

/** Properties of a timer. */
export interface TimerOptions {
  /** Resyncs, heartbeats, leases, bookmarks, watchdogs: a virtual run is steady although these are pending. */
  readonly background?: boolean;
}

/**
 * A moment on two clocks, in milliseconds; only differences are meaningful. `wall` continues while the machine sleeps, and jumps when it is
 * set; `steady` does neither.
 */
export interface Clocks {
  readonly wall: number;
  readonly steady: number;
}

/** Milliseconds since a moment, by the clock that shows more: for measuring what must not be overdue. */
export function mostSince(then: Clocks, now: Clocks): number {
  return Math.max(now.wall - then.wall, now.steady - then.steady);
}

/** A clock with timers and hand-overs between actors, real or virtual; passed to everything that waits. */
export interface Timeline {
  /** Milliseconds since 1970, with fractions; never goes back. */
  now(): number;
  /**
   * When the current run of the event loop began, by `now()`: read once until the running code returns or awaits, so
   * that thousands of calls read the clock once.
   */
  burstBegan(): number;
  /**
   * The current moment, for durations that must ignore changes of the wall clock, or must include the time that the
   * machine slept.
   */
  clocks(): Clocks;
  /**
   * A hand-over between actors: a request, a response, a chunk, a queue's item to its worker. Resolves when it is the
   * actor's turn. Actors have stable names (`replicaset worker 3`), since a virtual run orders by name.
   */
  hop(actor: string): Promise<void>;
  /**
   * Like `hop`, for a caller that can continue synchronously: undefined if it is the actor's turn already,
   * as nearly always on the real timeline. Saves the promise.
   */
  turn(actor: string): Promise<void> | undefined;
  /** Calls `fn` once, after `ms` (in the next turn for 0 or less). `fn` must not throw. */
  after(ms: number, actor: string, fn: () => void, options?: TimerOptions): Cancel;
}

/** Resolves after `ms`; rejects with the signal's reason if it aborts first, leaving no timer behind. */
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
