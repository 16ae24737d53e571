import { expect, test } from "bun:test";
import { RunStates, runState } from "../../../src/controller/api/run-state.ts";

test("a run returns the same state each time, and another run starts with a new one", () => {
  const seen = runState(() => new Set<string>());
  const [one, other] = [new RunStates(), new RunStates()];
  one.of(seen).add("a");
  expect([...one.of(seen)]).toEqual(["a"]);
  expect([...other.of(seen)]).toEqual([]);
});

test("two states with the same form are kept apart", () => {
  const [first, second] = [runState(() => [1]), runState(() => [1])];
  const states = new RunStates();
  states.of(first).push(2);
  expect([states.of(first), states.of(second)]).toEqual([[1, 2], [1]]);
});
