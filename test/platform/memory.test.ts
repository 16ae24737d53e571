import { describe, expect, test } from "bun:test";
import { gcPacer } from "../../src/platform/memory.ts";

const mega = 1024 * 1024;

/** The megabytes read at each collection, for a burst that arrives in pages of 6 MB. */
function releases(megabytes: number): readonly number[] {
  const at: number[] = [];
  let read = 0;
  const left = gcPacer(() => void at.push(read));
  while (read < megabytes) {
    read += 6;
    left(6 * mega);
  }
  return at;
}

describe("memory after a burst is released", () => {
  test("never, if the burst is short", () => expect(releases(18)).toEqual([]));
  test("every 24 MB at first", () => expect(releases(100)).toEqual([24, 48, 72, 96]));
  test("at growing intervals in a long burst", () => {
    const at = releases(6000);
    expect(at.length).toBeLessThan(25);
    for (const [n, each] of at.slice(1).entries())
      expect(each - (at[n] ?? 0)).toBeGreaterThanOrEqual(Math.max(24, (each - 6) / 4));
  });
});
