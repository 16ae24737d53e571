import { beforeEach, describe, expect, test } from "bun:test";
import { Deployments, ReplicaSets } from "../../../src/api/kinds.ts";
import { ownVersion } from "../../../src/api/server-version.ts";
import { formatTime } from "../../../src/api/time.ts";
import type { Deployment, ReplicaSet } from "../../../src/api/types.ts";
import {
  deploymentTimedOut,
  deploymentComplete,
  deploymentProgressing,
} from "../../../src/controllers/deployment/complete.ts";
import {
  type DeploymentCondition,
  type DeploymentStatus,
  setCondition,
} from "../../../src/controllers/deployment/conditions.ts";
import { deployment } from "../../../src/controllers/deployment/deployment.ts";
import { calculateStatus, isStatusCurrent } from "../../../src/controllers/deployment/status.ts";
import { type Scene, sceneStart, syncScene } from "../../support/sync-context.ts";
import { available, completeStatus, condition, deploymentOf, setOf } from "./objects.ts";

const key = "shop/web";
let scene: Scene;
beforeEach(() => {
  scene = syncScene(deployment);
});

const atStart = { now: () => sceneStart, serverVersion: ownVersion };

const written = (): DeploymentStatus | undefined =>
  (scene.calls.findLast(({ verb }) => verb === "updateStatus")?.body as Deployment | undefined)?.status;
const find = (status: DeploymentStatus | undefined, type: string): DeploymentCondition | undefined =>
  status?.conditions?.find((one) => one.type === type);

describe("the status", () => {
  test("adds up the ReplicaSets, and counts the new one's pods separately", () => {
    const newReplicaSet = setOf("new", { image: "web:2", size: 2, has: 2, available: 1 });
    const old = setOf("old", { size: 3, has: 3, status: { terminatingReplicas: 2 } });
    const status = calculateStatus(
      deploymentOf({ meta: { generation: 7 } }),
      { all: [old, newReplicaSet], newReplicaSet },
      atStart,
    );
    expect(status).toEqual({
      observedGeneration: 7,
      replicas: 5,
      updatedReplicas: 2,
      readyReplicas: 4,
      availableReplicas: 4,
      unavailableReplicas: 1,
      terminatingReplicas: 2,
      conditions: [available, condition("Progressing", "True", "ReplicaSetUpdated")],
    });
  });

  test("counts no terminating pods for a server that drops their number, even before a ReplicaSet is synced", () => {
    const unsynced = setOf("new", { size: 2 });
    const counted = setOf("old", { size: 3, has: 3, status: { terminatingReplicas: 2 } });
    const serverVersion = { ...ownVersion, minor: 34 };
    const status = calculateStatus(
      deploymentOf(),
      { all: [counted, unsynced], newReplicaSet: unsynced },
      { ...atStart, serverVersion },
    );
    expect("terminatingReplicas" in status).toBe(false);
  });

  test("never has a negative number of unavailable pods: a shrinking ReplicaSet has more than desired", () => {
    const old = setOf("old", { size: 1, has: 3 });
    const status = calculateStatus(deploymentOf(), { all: [old], newReplicaSet: undefined }, atStart);
    expect(status.unavailableReplicas).toBeUndefined();
  });

  const rows = [
    { name: "enough are available", available: 8, is: "True" },
    { name: "one too few is available", available: 7, is: "False" },
  ];
  for (const { name, available: count, is } of rows) {
    test(`is Available ${is} when ${name}`, () => {
      const owner = deploymentOf({ replicas: 10, strategy: [1, 2], status: {} });
      const newReplicaSet = setOf("new", { size: 10, available: count });
      expect(find(calculateStatus(owner, { all: [newReplicaSet], newReplicaSet }, atStart), "Available")?.status).toBe(
        is,
      );
    });
  }

  test("keeps the collision count, and is current whether or not zeros are written out", () => {
    const owner = deploymentOf({ status: { ...completeStatus(3), collisionCount: 2, unavailableReplicas: 0 } });
    const newReplicaSet = setOf("new", { image: "web:2" });
    const status = calculateStatus(owner, { all: [newReplicaSet], newReplicaSet }, atStart);
    expect(status.collisionCount).toBe(2);
    expect(isStatusCurrent(owner, status)).toBe(true);
    expect(isStatusCurrent(owner, { ...status, readyReplicas: 2 })).toBe(false);
  });
});

