import { beforeEach, describe, expect, test } from "bun:test";
import { Deployments, ReplicaSets } from "../../../src/api/kinds.ts";
import type { Deployment, ReplicaSet } from "../../../src/api/types.ts";
import { podTemplateHash } from "../../../src/controller/workload/pod-template/hash.ts";
import { deployment } from "../../../src/controllers/deployment/deployment.ts";
import { rejection } from "../../support/rejection.ts";
import { refusal, type Scene, sceneStart, syncScene } from "../../support/sync-context.ts";
import { available, completeStatus, condition, deploymentOf, setOf, templateOf } from "./objects.ts";

const key = "shop/web";
let scene: Scene;
beforeEach(() => {
  scene = syncScene(deployment);
});

const calls = (): string[] => scene.calls.map(({ verb, kind, name }) => `${verb} ${kind} ${name}`);
const rulesOf = (): (string | undefined)[] => scene.calls.map(({ because }) => because?.rule);
const writtenStatus = (): Deployment["status"] =>
  (scene.calls.findLast(({ verb }) => verb === "updateStatus")?.body as Deployment | undefined)?.status;
const progressing = (): object | undefined => writtenStatus()?.conditions?.find(({ type }) => type === "Progressing");
const fresh = deploymentOf({ annotations: {}, status: {} });
const hash = podTemplateHash(templateOf("web:2"));

describe("a Deployment without a ReplicaSet", () => {
  test("gets one with its hash, and records it", async () => {
    const annotations = { note: "1", "kubectl.kubernetes.io/last-applied-configuration": "{}" };
    scene.put(Deployments, deploymentOf({ replicas: 3, annotations, status: {}, spec: { minReadySeconds: 7 } }));
    await rejection(scene.sync(key));
    const [created] = scene.live(ReplicaSets);
    const labels = { app: "web", "pod-template-hash": hash };
    expect(created?.metadata).toMatchObject({
      name: `web-${hash}`,
      labels,
      annotations: {
        note: "1",
        "deployment.kubernetes.io/revision": "1",
        "deployment.kubernetes.io/desired-replicas": "3",
        "deployment.kubernetes.io/max-replicas": "4",
      },
    });
    expect(created?.metadata.ownerReferences).toMatchObject([{ kind: "Deployment", uid: "uid-web", controller: true }]);
    expect(created?.spec).toMatchObject({
      replicas: 3,
      minReadySeconds: 7,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [{ name: "web", image: "web:2" }] } },
    });
    expect(scene.events).toMatchObject([
      {
        reason: "ScalingReplicaSet",
        message: `Scaled up replica set web-${hash} from 0 to 3`,
        about: "Deployment web",
      },
    ]);
    expect(scene.decisions[0]?.sentence).toBe(
      `it has no ReplicaSet yet → create web-${hash} as revision 1, with 3 of 3 pods`,
    );
  });

  test("is written twice in one sync, the second time unsuccessfully: the next one continues from there", async () => {
    scene.put(Deployments, fresh);
    const error = await rejection(scene.sync(key));
    expect(error).toMatchObject({ reason: "Conflict" });
    expect(calls()).toEqual([
      `create ReplicaSet web-${hash}`,
      "updateStatus Deployment web",
      "updateStatus Deployment web",
    ]);
    expect(rulesOf()).toEqual(["new-replicaset", "new-replicaset", "status"]);
    const [live] = scene.live(Deployments);
    expect(live?.metadata.annotations).toEqual({ "deployment.kubernetes.io/revision": "1" });
    expect(live?.status?.conditions).toMatchObject([
      {
        type: "Progressing",
        status: "True",
        reason: "NewReplicaSetCreated",
        message: `Created new replica set "web-${hash}"`,
      },
    ]);
    scene.deliver();
    await scene.sync(key);
    expect(calls()).toEqual(["updateStatus Deployment web"]);
  });

  test("with 0 replicas gets one of 0, without an Event", async () => {
    scene.put(Deployments, deploymentOf({ replicas: 0, annotations: {}, status: {} }));
    await rejection(scene.sync(key));
    expect(scene.live(ReplicaSets)[0]?.spec?.replicas).toBe(0);
    expect(scene.events).toEqual([]);
  });

  test("records which fields of the template changed", async () => {
    scene.put(Deployments, deploymentOf());
    scene.put(ReplicaSets, setOf("old"));
    await rejection(scene.sync(key));
    expect(scene.decisions[0]?.sentence).toBe(
      `the template changed at .spec.template.spec.containers[web].image → create web-${hash} as revision 2, with 1 of 3 pods (maxSurge 25% → 1)`,
    );
  });
});

