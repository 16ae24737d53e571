import { describe, expect, test } from "bun:test";
import { parseIntervals } from "../../../src/controllers/job/intervals.ts";
import { matchFailure } from "../../../src/controllers/job/pod-failure-policy.ts";
import { matchSuccess } from "../../../src/controllers/job/success-policy.ts";
import { ended, podOf, running } from "./objects.ts";

describe("the pod failure policy", () => {
  type Policy = Parameters<typeof matchFailure>[0];
  const exits = (action: string, operator: string, values: number[], containerName?: string): object => ({
    action,
    onExitCodes: { operator, values, ...(containerName !== undefined && { containerName }) },
  });
  const has = (action: string, type: string, status?: string): object => ({
    action,
    onPodConditions: [{ type, ...(status !== undefined && { status }) }],
  });
  const matchOf = (rules: readonly object[], status: object): ReturnType<typeof matchFailure> =>
    matchFailure({ rules } as unknown as Policy, podOf("p", { phase: "Failed", status }));
  const exitedWith = (code: number): object => ({ containerStatuses: [ended("main", code, 0)] });

  test("counts a failure without a matching rule, and one without a policy", () => {
    expect(matchOf([exits("FailJob", "In", [1])], exitedWith(2))).toEqual({ action: undefined, isCounted: true });
    expect(matchFailure(undefined, podOf("p"))).toEqual({ action: undefined, isCounted: true });
  });

  test("fails the Job with a message that has container, exit code and rule", () => {
    expect(matchOf([exits("Ignore", "In", [1]), exits("FailJob", "In", [2, 3])], exitedWith(3))).toEqual({
      action: "FailJob",
      isCounted: true,
      message: "Container main for pod shop/p failed with exit code 3 matching FailJob rule at index 1",
    });
  });

  test("fails the Job with a message that has the condition", () => {
    const conditions = [
      { type: "Ready", status: "False" },
      { type: "DisruptionTarget", status: "True" },
    ];
    expect(matchOf([has("FailJob", "DisruptionTarget", "True")], { conditions }).message).toBe(
      "Pod shop/p has condition DisruptionTarget matching FailJob rule at index 0",
    );
    expect(matchOf([has("FailJob", "DisruptionTarget", "False")], { conditions }).action).toBeUndefined();
  });

  const actions = [
    { action: "Ignore", isCounted: false },
    { action: "Count", isCounted: true },
    { action: "FailIndex", isCounted: true },
  ] as const;
  for (const { action, isCounted } of actions) {
    test(`${action}: ${isCounted ? "counts" : "does not count"}, without a message`, () => {
      expect(matchOf([exits(action, "In", [1])], exitedWith(1))).toEqual({ action, isCounted });
    });
  }

  test("the first rule that matches decides", () => {
    expect(matchOf([exits("Count", "In", [1]), exits("Ignore", "In", [1])], exitedWith(1)).action).toBe("Count");
  });

  const statuses = [
    { says: "NotIn matches other codes", rule: exits("Ignore", "NotIn", [5]), status: exitedWith(6), is: true },
    { says: "NotIn excludes listed codes", rule: exits("Ignore", "NotIn", [5]), status: exitedWith(5), is: false },
    { says: "exit code 0 is never matched", rule: exits("Ignore", "NotIn", [5]), status: exitedWith(0), is: false },
    {
      says: "a running container has no code",
      rule: exits("Ignore", "NotIn", [5]),
      status: { containerStatuses: [running("main")] },
      is: false,
    },
    {
      says: "only the named container counts",
      rule: exits("Ignore", "In", [1], "other"),
      status: exitedWith(1),
      is: false,
    },
    {
      says: "a second container can match",
      rule: exits("Ignore", "In", [2]),
      status: { containerStatuses: [ended("a", 1, 0), ended("b", 2, 0)] },
      is: true,
    },
    {
      says: "an init container can match",
      rule: exits("Ignore", "In", [2]),
      status: { initContainerStatuses: [ended("init", 2, 0)] },
      is: true,
    },
    {
      says: "an unknown operator matches nothing",
      rule: exits("Ignore", "Like", [1]),
      status: exitedWith(1),
      is: false,
    },
    { says: "an unknown action is skipped", rule: exits("Restart", "In", [1]), status: exitedWith(1), is: false },
  ];
  for (const { says, rule, status, is } of statuses) {
    test(says, () => expect(matchOf([rule], status).action).toBe(is ? "Ignore" : undefined));
  }
});

describe("the success policy", () => {
  const rows: readonly {
    says: string;
    rules: readonly { succeededIndexes?: string; succeededCount?: number }[];
    succeeded: string;
    met: number | undefined;
  }[] = [
    { says: "without rules is not met", rules: [], succeeded: "0", met: undefined },
    { says: "without a success is not met", rules: [{ succeededCount: 0 }], succeeded: "", met: undefined },
    {
      says: "with an invalid index is not met",
      rules: [{ succeededIndexes: "invalid-form" }],
      succeeded: "0",
      met: undefined,
    },
    {
      says: "is met when all its indexes have succeeded",
      rules: [{ succeededIndexes: "0-2" }],
      succeeded: "0-2,4-7",
      met: 0,
    },
    {
      says: "is not met while one is missing",
      rules: [{ succeededIndexes: "0-3" }],
      succeeded: "0-2,4-7",
      met: undefined,
    },
    { says: "is met by a number of any indexes", rules: [{ succeededCount: 2 }], succeeded: "0,5", met: 0 },
    { says: "is not met by fewer", rules: [{ succeededCount: 3 }], succeeded: "0,5", met: undefined },
    {
      says: "is met by a number of its indexes",
      rules: [{ succeededIndexes: "3-6", succeededCount: 2 }],
      succeeded: "0-2,4-7",
      met: 0,
    },
    {
      says: "is not met by others",
      rules: [{ succeededIndexes: "3-6", succeededCount: 2 }],
      succeeded: "0-2,6,7",
      met: undefined,
    },
    {
      says: "reports the first rule that is met",
      rules: [{ succeededIndexes: "9" }, { succeededIndexes: "4,6" }, { succeededCount: 1 }],
      succeeded: "0-2,4-7",
      met: 1,
    },
    {
      says: "parses its indexes in several intervals",
      rules: [{ succeededIndexes: "1,3,5-9" }],
      succeeded: "0-3,5-6,7-9",
      met: 0,
    },
    { says: "requires no more than exist", rules: [{ succeededIndexes: "8-20" }], succeeded: "8,9", met: 0 },
  ];
  for (const { says, rules, succeeded, met } of rows) {
    test(says, () => {
      expect(matchSuccess({ rules }, { completions: 10, succeeded: parseIntervals(succeeded, 10) })).toBe(met);
    });
  }
  test("is not met if there is none", () => {
    expect(matchSuccess(undefined, { completions: 1, succeeded: parseIntervals("0", 1) })).toBeUndefined();
  });
});