describe("a rollout is complete", () => {
  const rows = [
    { name: "when all pods are new and available", status: completeStatus(3), is: true },
    { name: "not with an old pod", status: { ...completeStatus(3), replicas: 4 }, is: false },
    { name: "not while pods are missing", status: { ...completeStatus(3), updatedReplicas: 2 }, is: false },
    { name: "not while one is not available", status: { ...completeStatus(3), availableReplicas: 2 }, is: false },
    { name: "not for an earlier spec", status: { ...completeStatus(3), observedGeneration: 0 }, is: false },
    { name: "not without a status", status: undefined, is: false },
  ];
  for (const { name, status, is } of rows)
    test(name, () => expect(deploymentComplete(deploymentOf(), status)).toBe(is));
});

describe("a rollout progresses", () => {
  const before: DeploymentStatus = { replicas: 10, updatedReplicas: 4, readyReplicas: 3, availableReplicas: 3 };
  const rows = [
    { name: "not when nothing changed", next: before, is: false },
    { name: "with a new pod", next: { ...before, updatedReplicas: 5 }, is: true },
    { name: "with a new pod beside all old ones", next: { ...before, replicas: 11, updatedReplicas: 5 }, is: true },
    { name: "with one old pod less", next: { ...before, replicas: 9 }, is: true },
    { name: "with a pod that got ready", next: { ...before, readyReplicas: 4 }, is: true },
    { name: "with a pod that got available", next: { ...before, availableReplicas: 4 }, is: true },
    { name: "not with one new pod less", next: { ...before, replicas: 9, updatedReplicas: 3 }, is: false },
    { name: "not with a pod that is no longer ready", next: { ...before, readyReplicas: 2 }, is: false },
  ];
  for (const { name, next, is } of rows) {
    test(name, () => expect(deploymentProgressing(deploymentOf({ status: before }), next)).toBe(is));
  }
});

describe("a deadline of 10 s has passed", () => {
  const rows = [
    { name: "after 11 s", reason: "ReplicaSetUpdated", agoMs: 11_000, is: true },
    { name: "not after 10 s", reason: "ReplicaSetUpdated", agoMs: 10_000, is: false },
    { name: "counts from the end of a pause, too", reason: "DeploymentResumed", agoMs: 11_000, is: true },
    { name: "not after a complete rollout", reason: "NewReplicaSetAvailable", agoMs: 99_000, is: false },
    { name: "still, once it has passed", reason: "ProgressDeadlineExceeded", agoMs: 1000, is: true },
  ];
  for (const { name, reason, agoMs, is } of rows) {
    test(name, () => {
      const status = { conditions: [condition("Progressing", "True", reason, { agoMs })] };
      const owner = deploymentOf({ status, spec: { progressDeadlineSeconds: 10 } });
      expect(deploymentTimedOut(owner, status, sceneStart)).toBe(is);
    });
  }
  test("not without a condition with its start, and at once if that has no time", () => {
    expect(deploymentTimedOut(deploymentOf(), {}, sceneStart)).toBe(false);
    const timeless = { type: "Progressing", status: "True", reason: "ReplicaSetUpdated" };
    for (const one of [timeless, { ...timeless, lastUpdateTime: null }]) {
      const status = { conditions: [one] } as unknown as DeploymentStatus;
      expect(deploymentTimedOut(deploymentOf(), status, sceneStart)).toBe(true);
    }
  });

  test("at any time without a spec that requests one", () => {
    const { spec: _, ...bare } = deploymentOf();
    const status = { conditions: [condition("Progressing", "True", "ReplicaSetUpdated", { agoMs: 1000 })] };
    expect(deploymentTimedOut(bare, status, sceneStart)).toBe(true);
    expect(deploymentTimedOut(bare, status, sceneStart - 1000)).toBe(false);
  });
});

