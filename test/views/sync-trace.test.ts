import { describe, expect, test } from "bun:test";
import { DeltaDetail } from "../../src/trace/delta-detail.ts";
import type { DeltaEvent, StageEventBody, WriteEvent } from "../../src/trace/events.ts";
import { type Trigger, TriggerLog } from "../../src/trace/triggers.ts";
import { shownOrigin } from "../../src/views/shown-block.ts";
import type { SyncBlock } from "../../src/views/sync-block.ts";
import { SyncTrace } from "../../src/views/sync-trace.ts";

const Pod = { group: "", kind: "Pod" };
const of = { controller: "replicaset", key: "shop/web" } as const;

const podDelta = (name: string, rest: Partial<DeltaEvent> = {}): StageEventBody => ({
  stage: "delta",
  of: Pod,
  type: "Added",
  key: `shop/${name}`,
  uid: `u-${name}`,
  resourceVersion: "7",
  receivedAt: 0,
  detail: new DeltaDetail(Pod, undefined, undefined, "kubectl-create"),
  ...rest,
});
const byDelta = (delta: number, name: string): Trigger => ({
  cause: "delta",
  kind: "Pod",
  type: "Added",
  key: `shop/${name}`,
  resourceVersion: "7",
  delta,
});
const woken = (trigger: Trigger): StageEventBody => ({
  ...of,
  stage: "enqueue",
  trigger,
  merged: false,
  inFlight: false,
  depth: 1,
});
const begin = (sync: number, ...triggers: readonly Trigger[]): StageEventBody => {
  const log = new TriggerLog();
  for (const trigger of triggers) log.add(trigger);
  const numbers = { worker: 1, waitedMs: 2, depth: 0, inFlight: 1, delayed: 0, failures: 0 };
  return { ...of, ...numbers, stage: "get", sync, triggers: log };
};
const decide = (sync: number): StageEventBody => ({
  ...of,
  stage: "decision",
  sync,
  rule: "scale-up",
  facts: { desired: 2, active: 1 },
  sentence: "1 of 2 pods is missing",
});
const write = (sync: number, decision: number, name: string, rest: Partial<WriteEvent> = {}): StageEventBody => ({
  stage: "write",
  controller: "replicaset",
  sync,
  decision,
  verb: "create",
  fieldManager: "m",
  of: Pod,
  key: `shop/${name}`,
  uid: `u-${name}`,
  before: "",
  conditional: false,
  resourceVersion: "7",
  deletes: false,
  status: 201,
  sentAt: 0,
  ms: 1,
  changes: [],
  ...rest,
});
const end = (sync: number, rest: object = {}): StageEventBody => ({
  ...of,
  stage: "done",
  sync,
  outcome: { is: "forgotten" },
  ms: 3,
  ...rest,
});
const link = (of: number, delta: number): StageEventBody => ({
  stage: "link",
  write: of,
  delta,
  by: "resourceVersion",
});

/** Feeds events, numbered from 1 and 10 ms apart; returns the blocks released by then. */
function play(...events: readonly StageEventBody[]): { readonly blocks: SyncBlock[]; readonly trace: SyncTrace } {
  const trace = new SyncTrace({ holdMs: 100 });
  const blocks = events.flatMap((event, index) =>
    trace.accept({ v: 1, seq: index + 1, at: (index + 1) * 10, ...event }),
  );
  return { blocks, trace };
}

