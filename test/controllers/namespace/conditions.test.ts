import { describe, expect, test } from "bun:test";
import {
  conditionTypes,
  type NamespaceCondition,
  nextConditions,
} from "../../../src/controllers/namespace/conditions.ts";
import type { Outcome } from "../../../src/controllers/namespace/outcome.ts";

const now = "2026-11-21T10:00:00Z";
const earlier = "2026-11-21T09:00:00Z";
const nothing: Outcome = {
  failures: [],
  errors: [],
  estimateSeconds: 0,
  counts: { remaining: new Map(), finalizers: new Map() },
};

function outcome(parts: Partial<Outcome>): Outcome {
  return { ...nothing, ...parts };
}

describe("the conditions of a namespace", () => {
  test("are all set by the first sync, each False if nothing is wrong", () => {
    const { conditions, changes } = nextConditions([], nothing, now);
    expect(
      conditions.map(({ type, status, reason, lastTransitionTime }) => [type, status, reason, lastTransitionTime]),
    ).toEqual([
      ["NamespaceDeletionDiscoveryFailure", "False", "ResourcesDiscovered", now],
      ["NamespaceDeletionGroupVersionParsingFailure", "False", "ParsedGroupVersions", now],
      ["NamespaceDeletionContentFailure", "False", "ContentDeleted", now],
      ["NamespaceContentRemaining", "False", "ContentRemoved", now],
      ["NamespaceFinalizersRemaining", "False", "ContentHasNoFinalizers", now],
    ]);
    expect(changes.map(({ type }) => type)).toEqual([...conditionTypes]);
  });

  test("are not written again without changes", () => {
    const { conditions } = nextConditions([], nothing, earlier);
    expect(nextConditions(conditions, nothing, now)).toEqual({ conditions, changes: [] });
  });

  for (const { name, parts, type, message } of [
    {
      name: "count the remaining objects by resource, in the order of the text",
      parts: {
        counts: {
          remaining: new Map([
            ["secrets.", 1],
            ["leases.coordination.k8s.io", 10],
          ]),
          finalizers: new Map(),
        },
      },
      type: "NamespaceContentRemaining",
      message:
        "Some resources are remaining: leases.coordination.k8s.io has 10 resource instances, secrets. has 1 resource instances",
    },
    {
      name: "count the remaining objects by finalizer",
      parts: {
        counts: {
          remaining: new Map([["secrets.", 1]]),
          finalizers: new Map([
            ["z/z", 2],
            ["a/a", 1],
          ]),
        },
      },
      type: "NamespaceFinalizersRemaining",
      message:
        "Some content in the namespace has finalizers remaining: a/a in 1 resource instances, z/z in 2 resource instances",
    },
    {
      name: "list what could not be deleted",
      parts: { failures: [new Error("two"), new Error("one")] },
      type: "NamespaceDeletionContentFailure",
      message: "Failed to delete all resource types, 2 remaining: one, two",
    },
    {
      name: "list what could not be discovered",
      parts: { undiscovered: { groupVersions: ["a/v1"], message: "Discovery failed", error: new Error("a/v1") } },
      type: "NamespaceDeletionDiscoveryFailure",
      message: "Discovery failed",
    },
  ]) {
    test(name, () => {
      const { conditions } = nextConditions([], outcome(parts), now);
      expect(conditions.find((condition) => condition.type === type)).toMatchObject({ status: "True", message });
    });
  }

  test("do not mention remaining objects while pods block the rest", () => {
    const { counts: _counts, ...whilePods } = nothing;
    const { conditions } = nextConditions([], whilePods, now);
    expect(conditions.every(({ status }) => status === "False")).toBe(true);
  });

  test("keep their time while only the message changes, and get another when the status does", () => {
    const left = (count: number): Outcome =>
      outcome({ counts: { remaining: new Map([["secrets.", count]]), finalizers: new Map() } });
    const first = nextConditions([], left(2), earlier).conditions;
    const fewer = nextConditions(first, left(1), now);
    expect(fewer.changes.map(({ type }) => type)).toEqual(["NamespaceContentRemaining"]);
    const remaining = (all: readonly NamespaceCondition[]): NamespaceCondition | undefined =>
      all.find(({ type }) => type === "NamespaceContentRemaining");
    expect(remaining(fewer.conditions)?.lastTransitionTime).toBe(earlier);
    const none = nextConditions(fewer.conditions, nothing, now).conditions;
    expect(remaining(none)).toMatchObject({ status: "False", lastTransitionTime: now });
  });

  test("of other controllers are kept", () => {
    const foreign = { type: "Example", status: "Unknown", reason: "ByHand", message: "kept" };
    expect(nextConditions([foreign], nothing, now).conditions[0]).toEqual(foreign);
  });
});
