/** Which operations run in parallel and which wait. Source: kubernetes v1.36 nestedpendingoperations_test.go. */
import { describe, expect, test } from "bun:test";
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
  attachment: undefined,
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
});