describe("SyncTrace", () => {
  test("a sync without writes is reported when it ends, with the delta that woke it and its writer", () => {
    const { blocks } = play(podDelta("a"), woken(byDelta(1, "a")), begin(1, byDelta(1, "a")), end(1));
    expect(blocks).toHaveLength(1);
    expect(blocks[0]).toMatchObject({ sync: 1, key: "shop/web", waitedMs: 2, ms: 3 });
    expect(blocks[0]?.causes).toEqual([
      {
        is: "delta",
        kind: "Pod",
        type: "Added",
        key: "shop/a",
        resourceVersion: "7",
        delta: 1,
        detail: expect.objectContaining({ changes: [], writer: "kubectl-create" }) as never,
      },
    ]);
  });

  test("a sync with writes is held back until it is known which keys they enqueued", () => {
    const { blocks, trace } = play(
      begin(1),
      decide(1),
      write(1, 2, "b"),
      end(1),
      podDelta("b"),
      link(3, 5),
      woken(byDelta(5, "b")),
      begin(2, byDelta(5, "b")),
      end(2),
    );
    expect(blocks).toEqual([]);
    expect(trace.heldUntil).toBe(140);
    const [first, second] = trace.release(140);
    expect(first?.decisions[0]?.writes.map(({ key }) => key)).toEqual(["shop/b"]);
    expect(first?.woke).toEqual([
      { controller: "replicaset", key: "shop/web", sync: 2, kind: "Pod", type: "Added", object: "shop/b", more: 0 },
    ]);
    expect(second?.causes[0]).toMatchObject({ by: { controller: "replicaset", sync: 1 } });
  });

  test("blocks come in the order in which their syncs ended, even if a later one need not wait", () => {
    const { trace } = play(begin(1), decide(1), write(1, 2, "b"), end(1), begin(2), end(2));
    expect(trace.release(Infinity).map(({ sync }) => sync)).toEqual([1, 2]);
  });

  test("a delta that comes before the response of its write is linked to that write's sync", () => {
    const { trace } = play(
      begin(1),
      decide(1),
      podDelta("b"),
      woken(byDelta(3, "b")),
      write(1, 2, "b"),
      link(5, 3),
      end(1),
      begin(2, byDelta(3, "b")),
      end(2),
    );
    const [, second] = trace.release(Infinity);
    expect(second?.causes[0]).toMatchObject({ by: { controller: "replicaset", sync: 1 } });
  });

  test("a block that was returned does not change when more becomes known", () => {
    const { blocks, trace } = play(
      begin(1),
      decide(1),
      podDelta("b"),
      begin(2, byDelta(3, "b")),
      end(2),
      write(1, 2, "b"),
      link(6, 3),
      end(1),
    );
    const [second] = blocks;
    const before = structuredClone({ ...second?.causes[0], detail: undefined });
    expect(trace.originOf({ controller: "replicaset", sync: 2 }).steps).toEqual([
      { controller: "replicaset", sync: 1 },
    ]);
    expect({ ...second?.causes[0], detail: undefined }).toEqual(before);
  });

  test("a key that is enqueued in back-off shows the end of the back-off", () => {
    const failed = end(1, { outcome: { is: "rate-limited", delayMs: 500, failures: 3 }, error: "no" });
    const { blocks } = play(begin(1), failed, begin(2, byDelta(0, "a")), end(2));
    expect(blocks[1]?.inBackoffUntil).toBe(520);
    const retried = play(begin(1), failed, begin(2, { cause: "retry", sync: 1, failures: 3 }), end(2));
    expect(retried.blocks[1]?.inBackoffUntil).toBeUndefined();
  });

  test("the path back to a first cause goes through own writes and retries", () => {
    const { trace } = play(
      podDelta("first"),
      begin(1, byDelta(1, "first")),
      end(1, { outcome: { is: "rate-limited", delayMs: 5, failures: 1 }, error: "conflict", expected: "conflict" }),
      begin(2, { cause: "retry", sync: 1, failures: 1 }),
      decide(2),
      write(2, 5, "b"),
      podDelta("b"),
      link(6, 7),
      end(2),
      begin(3, byDelta(7, "b")),
      end(3),
    );
    const origin = trace.originOf({ controller: "replicaset", sync: 3 });
    expect(origin.steps.map(({ sync }) => sync)).toEqual([2, 1]);
    expect(shownOrigin(origin).first).toMatchObject({ key: "shop/first", writer: "kubectl-create" });
  });

  test("a would-be write shows since when it stands and what the owner did", () => {
    const intention = (sync: number, again: boolean): StageEventBody => ({
      ...of,
      stage: "intention",
      sync,
      intention: 1,
      again,
      verb: "create",
      of: Pod,
      target: "shop/b",
    });
    const { trace, blocks } = play(
      begin(1),
      decide(1),
      intention(1, false),
      write(1, 2, "b", { wouldBe: true }),
      end(1),
      begin(2),
      decide(2),
      intention(2, true),
      write(2, 7, "b", { wouldBe: true }),
      end(2),
      {
        ...of,
        stage: "agreement",
        is: "same",
        intention: 1,
        sync: 1,
        verb: "create",
        of: Pod,
        target: "shop/b",
        delta: 0,
        afterMs: 9,
        why: "owner created 1, 9 ms later",
      },
    );
    const all = [...blocks, ...trace.release(Infinity)];
    expect(all.map((block) => block.decisions[0]?.writes[0]?.standsSince)).toEqual([undefined, 1]);
    expect(all.map((block) => block.decisions[0]?.writes[0]?.agreement?.is)).toEqual(["same", "same"]);
  });
});
