import { beforeEach, describe, expect, test } from "bun:test";
import { Jobs, Pods } from "../../../src/api/kinds.ts";
import { formatTime } from "../../../src/api/time.ts";
import type { Job, Pod } from "../../../src/api/types.ts";
import { objectOf } from "../../../src/controller/api/definition.ts";
import { job as jobController } from "../../../src/controllers/job/job.ts";
import { backOff, scaleDown, scaleUp, steady, suspendPods } from "../../../src/controllers/job/pod-rules.ts";
import { end, status, untrack } from "../../../src/controllers/job/rules.ts";
import { rejection } from "../../support/rejection.ts";
import { refusal, type Scene, sceneStart, syncScene } from "../../support/sync-context.ts";
import { jobOf, podOf } from "./objects.ts";

describe("the definitions", () => {
  test("use no more than the permissions of upstream's role", () => {
    const requested = jobController.permissions.map(
      ({ group, resource, verbs }) => `${[...verbs].sort().join(",")} ${group} ${resource}`,
    );
    expect(requested).toEqual([
      "get batch jobs",
      "update batch jobs/status",
      "update batch jobs/finalizers",
      "create,delete,patch  pods",
    ]);
  });

  test("have upstream's names, workers and retry delays", () => {
    expect([jobController.name, jobController.component]).toEqual(["job", "job-controller"]);
    expect(jobController.aliases).toContain("job-controller");
    expect(jobController.workers).toBe(5);
    const limiter = jobController.retry?.rateLimiter?.(() => 0);
    const delays = Array.from({ length: 8 }, () => limiter?.when("shop/data"));
    expect(delays).toEqual([1, 2, 4, 8, 16, 32, 60, 60].map((seconds) => seconds * 1000));
  });

  test("a Job is unsynced until its first status is written, unless another controller manages it", () => {
    const undone = (job: Job): boolean | undefined => jobController.isLeftUndone?.(job);
    expect(undone(jobOf())).toBe(true);
    expect(undone(jobOf({ spec: { managedBy: "example.com/queue" } }))).toBe(false);
    expect(undone(jobOf({ status: { uncountedTerminatedPods: {} } }))).toBe(false);
  });
});

describe("a sync", () => {
  const key = "shop/data";
  const finishedBy = (type: string): Job => jobOf({ status: { conditions: [{ type, status: "True" }] } });

  for (const type of ["Complete", "Failed"]) {
    test(`of a Job that is ${type} does nothing, whatever is missing`, async () => {
      const scene = syncScene(jobController);
      scene.put(Jobs, finishedBy(type));
      await scene.sync(key);
      expect(scene.calls).toEqual([]);
      expect(scene.decisions.map(({ sentence }) => sentence)).toEqual(["it is finished → nothing to do"]);
    });
  }

  test("of an unknown completion mode reports it, and does nothing", async () => {
    const scene = syncScene(jobController);
    scene.put(Jobs, jobOf({ spec: { completionMode: "Sorted" } }));
    await scene.sync(key);
    expect(scene.calls).toEqual([]);
    expect(scene.events).toMatchObject([
      {
        type: "Warning",
        reason: "UnknownCompletionMode",
        message: "Skipped Job sync because completion mode is unknown",
      },
    ]);
  });

  test("of a deleted Job forgets its expectations", async () => {
    const scene = syncScene(jobController);
    scene.expectations.expectCreations(key, 2);
    scene.expectations.expectUpdates(key, ["uid-a"]);
    await scene.sync(key);
    expect([scene.expectations.satisfied(key), scene.expectations.updatesOf(key).size]).toEqual([true, 0]);
  });

  test("waits for its own creations, and is repeated without creating more", async () => {
    const scene = syncScene(jobController);
    scene.put(Jobs, jobOf({ status: { active: 0, ready: 0, terminating: 0, uncountedTerminatedPods: {} } }));
    scene.expectations.expectCreations(key, 1);
    await scene.sync(key);
    expect(scene.calls).toEqual([]);
    expect(scene.decisions.map(({ sentence }) => sentence)).toEqual(["1 created not observed yet → wait"]);
  });
});

