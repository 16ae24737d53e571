import { runtime } from "./runtime.ts";

/**
 * Gives memory back that nobody uses any more. A runtime collects by how much is allocated: after the burst of filling a cache it
 * would hold on to the burst's garbage for as long as nothing happens. Holds the loop for about 7 ms per 1,000 cached objects, so
 * it is for moments when nothing waits. Only Bun has a word for it; elsewhere nothing happens.
 */
export function releaseMemory(): void {
  if (runtime === "bun") Bun.gc(true);
}

/** So much is read before any of it is given back. */
const leastBytes = 24 * 1024 * 1024;

/**
 * For a burst that reads much and keeps little of it, told of its bytes as they come. It gives back what the burst has left so far
 * whenever that is at least 24 MB and a quarter of all: so the peak stays near what is kept, and the work, which grows with what is kept, is
 * done a few times only however long the burst is.
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