describe("the condition Progressing", () => {
  const since = formatTime(sceneStart - 60_000);
  const now = formatTime(sceneStart);
  const minuteAgo = { agoMs: 60_000 };
  const updated = condition("Progressing", "True", "ReplicaSetUpdated", minuteAgo);
  const failed = condition("Progressing", "False", "ProgressDeadlineExceeded", minuteAgo);
  const complete = condition("Progressing", "True", "NewReplicaSetAvailable", minuteAgo);
  const two: DeploymentStatus = {
    observedGeneration: 1,
    replicas: 2,
    updatedReplicas: 2,
    readyReplicas: 2,
    availableReplicas: 2,
    unavailableReplicas: 1,
    terminatingReplicas: 0,
  };
  const growing = setOf("new", { image: "web:2", size: 3, has: 2 });
  const grown = setOf("new", { image: "web:2" });
  const old = setOf("old", { size: 0, has: 1, hoursOld: 2 });

  interface Row {
    readonly name: string;
    readonly had: DeploymentCondition | undefined;
    readonly before?: DeploymentStatus;
    readonly sets: readonly ReplicaSet[];
    readonly deadline?: number;
    readonly is: Partial<DeploymentCondition> | undefined;
  }
  const rows: readonly Row[] = [
    {
      name: "is removed if there is no deadline",
      had: updated,
      sets: [growing, old],
      deadline: 2_147_483_647,
      is: undefined,
    },
    {
      name: "stays complete while there is one ReplicaSet",
      had: complete,
      before: completeStatus(3),
      sets: [setOf("new", { image: "web:2", available: 2 })],
      is: complete,
    },
    {
      name: "gets a new update time with progress, and keeps its transition time",
      had: updated,
      before: { ...two, replicas: 3, readyReplicas: 1 },
      sets: [growing],
      is: { reason: "ReplicaSetUpdated", lastUpdateTime: now, lastTransitionTime: since },
    },
    {
      name: "is True again with progress",
      had: failed,
      before: { ...two, replicas: 3 },
      sets: [growing],
      is: { status: "True", reason: "ReplicaSetUpdated", lastTransitionTime: now },
    },
    {
      name: "is added with progress",
      had: undefined,
      before: { ...two, readyReplicas: 0 },
      sets: [growing],
      is: { status: "True", lastTransitionTime: now },
    },
    {
      name: "is complete, and keeps its transition time",
      had: updated,
      before: two,
      sets: [grown],
      is: { status: "True", reason: "NewReplicaSetAvailable", lastUpdateTime: now, lastTransitionTime: since },
    },
    {
      name: "is complete after a failure",
      had: failed,
      before: two,
      sets: [grown],
      is: { status: "True", reason: "NewReplicaSetAvailable", lastTransitionTime: now },
    },
    {
      name: "is False when the deadline has passed",
      had: updated,
      before: { ...two, availableReplicas: 2 },
      sets: [growing],
      deadline: 30,
      is: { status: "False", reason: "ProgressDeadlineExceeded", lastTransitionTime: now },
    },
    {
      name: "stays False, and unchanged",
      had: failed,
      before: two,
      sets: [setOf("new", { image: "web:2", size: 3, has: 2, available: 1 })],
      deadline: 30,
      is: failed,
    },
  ];
  for (const { name, had, before = two, sets, deadline = 600, is } of rows) {
    test(name, async () => {
      const status = { ...before, conditions: [available, ...(had === undefined ? [] : [had])] };
      // Set up so that the sync writes only the status.
      const owner = deploymentOf({ strategy: [0, 1], status, spec: { progressDeadlineSeconds: deadline } });
      scene.put(Deployments, owner);
      scene.put(ReplicaSets, ...sets);
      await scene.sync(key).catch(() => undefined);
      const found = find(written() ?? status, "Progressing");
      if (is === undefined) expect(found).toBeUndefined();
      else expect(found).toMatchObject(is);
    });
  }
});

describe("a rollout without progress", () => {
  const stuck = (agoMs: number, more: Partial<DeploymentStatus> = {}, reason = "ReplicaSetUpdated"): Deployment =>
    deploymentOf({
      strategy: [0, 1],
      status: {
        ...completeStatus(3),
        availableReplicas: 2,
        readyReplicas: 2,
        unavailableReplicas: 1,
        ...more,
        conditions: [
          available,
          condition("Progressing", reason === "ProgressDeadlineExceeded" ? "False" : "True", reason, { agoMs }),
        ],
      },
      spec: { progressDeadlineSeconds: 60 },
    });
  const rows = [
    { name: "is synced a second after its deadline", owner: stuck(30_000), requeue: 31_000 },
    { name: "also if a second is left", owner: stuck(59_000), requeue: 2000 },
    { name: "at once if less is left", owner: stuck(60_000), requeue: "rate-limited" as const },
    {
      name: "not after its deadline was reported",
      owner: stuck(90_000, {}, "ProgressDeadlineExceeded"),
      requeue: undefined,
    },
  ];
  for (const { name, owner, requeue } of rows) {
    test(name, async () => {
      scene.put(Deployments, owner);
      scene.put(ReplicaSets, setOf("new", { image: "web:2", available: 2 }));
      await scene.sync(key);
      expect(scene.calls).toEqual([]);
      expect(scene.requeues.map(({ ms }) => ms)).toEqual(requeue === undefined ? [] : [requeue]);
    });
  }

  test("shows how much is left", async () => {
    scene.put(Deployments, stuck(30_000));
    scene.put(ReplicaSets, setOf("new", { image: "web:2", available: 2 }));
    await scene.sync(key);
    expect(scene.requeues[0]?.why).toBe("no progress, 30 s left of the deadline of 60 s → requeued for then");
  });
});

