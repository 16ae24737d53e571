import { describe, expect, test } from "bun:test";
import * as fc from "fast-check";
import { FairFifo } from "../../src/workqueue/fair-fifo.ts";

interface Item {
  readonly group: string;
  readonly id: number;
}

function filled(groups: string): FairFifo<Item> {
  const line = new FairFifo<Item>(({ group }) => group);
  for (const [id, group] of groups.split("").entries()) line.push({ group, id });
  return line;
}

/** Takes all items, in order. */
function emptied(line: FairFifo<Item>): Item[] {
  const items: Item[] = [];
  for (let item = line.shift(); item !== undefined; item = line.shift()) items.push(item);
  return items;
}

describe("FairFifo", () => {
  const table = [
    { name: "one group keeps its order", pushed: "aaa", ids: [0, 1, 2] },
    { name: "groups take turns, in the order of their first item", pushed: "aaabbc", ids: [0, 3, 5, 1, 4, 2] },
    {
      name: "a single item waits for one item of a large group",
      pushed: "aaaaaaaab",
      ids: [0, 8, 1, 2, 3, 4, 5, 6, 7],
    },
  ];
  for (const { name, pushed, ids } of table) {
    test(name, () => expect(emptied(filled(pushed)).map(({ id }) => id)).toEqual(ids));
  }

  test("a late item waits for at most one item of each waiting group", () => {
    const step = fc.oneof(
      { weight: 3, arbitrary: fc.constantFrom("a", "b", "c", "d") },
      { weight: 2, arbitrary: fc.constant("shift") },
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 80 }), (steps) => {
        const line = new FairFifo<Item>(({ group }) => group);
        const waiting: Item[] = [];
        const shift = (): Item | undefined => {
          expect(line.length).toBe(waiting.length);
          const next = line.peek();
          const item = line.shift();
          expect(item).toBe(next);
          if (item === undefined) {
            expect(waiting).toEqual([]);
            return undefined;
          }
          // It is the oldest item of its group.
          expect(waiting.find(({ group }) => group === item.group)).toBe(item);
          waiting.splice(waiting.indexOf(item), 1);
          return item;
        };
        for (const [id, each] of steps.entries()) {
          if (each === "shift") {
            shift();
            continue;
          }
          const item = { group: each, id };
          line.push(item);
          waiting.push(item);
        }
        const groups = new Set(waiting.map(({ group }) => group)).size;
        const late = { group: "late", id: -1 };
        line.push(late);
        waiting.push(late);
        const before: Item[] = [];
        for (let item = shift(); item !== late && item !== undefined; item = shift()) before.push(item);
        expect(before.length).toBe(groups);
        while (shift() !== undefined);
      }),
      { seed: 43, numRuns: 300 },
    );
  });
});
