import { beforeEach, describe, expect, test } from "bun:test";
import { Deployments, ReplicaSets } from "../../../src/api/kinds.ts";
import type { ReplicaSet } from "../../../src/api/types.ts";
import {
  annotationsAfterRollback,
  newReplicaSetAnnotations,
  hasOtherSizes,
} from "../../../src/controllers/deployment/annotations.ts";
import { deployment } from "../../../src/controllers/deployment/deployment.ts";
import { rejection } from "../../support/rejection.ts";
import { refusal, type Scene, syncScene } from "../../support/sync-context.ts";
import { completeStatus, deploymentOf, setOf } from "./objects.ts";

const key = "shop/web";
let scene: Scene;
beforeEach(() => {
  scene = syncScene(deployment);
});

const empty = (name: string, revision: string, parts: Parameters<typeof setOf>[1] = {}): ReplicaSet =>
  setOf(name, { size: 0, revision, image: `web:of-${name}`, hoursOld: 20 - Number(revision), ...parts });

async function deleted(limit: number, sets: readonly ReplicaSet[], status = completeStatus(3)): Promise<string[]> {
  const annotations = { "deployment.kubernetes.io/revision": "9" };
  scene.put(Deployments, deploymentOf({ annotations, status, spec: { revisionHistoryLimit: limit } }));
  scene.put(ReplicaSets, setOf("new", { image: "web:2", revision: "9" }), ...sets);
  await scene.sync(key);
  return scene.calls.filter(({ verb }) => verb === "delete").map(({ name }) => name);
}

describe("of the old ReplicaSets of a complete Deployment", () => {
  const three = [empty("a", "1"), empty("b", "2"), empty("c", "3")];
  const rows = [
    { name: "those with the lowest revisions are deleted", limit: 1, sets: three, gone: ["a", "b"] },
    { name: "all are deleted with a limit of 0", limit: 0, sets: three, gone: ["a", "b", "c"] },
    { name: "none is deleted within the limit", limit: 3, sets: three, gone: [] },
    { name: "none is deleted with the maximum, which means no limit", limit: 2_147_483_647, sets: three, gone: [] },
    {
      name: "revisions decide, not age",
      limit: 1,
      sets: [empty("x", "5", { hoursOld: 9 }), empty("y", "4", { hoursOld: 1 })],
      gone: ["y"],
    },
    {
      name: "age decides between equal revisions",
      limit: 1,
      sets: [empty("x", "4", { hoursOld: 1 }), empty("y", "4", { hoursOld: 9 })],
      gone: ["y"],
    },
    {
      name: "one with pods in its status is kept, and no other is deleted instead",
      limit: 1,
      sets: [empty("x", "1", { has: 1 }), empty("y", "2")],
      gone: [],
    },
    {
      name: "one whose last change was not observed yet is kept",
      limit: 0,
      sets: [empty("x", "1", { meta: { generation: 2 } })],
      gone: [],
    },
    {
      name: "one that is being deleted is neither counted nor deleted",
      limit: 1,
      sets: [empty("x", "1", { meta: { deletionTimestamp: "2026-11-21T09:59:00Z" } }), empty("y", "2")],
      gone: [],
    },
  ];
  for (const { name, limit, sets, gone } of rows) {
    test(name, async () => expect(await deleted(limit, sets)).toEqual(gone));
  }

  test("none is deleted before the rollout is complete", async () => {
    expect(await deleted(0, three, { ...completeStatus(3), availableReplicas: 2 })).toEqual([]);
  });

  test("a deleted one is not a failure, another refusal is", async () => {
    scene.refuse = ({ name }) => (name === "a" ? refusal(404, "NotFound", "gone") : undefined);
    expect(await deleted(1, three)).toEqual(["a", "b"]);
    scene = syncScene(deployment);
    scene.refuse = ({ name }) => (name === "a" ? refusal(403, "Forbidden", "no") : undefined);
    expect(await rejection(deleted(1, three))).toMatchObject({ reason: "Forbidden" });
  });

  test("each deletion has a decision", async () => {
    await deleted(2, three);
    expect(scene.decisions[0]?.sentence).toBe("3 old ReplicaSets and revisionHistoryLimit 2 → delete a (revision 1)");
  });
});

describe("the annotations of a new ReplicaSet", () => {
  const lastApplied = "kubectl.kubernetes.io/last-applied-configuration";
  const revision = "deployment.kubernetes.io/revision";
  const rows = [
    {
      name: "are the Deployment's, except its private ones",
      own: { a: "1", [lastApplied]: "{}", [revision]: "8" },
      had: undefined,
      is: { a: "1", [revision]: "3" },
      changed: true,
    },
    {
      name: "are not removed if the Deployment lost them",
      own: {},
      had: { a: "1", [revision]: "3" },
      is: { a: "1", [revision]: "3" },
      changed: false,
    },
    {
      name: "keep a revision that is high enough",
      own: {},
      had: { [revision]: "7" },
      is: { [revision]: "7" },
      changed: false,
    },
    {
      name: "follow the Deployment's",
      own: { a: "2" },
      had: { a: "1", [revision]: "3" },
      is: { a: "2", [revision]: "3" },
      changed: true,
    },
    {
      name: "with a revision that is not a number are not written",
      own: { a: "2" },
      had: { [revision]: "x" },
      is: { a: "2", [revision]: "x" },
      changed: false,
    },
    {
      name: "keep an older revision in the history",
      own: {},
      had: { [revision]: "2", "deployment.kubernetes.io/revision-history": "1" },
      is: { [revision]: "3", "deployment.kubernetes.io/revision-history": "1,2" },
      changed: true,
    },
  ];
  for (const { name, own, had, is, changed } of rows) {
    test(name, () => {
      expect(newReplicaSetAnnotations(deploymentOf({ annotations: own }), had, 3n)).toEqual({
        annotations: is,
        changed,
      });
    });
  }

  test("are copied back to the Deployment by a rollback, except private ones", () => {
    const owner = deploymentOf({ annotations: { a: "now", [lastApplied]: "{}", [revision]: "8" } });
    expect(annotationsAfterRollback(owner, setOf("old", { annotations: { a: "then", b: "1" } }))).toEqual({
      [lastApplied]: "{}",
      [revision]: "8",
      a: "then",
      b: "1",
    });
  });

  test("with sizes change by a scaling and by another surge", () => {
    const set = setOf("x", { desired: 3, most: 4 });
    expect(hasOtherSizes(set, deploymentOf())).toBe(false);
    expect(hasOtherSizes(set, deploymentOf({ replicas: 4 }))).toBe(true);
    expect(hasOtherSizes(set, deploymentOf({ strategy: [2, 0] }))).toBe(true);
    expect(hasOtherSizes(setOf("x", { desired: null, most: null }), deploymentOf())).toBe(true);
  });
});
