import { expect, test } from "bun:test";
import { findCondition, withCondition, withoutCondition } from "../../../src/controller/workload/conditions.ts";

const old = {
  type: "ReplicaFailure",
  status: "True",
  reason: "FailedCreate",
  message: "first",
  lastTransitionTime: "2026-11-21T08:00:00Z",
};
const foreign: typeof old = { ...old, type: "Odd" };

test("findCondition returns the first of that type", () => {
  const conditions = [foreign, old];
  expect(findCondition(conditions, "ReplicaFailure")).toBe(old);
  expect(findCondition(conditions, "Nothing")).toBeUndefined();
  expect(findCondition(undefined, "ReplicaFailure")).toBeUndefined();
});

test("withCondition replaces a different condition, and keeps an equal one", () => {
  expect(withCondition(undefined, old)).toEqual([old]);
  const same = [foreign, old];
  expect(withCondition(same, { ...old, message: "second", lastTransitionTime: "2026-11-21T09:00:00Z" })).toBe(same);
  const other = { ...old, reason: "FailedDelete" };
  expect(withCondition([old, foreign], other)).toEqual([foreign, other]);
});

test("withoutCondition removes only that type", () => {
  expect(withoutCondition([foreign, old], "ReplicaFailure")).toEqual([foreign]);
  expect(withoutCondition([foreign], "ReplicaFailure")).toEqual([foreign]);
  expect(withoutCondition(undefined, "ReplicaFailure")).toEqual([]);
});
