/** How many calls succeeded, and the first error if one failed. */
export interface SlowStartResult {
  readonly successes: number;
  readonly failed: boolean;
  /** Of the call that failed first. */
  readonly error?: unknown;
}

/**
 * Calls `write` up to `count` times, in batches that double: 1, 2, 4, 8, … A batch is started at once and waited for; after one
 * with an error no other is started. So 500 creates that a quota refuses cost one request, and 500 that succeed cost nine rounds.
 *
 * Source: kubernetes v1.36 pkg/controller/replicaset/replica_set.go slowStartBatch.
 */
export async function slowStart(
  count: number,
  initialBatchSize: number,
  write: () => Promise<void>,
): Promise<SlowStartResult> {
  let successes = 0;
  let firstError: { readonly error: unknown } | undefined;
  const attempt = async (): Promise<void> => {
    try {
      await write();
      successes++;
    } catch (error) {
      firstError ??= { error };
    }
  };
  let remaining = count;
  for (let size = Math.min(remaining, initialBatchSize); size > 0; size = Math.min(2 * size, remaining)) {
    await Promise.all(Array.from({ length: size }, attempt));
    if (firstError !== undefined) return { successes, failed: true, error: firstError.error };
    remaining -= size;
  }
  return { successes, failed: false };
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
