/** How many calls succeeded, and the first error if one failed. */
export interface SlowStartResult {
  readonly successes: number;
  readonly failed: boolean;
  /** The error of the first call that failed. */
  readonly error?: unknown;
  /** The errors of all calls that failed, in order of failure. */
  readonly errors: readonly unknown[];
}

/**
 * Calls `write` up to `count` times, with 0, 1, 2, …, in batches that double: 1, 2, 4, 8, … The calls of a batch run concurrently; after a
 * batch with an error no other is started. So 500 creates that a quota refuses cost one request, and 500 that succeed take nine rounds.
 * `mostAtOnce` limits the batch size.
 *
 * Source: kubernetes v1.36 pkg/controller/replicaset/replica_set.go, statefulset/stateful_set_control.go slowStartBatch.
 */
export async function slowStart(
  count: number,
  initialBatchSize: number,
  write: (n: number) => Promise<void>,
  mostAtOnce: number = Infinity,
): Promise<SlowStartResult> {
  let successes = 0;
  let next = 0;
  const errors: unknown[] = [];
  const attempt = async (n: number): Promise<void> => {
    try {
      await write(n);
      successes++;
    } catch (error) {
      errors.push(error);
    }
  };
  for (let size = Math.min(count, initialBatchSize); size > 0; size = Math.min(2 * size, count - next, mostAtOnce)) {
    await Promise.all(Array.from({ length: size }, () => attempt(next++)));
    if (errors.length > 0) return { successes, failed: true, error: errors[0], errors };
  }
  return { successes, failed: false, errors };
}

/** The sizes of the batches in which `slowStart` starts `count` calls: 20 → 1, 2, 4, 8, 5. */
export function batchSizes(count: number, initialBatchSize = 1): number[] {
  const sizes: number[] = [];
  let remaining = count;
  for (let size = Math.min(remaining, initialBatchSize); size > 0; size = Math.min(2 * size, remaining)) {
    sizes.push(size);
    remaining -= size;
  }
  return sizes;
}
