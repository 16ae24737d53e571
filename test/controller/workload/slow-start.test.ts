import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { batchSizes, slowStart } from "../../../src/controller/workload/slow-start.ts";

interface Rounds {
  readonly sizes: number[];
  readonly write: () => Promise<void>;
}

/** Records the number of calls per batch; the calls with these numbers, counted from 1, fail. */
function rounds(...failing: readonly number[]): Rounds {
  const sizes: number[] = [];
  let inFlight = 0;
  let calls = 0;
  return {
    sizes,
    async write() {
      const call = ++calls;
      if (inFlight++ === 0) sizes.push(0);
      sizes[sizes.length - 1] = (sizes.at(-1) ?? 0) + 1;
      await Promise.resolve();
      await Promise.resolve();
      inFlight--;
      if (failing.includes(call)) throw new Error(`call ${call} was refused`);
    },
  };
}

describe("slowStart", () => {
  const rows: readonly {
    name: string;
    count: number;
    failing: readonly number[];
    successes: number;
    sizes: readonly number[];
  }[] = [
    { name: "nothing to call", count: 0, failing: [], successes: 0, sizes: [] },
    { name: "one", count: 1, failing: [], successes: 1, sizes: [1] },
    { name: "batches double", count: 20, failing: [], successes: 20, sizes: [1, 2, 4, 8, 5] },
    { name: "a failure in the first batch stops at once", count: 500, failing: [1], successes: 0, sizes: [1] },
    { name: "the batch with the failure is finished", count: 20, failing: [5], successes: 6, sizes: [1, 2, 4] },
    { name: "all calls of the last batch fail", count: 3, failing: [2, 3], successes: 1, sizes: [1, 2] },
  ];
  for (const { name, count, failing, successes, sizes } of rows) {
    test(name, async () => {
      const seen = rounds(...failing);
      const result = await slowStart(count, 1, seen.write);
      expect(seen.sizes).toEqual([...sizes]);
      expect(result).toMatchObject({ successes, failed: failing.length > 0 });
      if (failing.length > 0) expect(result.error).toEqual(new Error(`call ${failing[0]} was refused`));
    });
  }

  test("numbers the calls, and reports all errors of the last batch", async () => {
    const seen: number[] = [];
    const { errors } = await slowStart(20, 1, (n) => {
      seen.push(n);
      return n === 4 || n === 6 ? Promise.reject(new Error(`${n}`)) : Promise.resolve();
    });
    expect(seen).toEqual([0, 1, 2, 3, 4, 5, 6]);
    expect(errors).toEqual([new Error("4"), new Error("6")]);
  });

  test("limits the size of a batch", async () => {
    const seen = rounds();
    await slowStart(20, 1, seen.write, 5);
    expect(seen.sizes).toEqual([1, 2, 4, 5, 5, 3]);
  });

  test("takes nine rounds for five hundred calls that succeed", () => {
    expect(batchSizes(500)).toHaveLength(9);
  });

  test("makes no more calls than requested, and counts exactly those that succeeded", async () => {
    const cases = fc.record({
      count: fc.integer({ min: 0, max: 200 }),
      initial: fc.integer({ min: 1, max: 10 }),
      failing: fc.array(fc.integer({ min: 1, max: 200 }), { maxLength: 3 }),
    });
    await fc.assert(
      fc.asyncProperty(cases, async ({ count, initial, failing }) => {
        const seen = rounds(...failing);
        const { successes, failed } = await slowStart(count, initial, seen.write);
        const planned = batchSizes(count, initial);
        expect(planned.reduce((sum, size) => sum + size, 0)).toBe(count);
        expect(seen.sizes).toEqual(planned.slice(0, seen.sizes.length));
        const calls = seen.sizes.reduce((sum, size) => sum + size, 0);
        const failures = new Set(failing.filter((call) => call <= calls)).size;
        expect(successes).toBe(calls - failures);
        expect(failed).toBe(failures > 0);
        if (!failed) expect(calls).toBe(count);
      }),
      { seed: 7, numRuns: 200 },
    );
  });
});
