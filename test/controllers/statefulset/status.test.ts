import { describe, expect, test } from "bun:test";
import type { Pod, StatefulSet } from "../../../src/api/types.ts";
import {
  countPods,
  isInconsistent,
  type PodCounts,
  statusOf,
  type StatefulSetStatus,
} from "../../../src/controllers/statefulset/status.ts";
import { sceneStart } from "../../support/sync-context.ts";
import { statefulSetOf } from "../../support/workloads.ts";
import { going, podAt, podsAt, revisionFor } from "./objects.ts";

const set = statefulSetOf();
const current = revisionFor(set);
const update = revisionFor(statefulSetOf({ spec: { template: {} } }));
const newer = { revision: update.metadata.name };

const count = (pods: readonly Pod[], minReadySeconds = 0): PodCounts =>
  countPods(pods, { current, update, time: { minReadySeconds, now: sceneStart } });

describe("counting pods", () => {
  test("by their revisions, readiness and availability", () => {
    const pods = [
      ...podsAt(set, [0, 1]),
      podAt(set, 2, { ...newer, readyForMs: 10_000 }),
      podAt(set, 3, { ready: false }),
      podAt(set, 4, { revision: "db-earlier" }),
    ];
    expect(count(pods, 30)).toEqual({
      replicas: 5,
      readyReplicas: 4,
      availableReplicas: 3,
      currentReplicas: 3,
      updatedReplicas: 1,
    });
  });

  test("one that is being deleted has no revision any more, but counts as ready while it is", () => {
    expect(count([podAt(set, 0, { meta: going })])).toEqual({
      replicas: 1,
      readyReplicas: 1,
      availableReplicas: 1,
      currentReplicas: 0,
      updatedReplicas: 0,
    });
  });

  test("a finished one is a replica that is not ready", () => {
    expect(count([podAt(set, 0, { phase: "Failed" })])).toMatchObject({
      replicas: 1,
      readyReplicas: 0,
      availableReplicas: 0,
      currentReplicas: 1,
    });
  });

  test("one without a phase does not count", () => {
    expect(count([podAt(set, 0, { phase: "", ready: false })])).toMatchObject({ replicas: 0, currentReplicas: 0 });
  });
});

const revisions = { current, update, collisionCount: 0 };
const counts = (more: Partial<PodCounts> = {}): PodCounts => ({
  replicas: 3,
  readyReplicas: 3,
  availableReplicas: 2,
  currentReplicas: 0,
  updatedReplicas: 3,
  ...more,
});
const statusFor = (of: StatefulSet, more?: Partial<PodCounts>): StatefulSetStatus =>
  statusOf(of, { counts: counts(more), revisions });

describe("the status", () => {
  test("has the counts, the revisions, collisions even if there were none, and no conditions", () => {
    const conditioned = statefulSetOf({
      meta: { generation: 7 },
      status: { conditions: [{ type: "Example", status: "True" }] },
    });
    expect(statusFor(conditioned, { updatedReplicas: 1, currentReplicas: 2 })).toEqual({
      observedGeneration: 7,
      replicas: 3,
      readyReplicas: 3,
      currentReplicas: 2,
      updatedReplicas: 1,
      currentRevision: current.metadata.name,
      updateRevision: update.metadata.name,
      collisionCount: 0,
      availableReplicas: 2,
    });
  });

  test("makes the update revision the current one when all pods are updated and ready", () => {
    expect(statusFor(set)).toMatchObject({ currentRevision: update.metadata.name, currentReplicas: 3 });
  });

  for (const [name, more] of [
    ["not all are updated", { updatedReplicas: 2 }],
    ["not all are ready", { readyReplicas: 2 }],
    ["there are more than desired", { replicas: 4 }],
  ] as const) {
    test(`keeps the current revision while ${name}`, () => {
      const status = statusFor(set, more);
      expect({ revision: status.currentRevision, replicas: status.currentReplicas }).toEqual({
        revision: current.metadata.name,
        replicas: undefined,
      });
    });
  }

  test("with OnDelete keeps the current revision", () => {
    const onDelete = statefulSetOf({ spec: { updateStrategy: { type: "OnDelete" } } });
    expect(statusFor(onDelete).currentRevision).toBe(current.metadata.name);
  });
});

describe("a status is written", () => {
  const status = statusFor(set);
  const having = (changed: object): StatefulSet => ({ ...set, status: { ...status, ...changed } });

  test("not if it is current, whatever its conditions and collisions", () => {
    expect(isInconsistent(having({}), status)).toBe(false);
    expect(
      isInconsistent(having({ collisionCount: 3, conditions: [{ type: "Example", status: "True" }] }), status),
    ).toBe(false);
  });

  test("not for an observed generation that is ahead", () => {
    expect(isInconsistent(having({ observedGeneration: 100 }), status)).toBe(false);
  });

  test("if the observed generation is behind, or a count or a revision differs", () => {
    const changes = [
      { observedGeneration: 0 },
      { replicas: 1 },
      { readyReplicas: 1 },
      { availableReplicas: 1 },
      { currentReplicas: 1 },
      { updatedReplicas: 1 },
      { currentRevision: "other" },
      { updateRevision: "other" },
    ];
    for (const change of changes)
      expect({ change, is: isInconsistent(having(change), status) }).toEqual({ change, is: true });
  });

  test("not for a zero that the server omits", () => {
    const none = statusFor(set, { replicas: 0, readyReplicas: 0, availableReplicas: 0, updatedReplicas: 0 });
    const { readyReplicas: _, updatedReplicas: __, ...bare } = none;
    expect(isInconsistent({ ...set, status: { ...bare, replicas: 0 } }, none)).toBe(false);
  });
});
