import { expect, test } from "bun:test";
import fc from "fast-check";
import { Heap, type HeapItem } from "../../src/workqueue/heap.ts";

const item = (dueAt: number): HeapItem => ({ dueAt, index: 0 });

test("Heap returns items by due time", () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 20 })), (times) => {
      const heap = new Heap();
      for (const time of times) heap.push(item(time));
      const taken: number[] = [];
      while (heap.length > 0) {
        const next = heap.peek();
        expect(heap.shift()).toBe(next as HeapItem);
        taken.push(next?.dueAt ?? -1);
      }
      expect(taken).toEqual(times.toSorted((a, b) => a - b));
      expect([heap.peek(), heap.shift()]).toEqual([undefined, undefined]);
    }),
  );
});

test("Heap.rise moves an item whose time is now earlier, wherever it is", () => {
  fc.assert(
    fc.property(
      fc.array(fc.integer({ min: 0, max: 20 }), { minLength: 1 }),
      fc.array(fc.record({ which: fc.nat(), by: fc.integer({ min: 1, max: 20 }) })),
      (times, changes) => {
        const items = times.map(item);
        const heap = new Heap();
        for (const each of items) heap.push(each);
        for (const { which, by } of changes) {
          const changed = items[which % items.length] as HeapItem;
          changed.dueAt -= by;
          heap.rise(changed);
          expect(heap.peek()?.dueAt).toBe(Math.min(...items.map(({ dueAt }) => dueAt)));
        }
        const taken = Array.from(items, () => heap.shift()?.dueAt);
        expect(taken).toEqual(items.map(({ dueAt }) => dueAt).toSorted((a, b) => a - b));
      },
    ),
  );
});

test("Heap.clear removes everything, and the heap can be used again", () => {
  const heap = new Heap();
  for (const time of [3, 1, 2]) heap.push(item(time));
  heap.clear();
  expect([heap.length, heap.shift()]).toEqual([0, undefined]);
  heap.push(item(5));
  expect(heap.shift()?.dueAt).toBe(5);
});
