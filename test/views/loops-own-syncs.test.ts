import { describe, expect, test } from "bun:test";
import type { StageEvent } from "../../src/trace/events.ts";
import { type Trigger, TriggerLog } from "../../src/trace/triggers.ts";
import type { Loop } from "../../src/views/loops/loop.ts";
import { Loops } from "../../src/views/loops/loops.ts";
import { Events, objectOf } from "./events.ts";

const second = 1000;
const clock = (n: number): string => new Date(n * second).toISOString();

/** Syncs of one key, each with a write that triggers the next sync, unless `wakes` returns false. */
function ownWrites(syncs: number, wakes?: (sync: number) => boolean): readonly Loop[] {
  return viewOfOwnWrites(syncs, { wakes }).found();
}

interface OwnWrites {
  readonly wakes?: ((sync: number) => boolean) | undefined;
  readonly everyMs?: number;
}

function viewOfOwnWrites(syncs: number, { wakes = () => true, everyMs = second }: OwnWrites): Loops {
  const view = new Loops({ perMinute: 10 });
  const events = new Events(0);
  let last = 0;
  const get = (sync: number): StageEvent =>
    events.make({
      stage: "get",
      controller: "replicaset",
      key: "shop/web",
      sync,
      worker: 1,
      waitedMs: 0,
      depth: 0,
      inFlight: 1,
      delayed: 0,
      failures: 0,
      triggers: new TriggerLog({
        cause: "delta",
        kind: "ReplicaSet",
        type: "Updated",
        key: "shop/web",
        resourceVersion: String(sync),
        delta: wakes(sync) ? last : 0,
      }),
    });
  for (let sync = 1; sync <= syncs; sync++) {
    events.at = sync * everyMs;
    view.accept(get(sync));
    const write = events.make({
      stage: "write",
      controller: "replicaset",
      sync,
      decision: 1,
      verb: "update",
      fieldManager: "us",
      of: { group: "apps", kind: "ReplicaSet" },
      subresource: "status",
      key: "shop/web",
      uid: "u",
      before: String(sync),
      conditional: true,
      resourceVersion: String(sync + 1),
      deletes: false,
      status: 200,
      sentAt: 0,
      ms: 1,
      changes: [{ path: ".status.lastUpdateTime", before: clock(sync - 1), after: clock(sync) }],
    });
    view.accept(write);
    const delta = events.delta({
      of: write.of,
      writer: "us",
      before: objectOf("1"),
      after: objectOf("2", { status: sync }),
    });
    last = delta.seq;
    view.accept(events.make({ stage: "link", write: write.seq, delta: delta.seq, by: "resourceVersion" }));
  }
  return view;
}

describe("Loops of our own controllers", () => {
  test("are syncs that their own writes enqueue, with the fields that those change", () => {
    expect(ownWrites(41)).toMatchObject([
      {
        is: "own writes",
        controller: "replicaset",
        key: "shop/web",
        syncs: 41,
        byOwnWrite: 40,
        fields: [{ path: ".status.lastUpdateTime", returns: 0 }],
      },
    ]);
  });

  test("are too short if they last less than 5 s", () => {
    const view = viewOfOwnWrites(41, { everyMs: 100 });
    expect(view.found()).toEqual([]);
    expect(view.tooShort()).toMatchObject([{ is: "own writes", syncs: 41, ms: 4000 }]);
    expect(viewOfOwnWrites(41, {}).tooShort()).toEqual([]);
  });

  test("are not found if other writes enqueue as many", () => {
    expect(ownWrites(41, (sync) => sync % 2 === 0)).toEqual([]);
  });
});

/** Syncs of one key, one every `everyMs`, each triggered by `cause`. */
function requeued(syncs: number, everyMs: number, cause: (sync: number) => Trigger, writes = false): readonly Loop[] {
  const view = new Loops({ perMinute: 10 });
  const events = new Events(0);
  for (let sync = 1; sync <= syncs; sync++) {
    events.at = sync * everyMs;
    const counts = { worker: 1, waitedMs: 0, depth: 0, inFlight: 1, delayed: 0, failures: 0 };
    const head = { controller: "deployment", key: "shop/web", sync } as const;
    view.accept(events.make({ stage: "get", ...head, ...counts, triggers: new TriggerLog(cause(sync)) }));
    if (!writes) continue;
    view.accept(
      events.make({
        stage: "write",
        ...head,
        verb: "update",
        fieldManager: "us",
        of: { group: "apps", kind: "Deployment" },
        uid: "u",
        before: "1",
        conditional: true,
        resourceVersion: "2",
        deletes: false,
        status: 200,
        sentAt: 0,
        ms: 1,
        changes: [],
      }),
    );
  }
  return view.found();
}

describe("Loops of requeues", () => {
  const again = (sync: number): Trigger => ({ cause: "requeue", why: "the progress deadline passed", sync });

  test("are keys that requeue themselves, write nothing and have no changes to look at", () => {
    expect(requeued(60, 100, again)).toEqual([
      {
        is: "requeued",
        controller: "deployment",
        key: "shop/web",
        syncs: 60,
        ms: 5900,
        lastAt: 6001,
        why: "the progress deadline passed",
      },
    ]);
    // A hundred at once, the burst that a rate limiter of 10 per second with a burst of 100 allows.
    expect(requeued(100, 0, again)).toHaveLength(1);
  });

  test("are not found if each sync writes, or a delta or a retry causes some of them", () => {
    expect(requeued(60, 100, again, true)).toEqual([]);
    const delta = {
      cause: "delta",
      kind: "Pod",
      type: "Updated",
      key: "shop/web-1",
      resourceVersion: "5",
      delta: 1,
    } as const;
    expect(requeued(60, 100, (sync) => (sync % 10 === 0 ? delta : again(sync)))).toEqual([]);
    expect(requeued(60, 100, (sync) => ({ cause: "retry", sync, failures: sync }))).toEqual([]);
  });

  test("are not found if a key polls every few seconds", () => {
    expect(requeued(60, 5 * second, again)).toEqual([]);
  });

  test("stay reported when a delta comes at last", () => {
    const view = new Loops({ perMinute: 10 });
    const events = new Events(0);
    const get = (trigger: Trigger): void => {
      const counts = { worker: 1, waitedMs: 0, depth: 0, inFlight: 1, delayed: 0, failures: 0 };
      const triggers = new TriggerLog(trigger);
      view.accept(
        events.make({ stage: "get", controller: "deployment", key: "shop/web", sync: 1, ...counts, triggers }),
      );
    };
    for (let n = 0; n < 30; n++) get(again(n));
    expect(view.found()).toHaveLength(1);
    get({ cause: "other", why: "start" });
    expect(view.found()).toHaveLength(1);
  });
});
