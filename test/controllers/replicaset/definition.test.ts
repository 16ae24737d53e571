import { describe, expect, test } from "bun:test";
import { builtInControllers } from "../../../src/controllers/index.ts";
import { replicaset } from "../../../src/controllers/replicaset/replicaset.ts";
import { replicationcontroller } from "../../../src/controllers/replicaset/replicationcontroller.ts";
import { rules, scaleDown, scaleUp, status, wait } from "../../../src/controllers/replicaset/rules.ts";
import { burstReplicas, planReplicas } from "../../../src/controllers/replicaset/plan.ts";

describe("the catalogue", () => {
  test("has no name for two controllers", () => {
    const names = builtInControllers.flatMap(({ name, aliases }) => [name, ...aliases]);
    expect(new Set(names).size).toBe(names.length);
    expect(names).toContain("rs");
    expect(names).toContain("replicationcontroller");
  });
});

describe("the definitions", () => {
  /** The bootstrap roles of 1.36.3, without list and watch, and without the group `extensions`, which is no longer served. */
  const roles = {
    replicaset: ["get apps replicasets", "update apps replicasets/status", "update apps replicasets/finalizers"],
    replicationcontroller: [
      "get  replicationcontrollers",
      "update  replicationcontrollers/status",
      "update  replicationcontrollers/finalizers",
    ],
  } as const;
  const shared = ["create,delete,patch  pods"];

  for (const definition of [replicaset, replicationcontroller]) {
    test(`${definition.name} uses no more than the permissions of upstream's role`, () => {
      const requested = definition.permissions.map(
        ({ group, resource, verbs }) => `${[...verbs].sort().join(",")} ${group} ${resource}`,
      );
      const expected = [...roles[definition.name as keyof typeof roles], ...shared];
      expect(requested.sort()).toEqual(expected.toSorted());
    });

    test(`${definition.name} watches its own kind and owned pods, with five workers`, () => {
      expect(definition.watches.map(({ kind, owned }) => [kind.plural, owned === true])).toEqual([
        [definition.for?.plural ?? "", false],
        ["pods", true],
      ]);
      expect(definition.workers).toBe(5);
    });
  }

  test("use upstream's Event components", () => {
    expect([replicaset.component, replicationcontroller.component]).toEqual([
      "replicaset-controller",
      "replication-controller",
    ]);
  });
});

describe("the rules", () => {
  test("each has a unique id, and says what it looks at and where it comes from", () => {
    expect(new Set(rules.map(({ id }) => id)).size).toBe(rules.length);
    for (const { id, looksAt, chooses, source } of rules) {
      expect(id).toMatch(/^[a-z]+(-[a-z]+)*$/);
      expect(looksAt.length).toBeGreaterThan(0);
      expect(chooses).toEndWith(".");
      expect(source).toContain(".go ");
    }
  });

  const count = (
    path: string,
    before: number | undefined,
    after: number,
  ): { path: string; before?: number; after: number } => ({
    path,
    ...(before !== undefined && { before }),
    after,
  });
  const down = { chosen: [], by: undefined };
  const rows: readonly { says: string; sentence: string }[] = [
    { says: "1 of 3 pods is missing → create 1", sentence: scaleUp.sentence({ desired: 3, active: 2, create: 1 }) },
    {
      says: "20 of 20 pods are missing → create 20, in batches of 1, 2, 4, … 5",
      sentence: scaleUp.sentence({ desired: 20, active: 0, create: 20 }),
    },
    {
      says: "1000 of 1000 pods are missing → create 500 of them, in batches of 1, 2, 4, … 245",
      sentence: scaleUp.sentence({ desired: 1000, active: 0, create: 500 }),
    },
    {
      says: "1 of 3 pods is too many → delete 1",
      sentence: scaleDown.sentence({ desired: 2, active: 3, delete: 1, ...down }),
    },
    {
      says: "1 of 1 pod is too many → delete 1",
      sentence: scaleDown.sentence({ desired: 0, active: 1, delete: 1, ...down }),
    },
    {
      says: "600 of 600 pods are too many → delete 500 of them, newest first",
      sentence: scaleDown.sentence({ desired: 0, active: 600, delete: 500, chosen: [], by: "newest first" }),
    },
    {
      says: "1 created and 2 deleted not observed yet → wait",
      sentence: wait.sentence({ desired: 0, active: 0, creations: 1, deletions: 2 }),
    },
    {
      says: "replicas 2 → 5",
      sentence: status.sentence({
        changes: [
          count(".replicas", 2, 5),
          count(".fullyLabeledReplicas", 2, 5),
          count(".terminatingReplicas", undefined, 0),
        ],
      }),
    },
    {
      says: "replicas 2 → 5, fullyLabeledReplicas 2 → 4, readyReplicas 0 → 1",
      sentence: status.sentence({
        changes: [
          count(".replicas", 2, 5),
          count(".fullyLabeledReplicas", 2, 4),
          count(".readyReplicas", undefined, 1),
        ],
      }),
    },
    {
      says: "terminatingReplicas none → 0",
      sentence: status.sentence({ changes: [count(".terminatingReplicas", undefined, 0)] }),
    },
  ];
  for (const { says, sentence } of rows) test(says, () => expect(sentence).toBe(says));
});

describe("planReplicas", () => {
  const rows = [
    { desired: 3, active: 3, plan: { do: "nothing" } },
    { desired: 3, active: 1, plan: { do: "create", count: 2 } },
    { desired: 0, active: 2, plan: { do: "delete", count: 2 } },
    { desired: 501, active: 0, plan: { do: "create", count: burstReplicas } },
    { desired: 0, active: 501, plan: { do: "delete", count: burstReplicas } },
  ] as const;
  for (const { desired, active, plan } of rows) {
    test(`${active} of ${desired}: ${plan.do}`, () => expect(planReplicas(desired, active)).toEqual(plan));
  }
});