describe("the name of a new ReplicaSet", () => {
  const put = (existing: ReplicaSet, collisionCount?: number): void => {
    scene.put(
      Deployments,
      deploymentOf({ annotations: {}, status: { ...(collisionCount !== undefined && { collisionCount }) } }),
    );
    scene.put(ReplicaSets, existing);
    scene.refuse = ({ verb }) => (verb === "create" ? refusal(409, "AlreadyExists", "exists") : undefined);
  };

  test("that another owner has taken counts as a collision", async () => {
    put(setOf(`web-${hash}`, { image: "web:9", owner: deploymentOf({ meta: { uid: "uid-other" } }) }));
    expect(await rejection(scene.sync(key))).toMatchObject({ reason: "AlreadyExists" });
    expect(writtenStatus()?.collisionCount).toBe(1);
    expect(scene.decisions.at(-1)?.sentence).toBe(
      `web-${hash} exists, with another owner or template → collisionCount none → 1, so the next name differs`,
    );
    expect(scene.events).toEqual([]);
  });

  test("depends on the collisions counted so far", async () => {
    const other = podTemplateHash(templateOf("web:2"), { collisionCount: 4 });
    put(setOf(`web-${other}`, { image: "web:9" }), 4);
    await rejection(scene.sync(key));
    expect(scene.calls[0]?.name).toBe(`web-${other}`);
    expect(writtenStatus()?.collisionCount).toBe(5);
  });

  test("that it already owns, with the same template, is not a collision", async () => {
    // The cache is behind: the sync's list does not contain the ReplicaSet yet, but the later lookup after the conflict does.
    const mine = setOf(`web-${hash}`, { image: "web:2" });
    scene.put(Deployments, fresh);
    scene.refuse = ({ verb }) => {
      if (verb !== "create") return undefined;
      scene.put(ReplicaSets, mine);
      return refusal(409, "AlreadyExists", "exists");
    };
    await rejection(scene.sync(key));
    expect(writtenStatus()?.collisionCount).toBeUndefined();
    expect(scene.live(Deployments)[0]?.metadata.annotations).toEqual({ "deployment.kubernetes.io/revision": "1" });
    expect(scene.events).toEqual([]);
  });

  test("that exists on the server but not in the cache is tried again later", async () => {
    scene.put(Deployments, fresh);
    scene.refuse = ({ verb }) => (verb === "create" ? refusal(409, "AlreadyExists", "exists") : undefined);
    expect(await rejection(scene.sync(key))).toMatchObject({ name: "CacheBehindError" });
    expect(calls()).toEqual([`create ReplicaSet web-${hash}`]);
  });

  test("of a Deployment with a long name has room for the hash", async () => {
    const name = "w".repeat(253);
    scene.put(Deployments, deploymentOf({ annotations: {}, status: {}, meta: { name } }));
    await rejection(scene.sync(`shop/${name}`));
    expect(scene.calls[0]?.name).toBe(`${"w".repeat(253 - 1 - hash.length)}-${hash}`);
  });
});

