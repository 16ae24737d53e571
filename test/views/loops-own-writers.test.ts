import { describe, expect, test } from "bun:test";
import type { RewriteLoop } from "../../src/views/loops/loop.ts";
import { Loops } from "../../src/views/loops/loops.ts";
import { Events, objectOf, pods } from "./events.ts";

interface Write {
  /** In managedFields. */
  readonly writer?: string;
  /** The controller of ours whose write it was. */
  readonly controller?: string;
  /** The response to the last one has not arrived yet. */
  readonly isLastPending?: boolean;
}

/** The loop of an object that is written every second, by these in turn. */
function loopOf(turns: readonly Write[], value: (n: number) => unknown = (n) => n % 2): RewriteLoop | undefined {
  const view = new Loops({ perMinute: 10 });
  const events = new Events(0);
  for (let n = 1; n <= 20; n++) {
    events.at = n * 1000;
    const { writer, controller, isLastPending = false } = turns[n % turns.length] ?? {};
    const [before, after] = [objectOf(String(n), { data: value(n - 1) }), objectOf(String(n + 1), { data: value(n) })];
    const delta = events.delta({ before, after, ...(writer !== undefined && { writer }), receivedAt: events.at });
    view.accept(delta);
    if (controller === undefined || (isLastPending && n === 20)) continue;
    const write = events.make({
      stage: "write",
      controller,
      sync: n,
      decision: 1,
      verb: "update",
      fieldManager: "manager",
      of: pods,
      key: "shop/web",
      uid: "u",
      before: String(n),
      conditional: true,
      resourceVersion: String(n + 1),
      deletes: false,
      status: 200,
      sentAt: 0,
      ms: 1,
      changes: [],
    });
    view.accept(write);
    view.accept(events.make({ stage: "link", write: write.seq, delta: delta.seq, by: "resourceVersion" }));
  }
  const [loop, ...more] = view.found();
  expect(more).toEqual([]);
  return loop as RewriteLoop | undefined;
}

describe("the writer in a loop of our own controller", () => {
  test("is the controller, though managedFields show it only now and then", () => {
    const loop = loopOf([{ controller: "flop" }, { writer: "manager", controller: "flop" }]);
    expect(loop?.writers).toEqual([{ name: "flop", writes: 20 }]);
    expect(loop?.fields).toMatchObject([{ path: ".data", writers: [{ name: "flop", writes: 20 }] }]);
  });

  test.each([undefined, "kubectl-reconcile-flop"])(
    "is the controller alone while the response to its latest write has not arrived, with %p in managedFields",
    (writer) => {
      const pending = { controller: "flop", isLastPending: true, ...(writer !== undefined && { writer }) };
      const loop = loopOf([pending]);
      expect(loop?.writers).toEqual([{ name: "flop", writes: 19 }]);
      expect(loop?.fields).toMatchObject([{ writers: [{ name: "flop", writes: 19 }] }]);
    },
  );

  test("is the controller whose every write renews a field", () => {
    const loop = loopOf([{ writer: "manager", controller: "flop" }], String);
    expect(loop?.fields).toMatchObject([{ how: "renewed", everyWriteOf: "flop" }]);
  });

  test("stays as it is for writes of others, also of the same field manager", () => {
    const turns = [{ controller: "flop" }, { writer: "manager" }, { writer: "op" }, {}];
    expect(loopOf(turns)?.writers.toSorted((a, b) => (a.name ?? "z").localeCompare(b.name ?? "z"))).toEqual([
      { name: "flop", writes: 5 },
      { name: "manager", writes: 5 },
      { name: "op", writes: 5 },
      { name: undefined, writes: 5 },
    ]);
  });
});
