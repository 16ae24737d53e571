import { describe, expect, test } from "bun:test";
import type { PodDisruptionBudget } from "../../../src/api/types.ts";
import { formatTime } from "../../../src/api/time.ts";
import {
  allowedDisruptions,
  type BudgetCounts,
  type BudgetStatus,
  failedStatus,
  nextStatus,
} from "../../../src/controllers/disruption/status.ts";

const now = Date.UTC(2026, 0, 1, 12);
const before = "2026-01-01T00:00:00Z";

function counts(healthy: number, desired: number, expected: number): BudgetCounts {
  return { healthy, desired, expected, disruptedPods: {} };
}

function budget(status?: BudgetStatus, generation = 2): PodDisruptionBudget {
  return {
    metadata: { name: "web", uid: "u", resourceVersion: "1", creationTimestamp: before, generation },
    spec: {},
    ...(status !== undefined && { status }),
  };
}

function stored(next: BudgetStatus | undefined): BudgetStatus {
  if (next === undefined) throw new Error("no status");
  return next;
}

describe("the number of permitted evictions", () => {
  const rows = [
    { what: "is that of pods beyond the required ones", of: counts(5, 3, 5), allowed: 2 },
    { what: "is 0 if just enough are healthy", of: counts(3, 3, 5), allowed: 0 },
    { what: "is 0 if too few are healthy", of: counts(1, 3, 5), allowed: 0 },
    { what: "is 0 if no pod is expected", of: counts(0, -1, 0), allowed: 0 },
  ];
  for (const { what, of, allowed } of rows) test(what, () => expect(allowedDisruptions(of)).toBe(allowed));
});

describe("the next status", () => {
  test("has the counts, the generation, and the condition with its time", () => {
    expect(nextStatus(budget(), { ...counts(3, 2, 3), disruptedPods: { a: before }, now })).toEqual({
      observedGeneration: 2,
      disruptedPods: { a: before },
      disruptionsAllowed: 1,
      currentHealthy: 3,
      desiredHealthy: 2,
      expectedPods: 3,
      conditions: [
        {
          type: "DisruptionAllowed",
          status: "True",
          observedGeneration: 2,
          reason: "SufficientPods",
          message: "",
          lastTransitionTime: formatTime(now),
        },
      ],
    });
  });

  test("is not written if nothing changed", () => {
    const first = stored(nextStatus(budget(), { ...counts(3, 2, 3), now }));
    expect(nextStatus(budget(first), { ...counts(3, 2, 3), now: now + 60_000 })).toBeUndefined();
  });

  test("is written for each count that differs, for a new generation, and for another condition", () => {
    const first = stored(nextStatus(budget(), { ...counts(3, 2, 3), now }));
    const differing = [
      counts(4, 2, 3),
      counts(3, 1, 3),
      counts(3, 2, 4),
      { ...counts(3, 2, 3), disruptedPods: { a: before } },
    ];
    for (const each of differing) expect(nextStatus(budget(first), { ...each, now })).toBeDefined();
    expect(nextStatus(budget(first, 3), { ...counts(3, 2, 3), now })?.observedGeneration).toBe(3);
    const [condition] = first.conditions ?? [];
    if (condition === undefined) throw new Error("no condition");
    const odd = { ...first, conditions: [{ ...condition, reason: "Odd" }] };
    expect(nextStatus(budget(odd), { ...counts(3, 2, 3), now })?.conditions?.[0]?.reason).toBe("SufficientPods");
  });

  test("keeps the condition's time while its status is the same, and other conditions", () => {
    const other = { type: "Other", status: "True", reason: "R", message: "", lastTransitionTime: before };
    const first = stored(nextStatus(budget({ ...counted(), conditions: [other] }), { ...counts(3, 2, 3), now }));
    const later = now + 60_000;
    const same = stored(nextStatus(budget(first), { ...counts(5, 2, 5), now: later }));
    expect(same.conditions?.map(({ type, lastTransitionTime }) => [type, lastTransitionTime])).toEqual([
      ["Other", before],
      ["DisruptionAllowed", formatTime(now)],
    ]);
    const none = stored(nextStatus(budget(first), { ...counts(2, 2, 3), now: later }));
    expect(none.conditions?.[1]).toMatchObject({
      status: "False",
      reason: "InsufficientPods",
      lastTransitionTime: formatTime(later),
    });
  });
});

function counted(): BudgetStatus {
  return { disruptionsAllowed: 1, currentHealthy: 3, desiredHealthy: 2, expectedPods: 3 };
}

test("if the pods cannot be counted, none can be evicted, and the other counts stay", () => {
  const first = stored(nextStatus(budget(), { ...counts(3, 2, 3), now }));
  const failed = failedStatus(budget(first, 3), { message: "no such kind", now: now + 1000 });
  expect(failed).toEqual({
    ...first,
    disruptionsAllowed: 0,
    conditions: [
      {
        type: "DisruptionAllowed",
        status: "False",
        observedGeneration: 2,
        reason: "SyncFailed",
        message: "no such kind",
        lastTransitionTime: formatTime(now + 1000),
      },
    ],
  });
});
