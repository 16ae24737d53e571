import { expect, test } from "bun:test";
import { balanceOf } from "../../../src/controllers/endpointslice/balance.ts";

const balance = (desired: Readonly<Record<string, number>>, has: Readonly<Record<string, number>>): object => {
  const allocations = new Map(Object.entries(desired).map(([zone, count]) => [zone, { desired: count, maximum: 99 }]));
  const { giving, receiving } = balanceOf(allocations, new Map(Object.entries(has)));
  return { giving: Object.fromEntries(giving), receiving: Object.fromEntries(receiving) };
};

for (const { says, desired, has, giving, receiving } of [
  {
    says: "half an endpoint or more moves beside a whole one",
    desired: { a: 1.5, b: 3.5 },
    has: { a: 3, b: 2 },
    giving: { a: 1 },
    receiving: { b: 1 },
  },
  {
    says: "nothing moves to a zone that lacks less than half an endpoint",
    desired: { a: 1, b: 2.45 },
    has: { a: 3, b: 2 },
    giving: {},
    receiving: {},
  },
  {
    says: "nothing moves from a zone with less than half an endpoint too many",
    desired: { a: 2.55, b: 5 },
    has: { a: 3, b: 2 },
    giving: {},
    receiving: {},
  },
  {
    says: "nothing moves if less than one endpoint is affected on both sides",
    desired: { a: 2.3, b: 2.7 },
    has: { a: 3, b: 2 },
    giving: {},
    receiving: {},
  },
  {
    says: "a zone without hints lacks all",
    desired: { a: 2, b: 2 },
    has: { a: 4 },
    giving: { a: 2 },
    receiving: { b: 2 },
  },
]) {
  test(says, () => expect(balance(desired, has)).toEqual({ giving, receiving }));
}
