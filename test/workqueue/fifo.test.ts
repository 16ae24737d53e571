import { expect, test } from "bun:test";
import fc from "fast-check";
import { Fifo } from "../../src/workqueue/fifo.ts";

test("Fifo hands out what was pushed, in order, through any mix of pushes and shifts", () => {
  const steps = fc.array(fc.oneof(fc.integer({ min: 1, max: 3000 }), fc.integer({ min: -3000, max: -1 })), {
    maxLength: 12,
  });
  fc.assert(
    fc.property(steps, (counts) => {
      const fifo = new Fifo<number>();
      const model: number[] = [];
      let next = 0;
      for (const count of counts) {
        for (let i = 0; i < count; i++) {
          fifo.push(next);
          model.push(next++);
        }
        for (let i = 0; i < -count; i++) expect(fifo.shift()).toBe(model.shift() as number);
        expect([fifo.length, fifo.peek()]).toEqual([model.length, model[0]]);
      }
    }),
    { seed: 20261121, numRuns: 40 },
  );
});
