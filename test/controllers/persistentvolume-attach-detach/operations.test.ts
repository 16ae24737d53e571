/** Which operations run in parallel and which wait. Source: kubernetes v1.36 nestedpendingoperations_test.go. */
import { beforeEach, describe, expect, test } from "bun:test";
import {
  type Pending,
  Operations,
  type Place,
} from "../../../src/controllers/persistentvolume-attach-detach/operations.ts";

const pending = (place: Place, kind: Pending["kind"] = "attach", node = place.node ?? "a"): Pending => ({
  place,
  kind,
  node,
  volume: undefined,
  request: undefined,
  pods: [],
  deadline: 0,
});
const exclusive: Place = { unique: "disk", node: undefined };
const onA: Place = { unique: "disk", node: "a" };
const onB: Place = { unique: "disk", node: "b" };
const attach = { kind: "attach", now: 1000 } as const;
const detach = { kind: "detach", now: 1000 } as const;

describe("an operation in progress", () => {
  const cases: readonly (readonly [string, Place, Place, boolean])[] = [
    ["an exclusive volume: another", exclusive, exclusive, true],
    ["on a node: another there", onA, onA, true],
    ["on a node: another elsewhere", onA, onB, false],
    ["an exclusive volume: another on a node", exclusive, onA, true],
    ["on a node: another of the volume as an exclusive one", onA, exclusive, true],
    ["of another volume", exclusive, { unique: "other", node: undefined }, false],
  ];
  for (const [what, first, second, isBlocked] of cases) {
    test(`${what} ${isBlocked ? "waits" : "does not wait"}`, () => {
      const operations = new Operations();
      operations.begin(pending(first), 0);
      expect(operations.blocked(second, attach)).toEqual(isBlocked ? { by: "another" } : undefined);
      expect(operations.blocked(second, detach)).toEqual(isBlocked ? { by: "another" } : undefined);
    });
  }

  test("is found by its node until it ends", () => {
    const operations = new Operations();
    const one = pending(onA);
    operations.begin(one, 0);
    expect(operations.pendingOn("a")).toEqual([one]);
    expect(operations.pendingOn("b")).toEqual([]);
    operations.succeed(one);
    expect(operations.pendingOn("a")).toEqual([]);
    expect(operations.blocked(onA, attach)).toBeUndefined();
  });

  test("goes on when another on the volume ends", () => {
    const ends: readonly ((operations: Operations, one: Pending) => unknown)[] = [
      (operations, one) => operations.succeed(one),
      (operations, one) => operations.cancel(one),
      (operations, one) => operations.fail(one, 0),
    ];
    for (const end of ends) {
      for (const place of [onA, onB]) {
        const operations = new Operations();
        const [one, two] = [pending(onA), pending(onB)];
        operations.begin(one, 0);
        operations.begin(two, 0);
        end(operations, place === onA ? one : two);
        expect(operations.blocked(place, attach)).toBeUndefined();
        expect(operations.blocked(place === onA ? onB : onA, attach)).toEqual({ by: "another" });
      }
    }
  });

  test("ends only once", () => {
    const operations = new Operations();
    const one = pending(onA);
    operations.begin(one, 0);
    operations.succeed(one);
    expect(() => operations.succeed(one)).toThrow(RangeError);
    expect(() => operations.cancel(one)).toThrow(RangeError);
    expect(() => operations.fail(one, 0)).toThrow(RangeError);
  });
});

describe("a failed operation", () => {
  test("waits twice as long each time, and is forgotten once it succeeds", () => {
    const operations = new Operations();
    const waits = [0, 1, 2].map(() => {
      const one = pending(exclusive);
      operations.begin(one, 0);
      return operations.fail(one, 0);
    });
    expect(waits).toEqual([500, 1000, 2000]);
    const last = pending(exclusive);
    operations.begin(last, 0);
    operations.succeed(last);
    const next = pending(exclusive);
    operations.begin(next, 0);
    expect(operations.fail(next, 0)).toBe(500);
  });

  test("prevents the same operation until its time has passed, but not the other kind", () => {
    const operations = new Operations();
    const one = pending(exclusive);
    operations.begin(one, 0);
    operations.fail(one, 1000);
    expect(operations.blocked(exclusive, { kind: "attach", now: 1500 })).toEqual({ by: "back-off", untilMs: 1500 });
    expect(operations.blocked(exclusive, { kind: "attach", now: 1501 })).toBeUndefined();
    expect(operations.blocked(exclusive, { kind: "detach", now: 1000 })).toBeUndefined();
    const other = pending(exclusive, "detach");
    operations.begin(other, 1000);
    expect(operations.fail(other, 1000)).toBe(500);
  });

  test("that was not started after all keeps its earlier failures", () => {
    const operations = new Operations();
    const first = pending(onA);
    operations.begin(first, 0);
    operations.cancel(first);
    expect(operations.blocked(onA, attach)).toBeUndefined();
    const failed = pending(onA);
    operations.begin(failed, 0);
    operations.fail(failed, 0);
    const again = pending(onA);
    operations.begin(again, 501);
    operations.cancel(again);
    expect({ pending: operations.pendingOn("a"), blocked: operations.blocked(onA, attach) }).toEqual({
      pending: [],
      blocked: undefined,
    });
    operations.begin(again, 501);
    expect(operations.fail(again, 501)).toBe(1000);
  });

  test("of the other kind counts, once its time has passed; in back-off it is forgotten", () => {
    const waits = [500, 501].map((now) => {
      const operations = new Operations();
      const one = pending(exclusive);
      operations.begin(one, 0);
      operations.fail(one, 0);
      const other = pending(exclusive, "detach");
      operations.begin(other, now);
      return operations.fail(other, now);
    });
    expect(waits).toEqual([500, 1000]);
  });

  test("in back-off does not delay the other kind, which was not started after all", () => {
    const operations = new Operations();
    const one = pending(exclusive);
    operations.begin(one, 0);
    operations.fail(one, 0);
    const other = pending(exclusive, "detach");
    operations.begin(other, 100);
    operations.cancel(other);
    expect(operations.blocked(exclusive, { kind: "detach", now: 100 })).toBeUndefined();
  });

  test("that is retried on one node only does not keep other nodes waiting", () => {
    const operations = new Operations();
    const one = pending(exclusive);
    operations.begin(one, 0);
    operations.fail(one, 0);
    operations.begin(pending(onA), 501);
    expect(operations.blocked(onA, attach)).toEqual({ by: "another" });
    expect(operations.blocked(onB, attach)).toBeUndefined();
  });
});

describe("of several operations on a volume, what decides is", () => {
  let operations: Operations;
  /** Fails at the place, and is then in back-off for 500 ms. */
  const failAt = (place: Place, now: number): void => {
    const one = pending(place);
    operations.begin(one, now);
    operations.fail(one, now);
  };
  beforeEach(() => {
    operations = new Operations();
    failAt(onA, 0);
    failAt(onB, 2000);
  });

  test("the running one, although another failed at the place", () => {
    operations.begin(pending(onB), 3000);
    expect(operations.blocked(exclusive, { kind: "attach", now: 3000 })).toEqual({ by: "another" });
  });

  test("one at exactly the place, then the first", () => {
    // For the exclusive volume it is the first one on a node that is repeated.
    failAt(exclusive, 1000);
    expect(operations.blocked(exclusive, attach)).toEqual({ by: "back-off", untilMs: 2000 });
    expect(operations.blocked(onA, attach)).toEqual({ by: "back-off", untilMs: 2000 });
    expect(operations.blocked(onB, attach)).toEqual({ by: "back-off", untilMs: 2500 });
  });
});
