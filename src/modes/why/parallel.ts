/** Concurrent requests: enough to be fast, few enough for a busy server. */
const atATime = 16;

/** Does the work for each item, several at a time, and keeps the order. @throws the first error. */
export async function inParallel<T, R>(all: readonly T[], work: (each: T) => Promise<R>): Promise<readonly R[]> {
  const results: R[] = Array.from({ length: all.length });
  let next = 0;
  const worker = async (): Promise<void> => {
    for (let index = next++; index < all.length; index = next++) {
      // Within the bounds of the list.
      results[index] = await work(all[index] as T);
    }
  };
  await Promise.all(Array.from({ length: Math.min(atATime, all.length) }, worker));
  return results;
}