describe("a new ReplicaSet that is refused", () => {
  const refuse = (error: Error): void => {
    scene.refuse = ({ verb }) => (verb === "create" ? error : undefined);
  };

  test("is reported in Progressing and in an Event", async () => {
    scene.put(Deployments, fresh);
    refuse(refusal(403, "Forbidden", "exceeded quota"));
    await rejection(scene.sync(key));
    const message = `Failed to create new replica set "web-${hash}": exceeded quota`;
    expect(progressing()).toMatchObject({ status: "False", reason: "ReplicaSetCreateError", message });
    expect(scene.events).toMatchObject([{ type: "Warning", reason: "ReplicaSetCreateError", message }]);
  });

  test("without a deadline is reported only in an Event", async () => {
    scene.put(
      Deployments,
      deploymentOf({ annotations: {}, status: {}, spec: { progressDeadlineSeconds: 2_147_483_647 } }),
    );
    refuse(refusal(403, "Forbidden", "exceeded quota"));
    await rejection(scene.sync(key));
    expect(calls()).toEqual([`create ReplicaSet web-${hash}`]);
    expect(scene.events).toHaveLength(1);
  });

  test("because its namespace is being deleted is neither reported nor retried", async () => {
    scene.put(Deployments, fresh);
    refuse(refusal(403, "Forbidden", "namespace shop is being terminated", "NamespaceTerminating"));
    await scene.sync(key);
    expect(calls()).toEqual([`create ReplicaSet web-${hash}`]);
    expect(scene.events).toEqual([]);
    expect(scene.decisions.at(-1)?.rule).toBe("namespace-ending");
  });
});

describe("the new ReplicaSet", () => {
  test("gets a revision above those of all others, and keeps its previous one in its history", async () => {
    scene.put(Deployments, deploymentOf());
    scene.put(
      ReplicaSets,
      setOf("new", { image: "web:2", revision: "1", hoursOld: 5 }),
      setOf("old", { revision: "4" }),
    );
    // Written once while checking for a scaling event, and again for the rollout with the cached resourceVersion, which conflicts.
    expect(await rejection(scene.sync(key))).toMatchObject({ reason: "Conflict" });
    expect(calls()).toEqual(["update ReplicaSet new", "update ReplicaSet new"]);
    const found = scene.live(ReplicaSets).find(({ metadata }) => metadata.name === "new");
    expect(found?.metadata.annotations).toMatchObject({
      "deployment.kubernetes.io/revision": "5",
      "deployment.kubernetes.io/revision-history": "1",
    });
    expect(scene.decisions[0]?.sentence).toBe("new has the Deployment's template → revision 1 → 5");
  });

  test("copies minReadySeconds and annotations", async () => {
    const annotations = { "deployment.kubernetes.io/revision": "2", note: "1" };
    scene.put(Deployments, deploymentOf({ annotations, spec: { minReadySeconds: 9 } }));
    scene.put(ReplicaSets, setOf("new", { image: "web:2" }));
    await rejection(scene.sync(key));
    expect(scene.live(ReplicaSets)[0]?.spec?.minReadySeconds).toBe(9);
    expect(scene.decisions[0]?.sentence).toBe(
      "new has the Deployment's template → annotations note, minReadySeconds 9",
    );
  });

  test("copies its revision to the Deployment, and the condition if progress was not reported yet", async () => {
    scene.put(Deployments, deploymentOf({ annotations: {}, status: { conditions: [available] } }));
    scene.put(ReplicaSets, setOf("new", { image: "web:2" }));
    await rejection(scene.sync(key));
    expect(rulesOf()[0]).toBe("deployment-revision");
    expect(scene.live(Deployments)[0]?.metadata.annotations).toEqual({ "deployment.kubernetes.io/revision": "2" });
    expect(scene.live(Deployments)[0]?.status?.conditions?.at(-1)).toMatchObject({ reason: "FoundNewReplicaSet" });
  });

  test("whose revision is not a number is left alone", async () => {
    scene.put(
      Deployments,
      deploymentOf({ annotations: { "deployment.kubernetes.io/revision": "x", note: "1" }, status: completeStatus(3) }),
    );
    scene.put(ReplicaSets, setOf("new", { image: "web:2", revision: "x" }));
    await scene.sync(key);
    expect(calls()).toEqual([]);
  });
});

