import { describe, expect, test } from "bun:test";
import { newReplicaSetReplicas } from "../../../src/controllers/deployment/new-replica-set-replicas.ts";
import {
  boundInWords,
  fenceposts,
  hasProgressDeadline,
  maxSurge,
  maxUnavailable,
  revisionHistoryLimit,
} from "../../../src/controllers/deployment/strategy.ts";
import { deploymentOf, setOf } from "./objects.ts";

describe("maxSurge and maxUnavailable", () => {
  const rows = [
    { replicas: 2, limits: ["0%", "1%"], surge: 0, unavailable: 1, why: "both come to 0: one may be unavailable" },
    { replicas: 1, limits: ["0%", "1%"], surge: 0, unavailable: 1, why: "the same with one pod" },
    { replicas: 2, limits: ["1%", "25%"], surge: 1, unavailable: 0, why: "surge is rounded up, unavailable down" },
    { replicas: 1, limits: ["1%", "25%"], surge: 1, unavailable: 0, why: "the same with one pod" },
    { replicas: 2, limits: ["1%", "0%"], surge: 1, unavailable: 0, why: "no pod may be unavailable" },
    { replicas: 10, limits: ["33%", "33%"], surge: 4, unavailable: 3, why: "thirds of 10" },
    { replicas: 10, limits: [3, 2], surge: 3, unavailable: 2, why: "numbers are taken as they are" },
    { replicas: 5, limits: [0, 10], surge: 0, unavailable: 5, why: "no more than there are" },
    { replicas: 0, limits: ["25%", "25%"], surge: 0, unavailable: 0, why: "of no pods none is unavailable" },
    { replicas: 10, limits: ["lots", 2], surge: 0, unavailable: 0, why: "what cannot be read stops the rollout" },
  ] as const;
  for (const { replicas, limits, surge, unavailable, why } of rows) {
    test(`${limits.join(" and ")} of ${replicas}: ${why}`, () => {
      const deployment = deploymentOf({ replicas, strategy: limits });
      expect({ surge: maxSurge(deployment), unavailable: maxUnavailable(deployment) }).toEqual({ surge, unavailable });
    });
  }

  test("are none for Recreate", () => {
    const deployment = deploymentOf({ strategy: "Recreate" });
    expect([maxSurge(deployment), maxUnavailable(deployment)]).toEqual([0, 0]);
  });

  test("count as 0 if they are missing, and then one pod may be unavailable", () => {
    const deployment = deploymentOf({ spec: { strategy: { type: "RollingUpdate" } } });
    expect(fenceposts(deployment)).toEqual({ surge: 0, unavailable: 1 });
  });

  test("are shown as requested and as computed", () => {
    const deployment = deploymentOf({ strategy: ["25%", 1] });
    expect(boundInWords(deployment, "maxSurge")).toBe("maxSurge 25% → 1");
    expect(boundInWords(deployment, "maxUnavailable")).toBe("maxUnavailable 1");
  });
});

describe("the size that a new ReplicaSet can have now", () => {
  const rows = [
    { name: "is limited by the desired size and the surge", strategy: [1, 0], desired: 3, old: 1, current: 2, size: 3 },
    { name: "is never more than desired", strategy: [5, 0], desired: 3, old: 0, current: 1, size: 3 },
    { name: "does not grow while there is no room", strategy: [2, 0], desired: 10, old: 10, current: 2, size: 2 },
    { name: "does not shrink either, with too many pods", strategy: [1, 0], desired: 3, old: 9, current: 2, size: 2 },
    { name: "is the room that is left", strategy: [2, 0], desired: 10, old: 5, current: 0, size: 7 },
    {
      name: "is the surge alone if the old one has all",
      strategy: ["20%", 0],
      desired: 10,
      old: 10,
      current: 0,
      size: 2,
    },
  ] as const;
  for (const { name, strategy, desired, old, current, size } of rows) {
    test(name, () => {
      const all = [setOf("old", { size: old }), setOf("new", { size: current })];
      expect(newReplicaSetReplicas(deploymentOf({ replicas: desired, strategy }), { all, current })).toBe(size);
    });
  }

  test("is all of them at once with Recreate", () => {
    expect(newReplicaSetReplicas(deploymentOf({ replicas: 5, strategy: "Recreate" }), { all: [], current: 0 })).toBe(5);
  });

  test("is unknown with another strategy", () => {
    const deployment = deploymentOf({ spec: { strategy: { type: "Odd" } } });
    expect(() => newReplicaSetReplicas(deployment, { all: [], current: 0 })).toThrow(
      "deployment type Odd isn't supported",
    );
  });
});

describe("limits that mean none", () => {
  const most = 2_147_483_647;
  test("a deadline of the maximum is no deadline", () => {
    expect(hasProgressDeadline(deploymentOf())).toBe(true);
    expect(hasProgressDeadline(deploymentOf({ spec: { progressDeadlineSeconds: most } }))).toBe(false);
    expect(hasProgressDeadline(deploymentOf({ spec: { progressDeadlineSeconds: undefined } }))).toBe(false);
  });
  test("a history of the maximum keeps all, one of 0 none", () => {
    expect(revisionHistoryLimit(deploymentOf({ spec: { revisionHistoryLimit: most } }))).toBeUndefined();
    expect(revisionHistoryLimit(deploymentOf({ spec: { revisionHistoryLimit: 0 } }))).toBe(0);
  });
});
