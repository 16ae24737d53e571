import { describe, expect, test } from "bun:test";
import type { Pod, StatefulSet } from "../../../src/api/types.ts";
import { planPods, type PodsPlan } from "../../../src/controllers/statefulset/plan.ts";
import { statefulSetOf } from "../../support/workloads.ts";
import {
  claimingSet,
  claimNamed,
  going,
  inputFor,
  ownedByPod,
  ownedBySet,
  podAt,
  podsAt,
  revisionFor,
  volumeFor,
} from "./objects.ts";

const parallel = { podManagementPolicy: "Parallel" };
const three = statefulSetOf({ replicas: 3 });
const wide = statefulSetOf({ replicas: 3, spec: parallel });

/** The plan as text: replicas such as `db-0 keep` or `db-1 wait is ready`, the condemned pods, and the update. */
function summaryOf({ replicas, condemned, update }: PodsPlan): {
  replicas: string[];
  condemned: string[];
  update: string;
} {
  const { do: does } = update;
  return {
    replicas: replicas.map(({ member, action }) => {
      const what = action.do === "wait" ? `wait ${action.until}` : action.do;
      const repairs =
        action.do === "keep" && action.repairs.length > 0 ? ` repairing ${action.repairs.join(", ")}` : "";
      const claim = action.do === "await claim" ? ` ${action.claim}` : "";
      const pending = "isPending" in action && action.isPending ? ", pending" : "";
      return `${member.name} ${what}${repairs}${claim}${pending}`;
    }),
    condemned: condemned.map(({ member, action }) =>
      action.do === "wait" ? `${member.name} wait ${action.pod} ${action.until}` : `${member.name} ${action.do}`,
    ),
    update: does === "nothing" ? does : `${does} ${update.member.name}`,
  };
}

const plan = (
  set: StatefulSet,
  pods: readonly Pod[],
  more: Parameters<typeof inputFor>[2] = {},
): ReturnType<typeof summaryOf> => summaryOf(planPods(inputFor(set, pods, more)));

