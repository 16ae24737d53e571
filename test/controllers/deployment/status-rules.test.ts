import { describe, expect, test } from "bun:test";
import { progress, progressCheck, status, statusRules } from "../../../src/controllers/deployment/status-rules.ts";

describe("the sentence about progress", () => {
  const counts = { replicaSet: "web-6d5f4c", desired: 3, updated: 2, available: 1, deadlineSeconds: 600 } as const;
  test.each([
    { verdict: "complete", says: "2 of 3 pods are of web-6d5f4c, 1 available → complete" },
    { verdict: "progressing", says: "2 of 3 pods are of web-6d5f4c, 1 available, better than before → progressing" },
    {
      verdict: "timed out",
      says: "2 of 3 pods are of web-6d5f4c, 1 available, and no better for 600 s → the progress deadline is exceeded",
    },
  ] as const)("of a rollout that is $verdict", ({ verdict, says }) => {
    expect(progress.sentence({ ...counts, verdict })).toBe(says);
  });

  test("names no ReplicaSet if there is none yet", () => {
    expect(progress.sentence({ ...counts, replicaSet: undefined, verdict: "complete" })).toStartWith(
      "2 of 3 pods are new,",
    );
  });
});

describe("the sentence about the status", () => {
  test.each([
    {
      name: "counts, 0 if they are missing, then conditions",
      changes: [
        { path: ".readyReplicas", before: 2, after: 3 },
        { path: ".unavailableReplicas", before: 1 },
      ],
      conditions: ["Available True (MinimumReplicasAvailable)"],
      says: "readyReplicas 2 → 3, unavailableReplicas 1 → 0, Available True (MinimumReplicasAvailable)",
    },
    { name: "at least that conditions changed", changes: [], conditions: [], says: "conditions changed" },
  ])("tells $name", ({ changes, conditions, says }) => {
    expect(status.sentence({ changes, conditions })).toBe(says);
  });
});

describe("the sentence about a rollout without progress", () => {
  test.each([
    {
      leftMs: 252_999,
      wasComplete: false,
      says: "no progress, 252 s left of the deadline of 600 s → requeued for then",
    },
    { leftMs: 1000, wasComplete: false, says: "no progress, 1 s left of the deadline of 600 s → requeued for then" },
    {
      leftMs: 999,
      wasComplete: false,
      says: "the progress deadline of 600 s passes within a second → requeued at once",
    },
    { wasComplete: false, says: "the progress deadline of 600 s passes within a second → requeued at once" },
    { passedMs: 5000, wasComplete: false, says: "the progress deadline of 600 s passed 5 s ago → requeued at once" },
    {
      passedMs: 0,
      wasComplete: true,
      says: "the progress deadline of 600 s passed 0 s ago, and a rollout that was complete once never exceeds it → requeued at once",
    },
  ])("$says", ({ says, ...facts }) => {
    expect(progressCheck.sentence({ deadlineSeconds: 600, ...facts })).toBe(says);
  });
});

test("each rule says what it looks at, and its example forms a sentence", () => {
  expect(statusRules.map(({ id }) => id)).toEqual(["progress", "status", "progress-check"]);
  for (const { looksAt } of statusRules) expect(looksAt.length).toBeGreaterThan(1);
  expect(statusRules.map((rule) => rule.sentence(rule.example ?? {}))).toEqual([
    "2 of 3 pods are of web-6d5f4c, 1 available, better than before → progressing",
    "readyReplicas 2 → 3, Available True (MinimumReplicasAvailable)",
    "no progress, 252 s left of the deadline of 600 s → requeued for then",
  ]);
});