describe("a complete rollout whose pods were deleted, past its deadline", () => {
  test("shows that it is past, by how much, and that it stays so; its facts have no negative times", async () => {
    const owner = deploymentOf({
      strategy: [0, 1],
      status: {
        ...completeStatus(3),
        availableReplicas: 2,
        readyReplicas: 2,
        unavailableReplicas: 1,
        conditions: [available, condition("Progressing", "True", "NewReplicaSetAvailable", { agoMs: 105_000 })],
      },
      spec: { progressDeadlineSeconds: 60 },
    });
    scene.put(Deployments, owner);
    scene.put(ReplicaSets, setOf("new", { image: "web:2", available: 2 }));
    await scene.sync(key);
    expect(scene.requeues.map(({ ms }) => ms)).toEqual(["rate-limited"]);
    const reason =
      "the progress deadline of 60 s passed 45 s ago, and a rollout that was complete once never exceeds it → requeued at once";
    expect(scene.requeues[0]?.why).toBe(reason);
    const facts = scene.decisions.find(({ rule }) => rule === "progress-check")?.facts;
    expect(facts).toEqual({ deadlineSeconds: 60, passedMs: 45_000, wasComplete: true });
  });
});

describe("the condition ReplicaFailure", () => {
  const failing = (name: string, message: string, parts: Parameters<typeof setOf>[1]): ReplicaSet =>
    setOf(name, {
      ...parts,
      status: {
        conditions: [
          {
            type: "ReplicaFailure",
            status: "True",
            reason: "FailedCreate",
            message,
            lastTransitionTime: "2026-11-21T09:00:00Z",
          },
        ],
      },
    });

  test("is the new ReplicaSet's, with its time", async () => {
    scene.put(Deployments, deploymentOf());
    scene.put(
      ReplicaSets,
      failing("new", "quota of new", { image: "web:2", has: 2 }),
      failing("old", "quota of old", { size: 0, hoursOld: 2 }),
    );
    await scene.sync(key);
    expect(find(written(), "ReplicaFailure")).toEqual({
      type: "ReplicaFailure",
      status: "True",
      reason: "FailedCreate",
      message: "quota of new",
      lastUpdateTime: "2026-11-21T09:00:00Z",
      lastTransitionTime: "2026-11-21T09:00:00Z",
    });
  });

  test("is an old one's if the new one has none, and is removed with it", async () => {
    scene.put(Deployments, deploymentOf());
    scene.put(
      ReplicaSets,
      setOf("new", { image: "web:2", has: 2 }),
      failing("old", "quota of old", { size: 0, hoursOld: 2 }),
    );
    await scene.sync(key);
    expect(find(written(), "ReplicaFailure")?.message).toBe("quota of old");
    scene.deliver();
    scene.put(ReplicaSets, setOf("old", { size: 0, hoursOld: 2 }));
    await scene.sync(key);
    expect(find(written(), "ReplicaFailure")).toBeUndefined();
    expect(scene.decisions.at(-1)?.sentence).toContain("ReplicaFailure removed");
  });
});

describe("setting a condition", () => {
  const old = condition("Available", "True", "One", { agoMs: 5000 });
  test("again for the same reason leaves the list unchanged", () => {
    const list = [old];
    expect(setCondition(list, condition("Available", "True", "One", { message: "new" }))).toBe(list);
  });
  test("for another reason keeps the time of its transition", () => {
    const [set] = setCondition([old], condition("Available", "True", "Other"));
    expect(set).toMatchObject({
      reason: "Other",
      lastTransitionTime: old.lastTransitionTime,
      lastUpdateTime: formatTime(sceneStart),
    });
  });
  test("to another status does not", () => {
    const [set] = setCondition([old], condition("Available", "False", "Other"));
    expect(set?.lastTransitionTime).toBe(formatTime(sceneStart));
  });
});