describe("in an ordered set", () => {
  test("the first missing pod is created when all before it are available, and nothing else is done", () => {
    expect(plan(three, [])).toEqual({ replicas: ["db-0 create"], condemned: [], update: "nothing" });
    expect(plan(three, podsAt(three, [0, 2])).replicas).toEqual(["db-0 keep", "db-1 create"]);
  });

  const waits = [
    { name: "is pending", parts: { phase: "Pending", ready: false }, action: "wait is ready, pending" },
    { name: "runs and is not ready", parts: { ready: false }, action: "wait is ready" },
    { name: "is ready but in another phase than Running", parts: { phase: "Unknown" }, action: "wait is ready" },
    { name: "is being deleted", parts: { meta: going }, action: "wait is gone" },
    { name: "is pending and being deleted", parts: { phase: "Pending", meta: going }, action: "wait is gone, pending" },
    { name: "has failed", parts: { phase: "Failed" }, action: "delete ended pod" },
    { name: "has succeeded", parts: { phase: "Succeeded" }, action: "delete ended pod" },
    { name: "has failed and is being deleted", parts: { phase: "Failed", meta: going }, action: "await end" },
  ];
  for (const { name, parts, action } of waits) {
    test(`a pod that ${name} blocks those after it, the scale-down and the update`, () => {
      const pods = [podAt(three, 0), podAt(three, 1, parts), podAt(three, 4, { revision: "db-old" })];
      expect(plan(three, pods)).toEqual({
        replicas: ["db-0 keep", `db-1 ${action}`],
        condemned: [],
        update: "nothing",
      });
    });
  }

  test("a ready pod is awaited until it has been ready for minReadySeconds", () => {
    const set = statefulSetOf({ replicas: 2, spec: { minReadySeconds: 30 } });
    expect(plan(set, [podAt(set, 0, { readyForMs: 29_999 })]).replicas).toEqual(["db-0 wait is available"]);
    expect(plan(set, [podAt(set, 0, { readyForMs: 30_000 })]).replicas).toEqual(["db-0 keep", "db-1 create"]);
  });

  test("of surplus pods the highest is deleted first, one at a time", () => {
    expect(plan(three, podsAt(three, [0, 1, 2, 3, 10, 4]))).toEqual({
      replicas: ["db-0 keep", "db-1 keep", "db-2 keep"],
      condemned: ["db-10 delete"],
      update: "nothing",
    });
  });

  test("the next pod is deleted when the previous one is gone", () => {
    const pods = [...podsAt(three, [0, 1, 2, 3]), podAt(three, 4, { meta: going })];
    expect(plan(three, pods).condemned).toEqual(["db-4 wait db-4 is gone"]);
  });

  test("an unhealthy surplus pod is deleted only if it is the lowest of these", () => {
    const unready = { ready: false };
    const [four, three4] = [podAt(three, 4, unready), podAt(three, 3, unready)];
    expect(plan(three, [...podsAt(three, [0, 1, 2, 3]), four]).condemned).toEqual(["db-4 delete"]);
    expect(plan(three, [...podsAt(three, [0, 1, 2]), three4, four]).condemned).toEqual(["db-4 wait db-3 is ready"]);
  });

  test("a healthy pod is deleted although a lower surplus pod is unhealthy", () => {
    const pods = [...podsAt(three, [0, 1, 2, 4]), podAt(three, 3, { ready: false })];
    expect(plan(three, pods).condemned).toEqual(["db-4 delete"]);
  });

  test("a surplus pod that is not available yet waits for the lower one that is not", () => {
    const set = statefulSetOf({ replicas: 1, spec: { minReadySeconds: 30 } });
    const [one, two] = [podAt(set, 1, { readyForMs: 10 }), podAt(set, 2, { readyForMs: 10 })];
    expect(plan(set, [podAt(set, 0), one, two]).condemned).toEqual(["db-2 wait db-1 is available"]);
    expect(plan(set, [podAt(set, 0), two]).condemned).toEqual(["db-2 delete"]);
  });

  test("no pod is updated while there is a surplus", () => {
    const pods = [...podsAt(three, [0, 1, 2], { revision: "db-old" }), podAt(three, 3)];
    expect(plan(three, pods)).toMatchObject({ condemned: ["db-3 delete"], update: "nothing" });
  });

  test("a pod without a phase counts as missing", () => {
    const { status: _, ...bare } = podAt(three, 0);
    for (const pod of [bare, podAt(three, 0, { phase: "", ready: false })])
      expect(plan(three, [pod]).replicas).toEqual(["db-0 create"]);
  });

  test("with replicas 0 all pods are surplus", () => {
    const none = statefulSetOf({ replicas: 0 });
    expect(plan(none, podsAt(none, [0, 1]))).toEqual({ replicas: [], condemned: ["db-1 delete"], update: "nothing" });
  });
});

describe("with Parallel", () => {
  test("all missing pods are created at once, beside those that are not ready", () => {
    expect(plan(wide, [podAt(wide, 1, { ready: false })]).replicas).toEqual([
      "db-0 create",
      "db-1 keep",
      "db-2 create",
    ]);
  });

  test("all surplus pods are deleted at once, except those that are being deleted", () => {
    const pods = [...podsAt(wide, [0, 1, 2, 3]), podAt(wide, 4, { meta: going }), podAt(wide, 5, { ready: false })];
    expect(plan(wide, pods).condemned).toEqual(["db-5 delete", "db-4 nothing", "db-3 delete"]);
  });

  test("a pending pod gets its claims, and is not waited for", () => {
    expect(plan(wide, [podAt(wide, 0, { phase: "Pending", ready: false })]).replicas[0]).toBe("db-0 keep, pending");
  });

  test("pods are scaled and updated in one sync", () => {
    const pods = [...podsAt(wide, [0, 1, 3]), podAt(wide, 2, { revision: "db-old" })];
    expect(plan(wide, pods)).toEqual({
      replicas: ["db-0 keep", "db-1 keep", "db-2 keep"],
      condemned: ["db-3 delete"],
      update: "delete db-2",
    });
  });

  test("a finished pod is deleted, and may be deleted again to be updated", () => {
    const pods = [...podsAt(wide, [0, 1]), podAt(wide, 2, { revision: "db-old", phase: "Failed" })];
    expect(plan(wide, pods)).toMatchObject({
      replicas: ["db-0 keep", "db-1 keep", "db-2 delete ended pod"],
      update: "delete db-2",
    });
  });
});