describe("a Job that fails", () => {
  const key = "shop/data";
  const calls = (scene: Scene): string[] => scene.calls.map(({ verb, name }) => `${verb} ${name}`);
  const statusOf = (scene: Scene): Job["status"] => scene.live(Jobs)[0]?.status;

  test("is not reported as failed before all creations are observed; its pods are still counted", async () => {
    const scene = syncScene(jobController);
    scene.put(Jobs, jobOf({ spec: { backoffLimit: 0, parallelism: 2 } }));
    scene.put(Pods, podOf("bad", { phase: "Failed", endedMs: 0 }), podOf("good"));
    scene.expectations.expectCreations(key, 1);
    await scene.sync(key);
    expect(calls(scene)).toEqual(["delete good", "updateStatus data", "patch bad", "updateStatus data"]);
    expect(statusOf(scene)).toMatchObject({ failed: 1, terminating: 1 });
    expect(statusOf(scene)).not.toHaveProperty("conditions");
  });

  test("counts a pod that is already gone as deleted", async () => {
    const scene = syncScene(jobController);
    scene.put(Jobs, jobOf({ spec: { backoffLimit: 0, parallelism: 2 } }));
    scene.put(Pods, podOf("bad", { phase: "Failed", endedMs: 0 }), podOf("good"));
    scene.refuse = ({ verb }) => (verb === "delete" ? refusal(404, "NotFound", "gone") : undefined);
    await scene.sync(key);
    expect(statusOf(scene)?.conditions).toMatchObject([{ type: "FailureTarget", reason: "BackoffLimitExceeded" }]);
    // The pod that was terminating at the start of the sync keeps the Job from being finished.
    expect(statusOf(scene)).toMatchObject({ failed: 2, terminating: 1, uncountedTerminatedPods: {} });
  });
});

describe("a suspended Job whose ready pod cannot be deleted", () => {
  test.each([
    ["DELETE is refused", "delete", { active: 1, ready: 0 }],
    ["patch is refused, so that no DELETE is sent", "patch", { active: 1, ready: 1 }],
  ] as const)("as upstream, counts it as ready if its %s", async (_, refused, counts) => {
    const scene = syncScene(jobController);
    const spec = { suspend: refused === "delete", parallelism: refused === "delete" ? 1 : 0, completions: undefined };
    scene.put(Jobs, jobOf({ spec, status: { startTime: formatTime(sceneStart) } }));
    scene.put(Pods, podOf("a", { status: { conditions: [{ type: "Ready", status: "True" }] } }));
    scene.refuse = ({ verb }) => (verb === refused ? refusal(500, "InternalError", "no") : undefined);
    expect((await rejection(scene.sync("shop/data"))).message).toEndWith("no");
    expect(scene.live(Jobs)[0]?.status).toMatchObject(counts);
  });
});

describe("the key of an orphan", () => {
  const synced = async (pod: Pod): Promise<string[]> => {
    const scene = syncScene(jobController);
    scene.put(Pods, pod);
    await scene.sync("shop/pod:a");
    return scene.decisions.map(({ sentence }) => sentence);
  };
  const ownedBy = (apiVersion: string, kind: string): object => ({
    ownerReferences: [{ apiVersion, kind, name: "data", uid: "uid-data", controller: true }],
  });
  const rows: readonly { says: string; pod: Pod; does: readonly string[] }[] = [
    {
      says: "without a controller",
      pod: podOf("a", { meta: { ownerReferences: [] } }),
      does: ["no controller → remove its finalizer"],
    },
    { says: "whose Job was deleted", pod: podOf("a"), does: ["its Job is gone → remove its finalizer"] },
    { says: "without the finalizer", pod: podOf("a", { tracked: false }), does: [] },
    { says: "of another kind's object", pod: podOf("a", { meta: ownedBy("batch/v1", "Batch") }), does: [] },
    { says: "of another group's Job", pod: podOf("a", { meta: ownedBy("example.com/v1", "Job") }), does: [] },
    { says: "that was deleted", pod: podOf("b"), does: [] },
  ];
  for (const { says, pod, does } of rows) {
    test(`of a pod ${says}: ${does[0] ?? "nothing"}`, async () => expect(await synced(pod)).toEqual([...does]));
  }
});

