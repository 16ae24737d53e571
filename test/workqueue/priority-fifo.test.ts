import { describe, expect, test } from "bun:test";
import * as fc from "fast-check";
import { PriorityFifo } from "../../src/workqueue/priority-fifo.ts";

interface Item {
  readonly priority: number;
  readonly id: number;
}

describe("PriorityFifo", () => {
  test("returns the highest priority first, and the oldest item within a priority, in any sequence", () => {
    const step = fc.oneof(
      { weight: 3, arbitrary: fc.record({ priority: fc.integer({ min: -2, max: 2 }) }) },
      { weight: 2, arbitrary: fc.constant("shift" as const) },
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const line = new PriorityFifo<Item>(({ priority }) => priority);
        let model: Item[] = [];
        for (const [id, each] of steps.entries()) {
          if (each === "shift") {
            const next = model.toSorted((a, b) => b.priority - a.priority || a.id - b.id)[0];
            expect(line.peek()).toBe(next);
            expect(line.shift()).toBe(next);
            model = model.filter((item) => item !== next);
          } else {
            const item = { ...each, id };
            line.push(item);
            model.push(item);
          }
          expect(line.length).toBe(model.length);
        }
      }),
      { seed: 41, numRuns: 300 },
    );
  });
});

test("PriorityFifo searches among the priorities, not among the items", () => {
  const line = new PriorityFifo<number>((n) => n % 2);
  // About 10^10 steps if each item were a separate priority.
  for (let n = 0; n < 200_000; n++) line.push(n);
  expect([line.shift(), line.shift(), line.length]).toEqual([1, 3, 199_998]);
});