describe("a rolling update", () => {
  const old = { revision: "db-old" };

  test("deletes the highest pod of another revision", () => {
    expect(plan(three, podsAt(three, [0, 1, 2], old)).update).toBe("delete db-2");
    expect(plan(three, [...podsAt(three, [0, 1], old), podAt(three, 2)]).update).toBe("delete db-1");
  });

  test("deletes a pod of another revision that is not ready", () => {
    // An ordered set first waits for a pod that is not ready, which must be repaired manually; so this set is parallel.
    const pods = [...podsAt(wide, [0, 1], old), podAt(wide, 2, { ...old, ready: false })];
    expect(plan(wide, pods).update).toBe("delete db-2");
  });

  test("waits for the pod that was updated last", () => {
    const waiting = [
      podAt(wide, 2, { ready: false }),
      podAt(wide, 2, { meta: going }),
      podAt(wide, 2, { ...old, meta: going }),
    ];
    for (const last of waiting) expect(plan(wide, [...podsAt(wide, [0, 1], old), last]).update).toBe("wait db-2");
    expect(plan(wide, podsAt(wide, [0, 1], old)).update).toBe("wait db-2");
  });

  test("waits until the updated pod is available", () => {
    const set = statefulSetOf({ replicas: 2, spec: { ...parallel, minReadySeconds: 30 } });
    const pods = [podAt(set, 0, old), podAt(set, 1, { readyForMs: 29_000 })];
    expect(plan(set, pods).update).toBe("wait db-1");
  });

  test("never deletes the pods below the partition, counted from the start", () => {
    const rollingUpdate = { partition: 2 };
    const set = statefulSetOf({ replicas: 3, spec: { updateStrategy: { type: "RollingUpdate", rollingUpdate } } });
    expect(plan(set, podsAt(set, [0, 1, 2], old)).update).toBe("delete db-2");
    expect(plan(set, [...podsAt(set, [0, 1], old), podAt(set, 2)]).update).toBe("nothing");
    const later = statefulSetOf({
      replicas: 3,
      spec: { ordinals: { start: 5 }, updateStrategy: { type: "RollingUpdate", rollingUpdate } },
    });
    expect(plan(later, podsAt(later, [5, 6, 7], old)).update).toBe("delete db-7");
    expect(plan(later, [...podsAt(later, [5, 6], old), podAt(later, 7)]).update).toBe("nothing");
  });

  test("does not exist with OnDelete", () => {
    const set = statefulSetOf({ replicas: 1, spec: { updateStrategy: { type: "OnDelete" } } });
    expect(plan(set, podsAt(set, [0], old)).update).toBe("nothing");
  });
});

describe("missing pods are created", () => {
  const update = revisionFor(statefulSetOf({ spec: { template: { spec: { containers: [] } } } }));
  const strategy = (rollingUpdate?: object, type = "RollingUpdate"): object => ({
    updateStrategy: { type, ...(rollingUpdate !== undefined && { rollingUpdate }) },
  });
  const madeOf = (spec: object, status: object = {}): string[] => {
    const set = statefulSetOf({ replicas: 3, spec: { ...parallel, ...spec }, status });
    const current = revisionFor(set).metadata.name;
    return planPods(inputFor(set, [], { update })).replicas.map(({ member }) =>
      member.revision === current ? "current" : "update",
    );
  };

  test("with the current revision below the partition, with the new one from there on", () => {
    expect(madeOf(strategy({ partition: 2 }))).toEqual(["current", "current", "update"]);
    expect(madeOf(strategy({}))).toEqual(["update", "update", "update"]);
    expect(madeOf({ ...strategy({ partition: 1 }), ordinals: { start: 4 } })).toEqual(["current", "update", "update"]);
  });

  test("without a partition with the current revision, as many as the status has as current", () => {
    expect(madeOf(strategy(), { currentReplicas: 1 })).toEqual(["current", "update", "update"]);
    expect(madeOf({ ...strategy(), ordinals: { start: 4 } }, { currentReplicas: 2 })).toEqual([
      "current",
      "current",
      "update",
    ]);
  });

  test("with the new revision with OnDelete", () => {
    expect(madeOf(strategy(undefined, "OnDelete"), { currentReplicas: 3 })).toEqual(["update", "update", "update"]);
  });

  test("with the current revision and deleted again in the same sync, if no partition keeps them", () => {
    const set = statefulSetOf({ replicas: 2, spec: { ...parallel, ...strategy() }, status: { currentReplicas: 2 } });
    expect(summaryOf(planPods(inputFor(set, [], { update }))).update).toBe("delete db-1");
  });
});

