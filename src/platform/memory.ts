import { runtime } from "./runtime.ts";

/**
 * Collects garbage. A runtime collects depending on allocations: after filling a cache, it would keep that garbage as long as nothing else
 * happens. Blocks the event loop for about 7 ms per 1,000 cached objects, so call it when nothing is waiting. Calls Bun.gc; no-op on other
 * runtimes.
 */
export function releaseMemory(): void {
  if (runtime === "bun") Bun.gc(true);
}

/** The minimum read between two collections. */
const leastBytes = 24 * 1024 * 1024;

/**
 * Paces garbage collection during a bulk read that keeps little of what it reads; call the result with the number of bytes read. It
 * collects whenever at least 24 MB, and a quarter of everything so far, have been read since the last collection: the peak stays near what
 * is kept, and there are only a few collections, however long the read.
 */
export function gcPacer(release: () => void = releaseMemory): (bytes: number) => void {
  let all = 0;
  let since = 0;
  return (bytes) => {
    all += bytes;
    since += bytes;
    if (since < Math.max(leastBytes, all / 4)) return;
    since = 0;
    release();
  };
}
