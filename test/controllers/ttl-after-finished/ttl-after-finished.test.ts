import { beforeEach, describe, expect, test } from "bun:test";
import { Jobs } from "../../../src/api/kinds.ts";
import { formatTime } from "../../../src/api/time.ts";
import type { Job } from "../../../src/api/types.ts";
import { garbageCollector } from "../../../src/controllers/garbage-collector/garbage-collector.ts";
import { expiryOf, needsCleanup } from "../../../src/controllers/ttl-after-finished/expiry.ts";
import { ttlAfterFinished } from "../../../src/controllers/ttl-after-finished/ttl-after-finished.ts";
import { rejection } from "../../support/rejection.ts";
import { refusal, type Scene, sceneStart, syncScene } from "../../support/sync-context.ts";
import { jobOf } from "../job/objects.ts";
import { jobScene } from "../job/scene.ts";

const second = 1000;

interface Parts {
  readonly ttl?: number;
  readonly type?: string;
  readonly status?: string;
  /** How long ago the Job finished, in ms. */
  readonly agoMs?: number;
  readonly meta?: object;
}

function jobWith({ ttl, type = "Complete", status = "True", agoMs = 0, meta }: Parts): Job {
  const lastTransitionTime = formatTime(sceneStart - agoMs);
  return jobOf({
    spec: { ...(ttl !== undefined && { ttlSecondsAfterFinished: ttl }) },
    status: { conditions: [{ type, status, lastTransitionTime }] },
    ...(meta !== undefined && { meta }),
  });
}

describe("a Job needs cleanup", () => {
  const rows: readonly (Parts & { readonly says: string; readonly is: boolean })[] = [
    { says: "when it is complete and has a TTL", ttl: 10, is: true },
    { says: "when it has failed", ttl: 10, type: "Failed", is: true },
    { says: "with a TTL of 0", ttl: 0, is: true },
    { says: "not without a TTL", is: false },
    { says: "not before it has finished", ttl: 10, type: "FailureTarget", is: false },
    { says: "not by a condition that is no longer True", ttl: 10, status: "False", is: false },
    { says: "not when it is being deleted", ttl: 10, meta: { deletionTimestamp: formatTime(sceneStart) }, is: false },
  ];
  for (const { says, is, ...parts } of rows) test(says, () => expect(needsCleanup(jobWith(parts))).toBe(is));

  test("its TTL after it finished", () => {
    const expiry = expiryOf(jobWith({ ttl: 10, agoMs: 4 * second }));
    expect(expiry).toEqual({ finishedAt: sceneStart - 4 * second, expiresAt: sceneStart + 6 * second });
    expect(expiryOf(jobWith({}))).toBeUndefined();
  });

  test("at a known time: a condition without a time is an error", () => {
    const conditions = [{ type: "Complete", status: "True" }];
    expect(() => expiryOf(jobOf({ spec: { ttlSecondsAfterFinished: 1 }, status: { conditions } }))).toThrow(
      "Cannot tell when Job shop/data finished",
    );
  });
});

describe("a sync", () => {
  const key = "shop/data";
  let scene: Scene;
  beforeEach(() => {
    scene = syncScene(ttlAfterFinished);
  });
  const calls = (): string[] => scene.calls.map(({ verb, name }) => `${verb} ${name}`);

  test("before the TTL is over is requeued for then, without a request", async () => {
    scene.put(Jobs, jobWith({ ttl: 10, agoMs: 4 * second }));
    await scene.sync(key);
    expect(calls()).toEqual([]);
    expect(scene.requeues).toEqual([{ ms: 6 * second, why: "its TTL of 10 s is over in 6 s → sync again then" }]);
  });

  for (const agoMs of [10 * second, 60 * second]) {
    test(`after ${agoMs / second} s of 10 deletes the Job in the server's state`, async () => {
      scene.put(Jobs, jobWith({ ttl: 10, agoMs }));
      await scene.sync(key);
      expect(calls()).toEqual(["get data", "delete data"]);
      expect(scene.decisions.map(({ sentence }) => sentence)).toEqual([
        `it finished ${agoMs / second} s ago, and its TTL is 10 s → delete it, after its pods`,
      ]);
    });
  }

  test("leaves a Job alone whose TTL is longer on the server, and is requeued", async () => {
    scene.put(Jobs, jobWith({ ttl: 10, agoMs: 20 * second }));
    scene.putLive(Jobs, jobWith({ ttl: 30, agoMs: 20 * second }));
    await scene.sync(key);
    expect(calls()).toEqual(["get data"]);
    expect(scene.requeues).toMatchObject([{ ms: 10 * second }]);
  });

  test("leaves a Job alone that has no TTL any more, or was deleted", async () => {
    scene.put(Jobs, jobWith({ ttl: 10, agoMs: 20 * second }));
    scene.putLive(Jobs, jobWith({ agoMs: 20 * second }));
    await scene.sync(key);
    scene.deleteLive(Jobs, key);
    await scene.sync(key);
    expect(calls()).toEqual(["get data"]);
    expect(scene.requeues).toEqual([]);
  });

  test("fails with the server's refusal", async () => {
    scene.put(Jobs, jobWith({ ttl: 0, agoMs: second }));
    scene.refuse = ({ verb }) => (verb === "get" ? refusal(500, "InternalError", "no") : undefined);
    expect(await rejection(scene.sync(key))).toMatchObject({ code: 500 });
    scene.refuse = ({ verb }) => (verb === "delete" ? refusal(409, "Conflict", "another uid") : undefined);
    expect(await rejection(scene.sync(key))).toMatchObject({ code: 409 });
  });

  test("is enqueued by Jobs that need cleanup, and by no others", () => {
    scene.notify(Jobs, { type: "added", object: jobWith({ ttl: 10 }), initial: false });
    scene.notify(Jobs, { type: "updated", before: jobWith({ ttl: 10 }), object: jobWith({ ttl: 20 }) });
    scene.notify(Jobs, { type: "added", object: jobWith({}), initial: false });
    scene.notify(Jobs, { type: "deleted", object: jobWith({ ttl: 10 }), tombstone: false });
    expect(scene.woken).toEqual([key, key]);
  });
});

describe("in the embedded cluster", () => {
  test("a Job is deleted with its pods, ten seconds after it has finished", async () => {
    const scene = await jobScene({ controllers: [ttlAfterFinished, garbageCollector] });
    await scene.create({ ttlSecondsAfterFinished: 30 });
    await scene.pass(25 * second);
    expect((await scene.job()).status?.succeeded).toBe(1);
    await scene.pass(20 * second);
    expect(await scene.list(Jobs)).toEqual([]);
    expect(await scene.pods()).toEqual([]);
    const gone = scene.events.findLast(
      (event) => event.stage === "write" && event.controller === "ttl-after-finished" && event.verb === "delete",
    );
    expect(gone).toMatchObject({ key: "default/data" });
    await scene.stop();
  });
});

describe("the definition", () => {
  test("has upstream's names and permissions, and records no Events", () => {
    expect(ttlAfterFinished).toMatchObject({
      name: "ttl-after-finished",
      aliases: ["ttl-after-finished-controller"],
      component: "ttl-after-finished-controller",
      workers: 5,
      recordsEvents: false,
      permissions: [{ group: "batch", resource: "jobs", verbs: ["get", "delete"] }],
    });
    for (const { id, source, chooses } of ttlAfterFinished.rules) {
      expect(id).toMatch(/^[a-z]+(-[a-z]+)*$/);
      expect(source).toContain(".go ");
      expect(chooses).toEndWith(".");
    }
  });
});
