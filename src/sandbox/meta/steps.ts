/**
 * Work that may have to wait, written as a sequence. A generator yields each promise that it waits for; if it yields none, it is done when
 * `run` returns, without an `await`. That keeps ordinary requests atomic and fast, and lets those that call a webhook go through the same
 * phases.
 */

/** Steps that return a `T`. Call other steps with `yield*`, and wait with `yield* waitFor(promise)`. */
export type Steps<T> = Generator<PromiseLike<unknown>, T, unknown>;

/** Waits for a promise. @throws its rejection. */
export function* waitFor<T>(promise: PromiseLike<T>): Steps<T> {
  // The runner passes in the promise's value.
  return (yield promise) as T;
}

/**
 * Runs steps to completion: returns the value itself if nothing waited, otherwise a promise of it. @throws errors of the steps before they
 * first wait.
 */
export function run<T>(steps: Steps<T>): T | Promise<T> {
  const first = steps.next();
  return first.done === true ? first.value : finish(steps, first.value);
}

/** Runs steps that cannot wait. @throws Error if they do. */
export function runNow<T>(steps: Steps<T>): T {
  const first = steps.next();
  if (first.done === true) return first.value;
  throw new Error("Cannot wait here: this request is the server's own");
}

async function finish<T>(steps: Steps<T>, first: PromiseLike<unknown>): Promise<T> {
  let waited = first;
  for (;;) {
    // Only the promise's outcome is passed into the steps: an error that they throw themselves ends them.
    const resume = await waited.then(
      (value) => () => steps.next(value),
      (error: unknown) => () => steps.throw(error),
    );
    const next = resume();
    if (next.done === true) return next.value;
    waited = next.value;
  }
}
