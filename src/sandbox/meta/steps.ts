/**
 * Work that may have to wait, written as one sequence. A generator yields each promise that it waits for; work that yields none is
 * done when `run` returns, without an `await` on the way. That keeps an ordinary request atomic and fast, and lets one that calls a
 * webhook take the same phases.
 */

/** Steps towards a `T`. Call other steps by `yield*`, and wait by `yield* waitFor(promise)`. */
export type Steps<T> = Generator<PromiseLike<unknown>, T, unknown>;

/** Waits for a promise. @throws what it is rejected with. */
export function* waitFor<T>(promise: PromiseLike<T>): Steps<T> {
  // The runner hands over what the promise was fulfilled with.
  return (yield promise) as T;
}

/** Runs steps to their end: the value itself if nothing waited, else a promise of it. @throws what the steps throw before they wait. */
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
    // Only the outcome of the promise goes into the steps: what they throw themselves ends them.
    const resume = await waited.then(
      (value) => () => steps.next(value),
      (error: unknown) => () => steps.throw(error),
    );
    const next = resume();
    if (next.done === true) return next.value;
    waited = next.value;
  }
}