describe("a notification", () => {
  let scene: Scene;
  beforeEach(() => {
    scene = syncScene(jobController);
    scene.put(Jobs, jobOf());
  });
  const woken = (): string[] => [
    ...scene.woken.map((key) => `${key} now`),
    ...scene.wokenLater.map(({ key, ms }) => `${key} in ${ms} ms`),
  ];
  const jobAt = (generation: number, status: Job["status"] = {}): Job => jobOf({ meta: { generation }, status });

  test("of a new or deleted Job leads to a sync at once", () => {
    scene.notify(Jobs, { type: "added", object: jobOf(), initial: false });
    scene.notify(Jobs, { type: "deleted", object: jobOf(), tombstone: false });
    expect(woken()).toEqual(["shop/data now", "shop/data now"]);
  });

  test("of a changed spec at once, of a changed status after a second, of a finished Job never", () => {
    scene.notify(Jobs, { type: "updated", before: jobAt(1), object: jobAt(2) });
    scene.notify(Jobs, { type: "updated", before: jobAt(1), object: jobAt(1, { active: 1 }) });
    const complete = { conditions: [{ type: "Complete", status: "True" }] };
    scene.notify(Jobs, { type: "updated", before: jobAt(1), object: jobAt(1, complete) });
    expect(woken()).toEqual(["shop/data now", "shop/data in 1000 ms"]);
  });

  test("of a pod after a second, whatever happens to it", () => {
    const pod = podOf("a");
    const changed: Pod = { ...pod, metadata: { ...pod.metadata, resourceVersion: "11" } };
    scene.notify(Pods, { type: "added", object: pod, initial: false });
    scene.notify(Pods, { type: "updated", before: pod, object: changed });
    scene.notify(Pods, { type: "deleted", object: pod, tombstone: false });
    scene.notify(Pods, { type: "updated", before: pod, object: pod });
    const orphan = podOf("b", { tracked: false, meta: { ownerReferences: [] } });
    scene.notify(Pods, { type: "added", object: orphan, initial: false });
    expect(woken()).toEqual(Array.from({ length: 4 }, () => "shop/data in 1000 ms"));
  });

  test("of an orphan with a finalizer leads to a separate sync, for the pod", () => {
    const orphan = podOf("b", { meta: { ownerReferences: [], labels: {} } });
    scene.notify(Pods, { type: "added", object: orphan, initial: false });
    expect(woken()).toEqual(["shop/pod:b now"]);
    expect(objectOf(jobController, "shop/pod:b")).toEqual({ kind: "Pod", key: "shop/b" });
    expect(objectOf(jobController, "shop/data")).toEqual({ kind: "Job", key: "shop/data" });
  });

  test("of a pod that is being deleted and whose Job is gone leads to a separate sync, too", () => {
    const stray = {
      ownerReferences: [{ apiVersion: "batch/v1", kind: "Job", name: "gone", uid: "1", controller: true }],
    };
    scene.notify(Pods, { type: "added", object: podOf("a", { meta: stray }), initial: false });
    expect(woken()).toEqual([]);
    scene.notify(Pods, { type: "added", object: podOf("a", { deleted: true, meta: stray }), initial: false });
    scene.notify(Pods, { type: "added", object: podOf("b", { deleted: true }), initial: false });
    expect(woken()).toEqual(["shop/pod:a now", "shop/data in 1000 ms"]);
  });

  test("of a resync of an orphan, and of a deleted one, leads to none", () => {
    const orphan = podOf("b", { meta: { ownerReferences: [], labels: {} } });
    const changed: Pod = { ...orphan, metadata: { ...orphan.metadata, resourceVersion: "11" } };
    scene.notify(Pods, { type: "updated", before: orphan, object: orphan });
    scene.notify(Pods, { type: "deleted", object: orphan, tombstone: false });
    expect(woken()).toEqual([]);
    scene.notify(Pods, { type: "updated", before: orphan, object: changed });
    expect(woken()).toEqual(["shop/pod:b now"]);
  });

  test("of a pod without its finalizer satisfies the expectation", () => {
    const key = "shop/data";
    const [bare, kept] = [podOf("a", { tracked: false }), podOf("b")];
    const expect3 = (): void => scene.expectations.expectUpdates(key, ["uid-a", "uid-b", "uid-c"]);
    const left = (): string[] => [...scene.expectations.updatesOf(key)];
    const newer = (pod: Pod): Pod => ({ ...pod, metadata: { ...pod.metadata, resourceVersion: "11" } });
    expect3();
    scene.notify(Pods, { type: "updated", before: bare, object: newer(bare) });
    scene.notify(Pods, { type: "updated", before: kept, object: newer(kept) });
    expect(left()).toEqual(["uid-b", "uid-c"]);
    const leaving = podOf("b", { deleted: true, meta: { resourceVersion: "12" } });
    scene.notify(Pods, { type: "updated", before: kept, object: leaving });
    expect(left()).toEqual(["uid-b", "uid-c"]);
    scene.notify(Pods, { type: "deleted", object: leaving, tombstone: false });
    expect(left()).toEqual(["uid-c"]);
    scene.notify(Jobs, { type: "deleted", object: jobOf(), tombstone: false });
    expect(left()).toEqual([]);
  });
});

