import { expect, test } from "bun:test";
import { RunStates, runState } from "../../../src/controller/api/run-state.ts";

test("a run remembers the same value each time, and another run begins anew", () => {
  const seen = runState(() => new Set<string>());
  const [one, other] = [new RunStates(), new RunStates()];
  one.of(seen).add("a");
  expect([...one.of(seen)]).toEqual(["a"]);
  expect([...other.of(seen)]).toEqual([]);
});

test("two pieces of memory that look alike are kept apart", () => {
  const [first, second] = [runState(() => [1]), runState(() => [1])];
  const states = new RunStates();
  states.of(first).push(2);
  expect([states.of(first), states.of(second)]).toEqual([[1, 2], [1]]);
});