describe("pods have ordinals", () => {
  test("from the start ordinal on; those below it are surplus", () => {
    const set = statefulSetOf({ replicas: 2, spec: { ordinals: { start: 2 } } });
    expect(plan(set, podsAt(set, [0, 1, 2, 3, 4]))).toEqual({
      replicas: ["db-2 keep", "db-3 keep"],
      condemned: ["db-4 delete"],
      update: "nothing",
    });
    expect(plan(set, podsAt(set, [0, 1, 2, 3])).condemned).toEqual(["db-1 delete"]);
  });

  test("and none if their names have no 31-bit ordinal", () => {
    const set = statefulSetOf({ replicas: 1 });
    const pods = [podAt(set, "db-x"), podAt(set, "db-2147483648"), podAt(set, 0)];
    expect(plan(set, pods)).toEqual({ replicas: ["db-0 keep"], condemned: [], update: "nothing" });
    expect(plan(set, [...pods, podAt(set, "db-2147483647")]).condemned).toEqual(["db-2147483647 delete"]);
  });
});

describe("an existing pod", () => {
  const set = claimingSet({ replicas: 1, whenDeleted: "Delete" });
  const owned = claimNamed("data-db-0", { owners: [ownedBySet(set)] });
  const sound = podAt(set, 0, { spec: volumeFor("db-0") });

  test("is left alone if it has its labels, its volumes and its claims' owners", () => {
    expect(plan(set, [sound], { claims: [owned] }).replicas).toEqual(["db-0 keep"]);
    expect(plan(set, [sound]).replicas).toEqual(["db-0 keep"]);
  });

  test("is repaired otherwise", () => {
    const unlabelled = { ...sound, metadata: { ...sound.metadata, labels: {} } };
    expect(plan(set, [unlabelled], { claims: [owned] }).replicas).toEqual(["db-0 keep repairing identity"]);
    expect(plan(set, [podAt(set, 0)], { claims: [owned] }).replicas).toEqual(["db-0 keep repairing volumes"]);
    expect(plan(set, [sound], { claims: [claimNamed("data-db-0")] }).replicas).toEqual([
      "db-0 keep repairing claim owners",
    ]);
  });

  test("is repaired in an ordered set while others after it are still missing", () => {
    const two = claimingSet({ replicas: 2 });
    expect(plan(two, [podAt(two, 0)]).replicas).toEqual(["db-0 keep repairing volumes", "db-1 create"]);
  });
});

describe("a missing pod whose claim belongs to an earlier pod of its name", () => {
  const stale = claimNamed("data-db-1", { owners: [ownedByPod("db-1", { uid: "earlier" })] });

  test("is not created while claims are deleted with their pods", () => {
    const set = claimingSet({ whenScaled: "Delete" });
    expect(plan(set, [podAt(set, 0, { spec: volumeFor("db-0") })], { claims: [stale] }).replicas).toEqual([
      "db-0 keep",
      "db-1 await claim data-db-1",
    ]);
  });

  test("is created if the claim does not exist", () => {
    expect(plan(claimingSet({ whenScaled: "Delete" }), []).replicas).toEqual(["db-0 create"]);
  });

  test("is created if claims are retained", () => {
    const set = claimingSet();
    expect(plan(set, [podAt(set, 0, { spec: volumeFor("db-0") })], { claims: [stale] }).replicas).toEqual([
      "db-0 keep",
      "db-1 create",
    ]);
  });
});