describe("the rules", () => {
  test("each has a unique id, says what it looks at and where it comes from, and has an example", () => {
    const all = jobController.rules;
    expect(new Set(all.map(({ id }) => id)).size).toBe(all.length);
    for (const rule of all) {
      const { id, looksAt, chooses, source, example } = rule;
      expect(id).toMatch(/^[a-z]+(-[a-z]+)*$/);
      expect(looksAt.length).toBeGreaterThan(0);
      expect(chooses).toEndWith(".");
      expect(source).toContain(".go ");
      expect(rule.sentence(example ?? {})).not.toMatch(/undefined|NaN|object/);
    }
  });

  const facts = { active: 1, desired: 3 };
  const rows: readonly { says: string; sentence: string }[] = [
    { says: "1 active pod, 3 wanted → create 2, in 2 batches", sentence: scaleUp.sentence({ ...facts, create: 2 }) },
    {
      says: "1 active pod, 3 wanted → create 1 of index 4",
      sentence: scaleUp.sentence({ ...facts, create: 1, indexes: "4" }),
    },
    {
      says: "3 active pods, 1 wanted → delete 2",
      sentence: scaleDown.sentence({ active: 3, desired: 1, delete: 2, chosen: [] }),
    },
    {
      says: "1 pod without an index of its own → delete 1",
      sentence: scaleDown.sentence({ active: 2, desired: 2, delete: 1, chosen: [] }),
    },
    {
      says: "2 pods missing, after failures → wait 10 s more",
      sentence: backOff.sentence({ ...facts, missing: 2, ms: 9001 }),
    },
    { says: "1 active pod, 3 wanted → nothing to do until pods have ended", sentence: steady.sentence(facts) },
    { says: "it is suspended, no pod is active", sentence: suspendPods.sentence({ active: 0 }) },
    { says: "2 pods accounted for → remove their finalizers", sentence: untrack.sentence({ pods: 2 }) },
    {
      says: "it is ending: DeadlineExceeded",
      sentence: end.sentence({ type: "Failed", reason: "DeadlineExceeded", message: "m", isKnown: true }),
    },
    {
      says: "SuccessCriteriaMet set, active 1 → 0, ready none → 1, 2 pods to be counted",
      sentence: status.sentence({
        uncounted: 2,
        changes: [
          { path: ".conditions", after: [{ type: "SuccessCriteriaMet", status: "True" }] },
          { path: ".active", before: 1 },
          { path: ".ready", after: 1 },
          { path: ".uncountedTerminatedPods.succeeded", after: ["a", "b"] },
        ],
      }),
    },
    {
      says: "Suspended changed, startTime 2026-01-01T00:00:00Z → none",
      sentence: status.sentence({
        uncounted: 0,
        changes: [
          { path: ".conditions[Suspended].status", before: "False", after: "True" },
          { path: ".conditions[Suspended].lastTransitionTime", before: "a", after: "b" },
          { path: ".conditions[Suspended].message", before: "a", after: "b" },
          { path: ".startTime", before: "2026-01-01T00:00:00Z" },
        ],
      }),
    },
  ];
  for (const { says, sentence } of rows) test(says, () => expect(sentence).toBe(says));
});
