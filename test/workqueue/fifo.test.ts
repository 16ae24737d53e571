import { expect, test } from "bun:test";
import fc from "fast-check";
import { Fifo } from "../../src/workqueue/fifo.ts";

test("Fifo returns items in the order of the pushes, in any sequence of pushes and shifts", () => {
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

test("Fifo is empty after a clear, and can be used again", () => {
  const fifo = new Fifo<string>();
  for (const item of ["a", "b", "c"]) fifo.push(item);
  fifo.shift();
  fifo.push("d");
  fifo.clear();
  expect([fifo.length, fifo.peek(), fifo.shift()]).toEqual([0, undefined, undefined]);
  fifo.push("e");
  expect([fifo.length, fifo.peek(), fifo.shift(), fifo.length]).toEqual([1, "e", "e", 0]);
});