describe("a sync", () => {
  test("of a deleted Deployment does nothing", async () => {
    await scene.sync("shop/gone");
    expect(scene.calls).toEqual([]);
  });

  test("of one that is being deleted only updates its status", async () => {
    scene.put(Deployments, deploymentOf({ image: "web:3", meta: { deletionTimestamp: "2026-11-21T09:59:00Z" } }));
    scene.put(ReplicaSets, setOf("old"), setOf("orphan", { owner: "none" }));
    await scene.sync(key);
    expect(calls()).toEqual(["updateStatus Deployment web"]);
    expect(writtenStatus()?.replicas).toBe(3);
  });

  test("adopts nothing for one that is being deleted on the server but not in the cache", async () => {
    scene.put(Deployments, deploymentOf());
    scene.putLive(Deployments, deploymentOf({ meta: { deletionTimestamp: "2026-11-21T09:59:00Z" } }));
    scene.put(ReplicaSets, setOf("orphan", { owner: "none" }));
    await rejection(scene.sync(key));
    expect(calls()).toEqual(["get Deployment web"]);
  });

  test("first adopts matching orphans and releases objects that no longer match", async () => {
    scene.put(Deployments, deploymentOf({ status: completeStatus(3) }));
    scene.put(
      ReplicaSets,
      setOf("orphan", { image: "web:2", owner: "none" }),
      setOf("aside", { meta: { labels: { app: "aside" } } }),
      setOf("theirs", { owner: deploymentOf({ meta: { uid: "uid-other", name: "other" } }) }),
    );
    await scene.sync(key);
    expect(rulesOf().filter((rule) => rule !== undefined)).toEqual(["release", "adopt"]);
  });

  test("of one that selects everything records an Event and ends", async () => {
    scene.put(Deployments, deploymentOf({ meta: { generation: 2 }, spec: { selector: {} } }));
    await scene.sync(key);
    expect(scene.events).toMatchObject([{ type: "Warning", reason: "SelectingAll" }]);
    expect(calls()).toEqual(["updateStatus Deployment web"]);
    expect(writtenStatus()?.observedGeneration).toBe(2);
  });

  test("of one with an unknown strategy fails", async () => {
    scene.put(Deployments, deploymentOf({ status: completeStatus(3), spec: { strategy: { type: "Odd" } } }));
    scene.put(ReplicaSets, setOf("new", { image: "web:2" }));
    expect((await rejection(scene.sync(key))).message).toContain("unexpected deployment strategy type: Odd");
  });
});

describe("a pause", () => {
  const status = (reason: string): NonNullable<Deployment["status"]> => ({
    ...completeStatus(3),
    conditions: [available, condition("Progressing", "True", reason)],
  });
  const rows = [
    { name: "is reported", paused: true, had: "ReplicaSetUpdated", reported: "DeploymentPaused" },
    { name: "is reported once", paused: true, had: "DeploymentPaused", reported: undefined },
    { name: "is reported when it ends", paused: false, had: "DeploymentPaused", reported: "DeploymentResumed" },
    {
      name: "is not reported after a passed deadline",
      paused: true,
      had: "ProgressDeadlineExceeded",
      reported: undefined,
    },
  ];
  for (const { name, paused, had, reported } of rows) {
    test(name, async () => {
      scene.put(Deployments, deploymentOf({ spec: { paused }, status: status(had) }));
      scene.put(ReplicaSets, setOf("new", { image: "web:2" }));
      await scene.sync(key).catch(() => undefined);
      const pauses = scene.calls.filter(({ because }) => because?.rule === "pause");
      expect(pauses).toHaveLength(reported === undefined ? 0 : 1);
      if (reported === undefined) return;
      expect(scene.live(Deployments)[0]?.status?.conditions?.find(({ type }) => type === "Progressing")).toMatchObject({
        status: "Unknown",
        reason: reported,
      });
    });
  }

  test("creates no ReplicaSet for another template", async () => {
    scene.put(Deployments, deploymentOf({ spec: { paused: true }, status: status("DeploymentPaused") }));
    scene.put(ReplicaSets, setOf("old"));
    await scene.sync(key);
    expect(scene.calls.filter(({ verb }) => verb === "create")).toEqual([]);
  });

  test("without a deadline is not reported", async () => {
    const spec = { paused: true, progressDeadlineSeconds: 2_147_483_647 };
    scene.put(Deployments, deploymentOf({ spec, status: completeStatus(3) }));
    scene.put(ReplicaSets, setOf("new", { image: "web:2" }));
    await scene.sync(key);
    expect(calls()).toEqual([]);
  });
});

describe("the rollback annotation", () => {
  const wish = (revision: string, image = "web:2"): Deployment =>
    deploymentOf({
      image,
      annotations: {
        "deployment.kubernetes.io/revision": "2",
        "deprecated.deployment.rollback.to": revision,
        cause: "second",
      },
      status: completeStatus(3),
    });
  const sets = [
    setOf("new", { image: "web:2", annotations: { cause: "second" } }),
    setOf("old", { size: 0, hoursOld: 2, annotations: { cause: "first" } }),
  ];

  const rows = [
    {
      name: "restores the template and the annotations of a revision",
      revision: "1",
      image: "web:1",
      cause: "first",
      reason: "DeploymentRollback",
      message: 'Rolled back deployment "web" to revision 1',
    },
    {
      name: "of 0 means the previous revision",
      revision: "0",
      image: "web:1",
      cause: "first",
      reason: "DeploymentRollback",
      message: 'Rolled back deployment "web" to revision 1',
    },
    {
      name: "to the current template changes nothing",
      revision: "2",
      image: "web:2",
      cause: "second",
      reason: "DeploymentRollbackTemplateUnchanged",
      message: 'The rollback revision contains the same template as current deployment "web"',
    },
    {
      name: "to a missing revision is removed",
      revision: "7",
      image: "web:2",
      cause: "second",
      reason: "DeploymentRollbackRevisionNotFound",
      message: "Unable to find the revision to rollback to.",
    },
  ];
  for (const { name, revision, image, cause, reason, message } of rows) {
    test(name, async () => {
      scene.put(Deployments, wish(revision));
      scene.put(ReplicaSets, ...sets);
      await scene.sync(key);
      expect(calls()).toEqual(["update Deployment web"]);
      const [live] = scene.live(Deployments);
      expect(live?.spec?.template.spec?.containers[0]?.image).toBe(image);
      expect(live?.spec?.template.metadata?.labels).toEqual({ app: "web" });
      expect(live?.metadata.annotations).toEqual({ "deployment.kubernetes.io/revision": "2", cause });
      expect(scene.events).toMatchObject([{ reason, message }]);
    });
  }

  test("of 0 without an earlier revision is removed", async () => {
    scene.put(Deployments, wish("0"));
    scene.put(ReplicaSets, sets[0] as ReplicaSet);
    await scene.sync(key);
    expect(scene.events).toMatchObject([{ type: "Warning", message: "Unable to find last revision." }]);
    expect(scene.live(Deployments)[0]?.metadata.annotations).not.toContainKey("deprecated.deployment.rollback.to");
  });

  test("is processed before anything else is scaled", async () => {
    scene.put(Deployments, { ...wish("1"), spec: { ...wish("1").spec, replicas: 9 } } as Deployment);
    scene.put(ReplicaSets, ...sets);
    await scene.sync(key);
    expect(calls()).toEqual(["update Deployment web"]);
  });

  test("is left alone during a pause, and if it is not a number", async () => {
    for (const [revision, paused] of [
      ["1", true],
      ["soon", false],
    ] as const) {
      scene = syncScene(deployment);
      const desired = wish(revision);
      const status = {
        ...completeStatus(3),
        conditions: [
          available,
          condition("Progressing", "Unknown", paused ? "DeploymentPaused" : "NewReplicaSetAvailable"),
        ],
      };
      scene.put(Deployments, { ...desired, status, spec: { ...desired.spec, paused } } as Deployment);
      scene.put(ReplicaSets, ...sets);
      await scene.sync(key);
      expect(scene.calls.filter(({ verb }) => verb === "update")).toEqual([]);
    }
  });
});

test("conditions have the scene's time", async () => {
  scene.put(Deployments, fresh);
  await rejection(scene.sync(key));
  expect(progressing()).toMatchObject({ lastUpdateTime: new Date(sceneStart).toISOString().replace(".000", "") });
});
