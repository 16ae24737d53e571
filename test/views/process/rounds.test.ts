import { describe, expect, test } from "bun:test";
import { DeltaDetail } from "../../../src/trace/delta-detail.ts";
import type { WriteEvent } from "../../../src/trace/events.ts";
import { Habits } from "../../../src/views/process/habits.ts";
import { RecentDeltas } from "../../../src/views/process/recent-deltas.ts";
import { RecentReads } from "../../../src/views/process/recent-reads.ts";
import { stepsOf, continuesReconcile, type NextWrite } from "../../../src/views/process/rounds.ts";
import type { NumberedWrite } from "../../../src/views/process/subject.ts";
import { of, request, write as writeEvent } from "./events.ts";

const sets = { group: "apps", kind: "ReplicaSet" };

function write(sentAt: number, over: Partial<WriteEvent> = {}): NumberedWrite {
  return { v: 1, seq: 1, at: sentAt, ...writeEvent({ sentAt, ...over }) };
}

const status = (sentAt: number, over: Partial<WriteEvent> = {}): NumberedWrite =>
  write(sentAt, { subresource: "status", ...over });
const create = (sentAt: number, over: Partial<WriteEvent> = {}): NumberedWrite =>
  write(sentAt, { verb: "create", of: sets, key: "shop/web-1", uid: "s", before: "", conditional: false, ...over });

/** Deltas of the Deployment, keyed by version. */
function deltas(received: Readonly<Record<string, number>>): RecentDeltas {
  const recent = new RecentDeltas();
  for (const [resourceVersion, receivedAt] of Object.entries(received)) {
    const detail = new DeltaDetail(of, undefined, undefined, undefined);
    const delta = {
      stage: "delta",
      of,
      type: "Updated",
      key: "shop/web",
      uid: "u",
      resourceVersion,
      receivedAt,
    } as const;
    recent.add({ v: 1, seq: 1, at: receivedAt, ...delta, detail });
  }
  return recent;
}

function isOne(writes: readonly NumberedWrite[], next: NumberedWrite, over: Partial<NextWrite> = {}): boolean {
  const endedAt = Math.max(...writes.map(({ sentAt, ms }) => sentAt + ms));
  const known = { deltas: deltas({ 7: -5 }), reads: new RecentReads(), habits: new Habits(), reportsStatus: true };
  return continuesReconcile({ write: next, writes, uid: "u", endedAt, ...known, ...over });
}

describe("whether a write belongs to the reconcile of the writes before it", () => {
  test("writes to other objects and the following status do", () => {
    expect(isOne([create(0)], create(3, { key: "shop/web-2", uid: "s2" }))).toBe(true);
    expect(isOne([create(0)], status(40))).toBe(true);
  });

  test("nothing does after a pause", () => {
    expect(isOne([create(0)], status(300))).toBe(false);
  });

  test("a status written again from the same version belongs to the next one, whose cache is behind", () => {
    expect(isOne([status(0)], status(2, { error: "conflict", status: 409 }))).toBe(false);
  });

  test("unless the first write had come back long before: then it was already known", () => {
    const [writes, known] = [[create(-9), status(0)], { deltas: deltas({ 7: -20, 8: 1.5 }) }];
    expect(isOne(writes, status(20, { error: "conflict", status: 409 }), known)).toBe(true);
  });

  test("a write after a status does the next time, once it was seen", () => {
    const habits = new Habits();
    const writes = [create(0), status(3)];
    const other = write(6, { of: sets, key: "shop/web-0", uid: "old", before: "3" });
    expect(isOne(writes, other, { habits })).toBe(false);
    for (let n = 0; n < 2; n++) isOne(writes, status(30), { habits, deltas: deltas({ 7: -9, 8: 4.5 }) });
    expect(isOne(writes, other, { habits })).toBe(true);
    // The habit does not apply to reconciles that begin with another write.
    expect(isOne([status(3)], other, { habits })).toBe(false);
  });

  test("a refused write ends it; a write based on a live read after that continues it", () => {
    const refused = status(0, { error: "conflict", status: 409, resourceVersion: "" });
    const again = status(10, { before: "9" });
    expect(isOne([refused], again)).toBe(false);
    const reads = new RecentReads();
    reads.add(request({ key: "shop/web", sentAt: 4, ms: 2, resourceVersion: "9" }));
    expect(isOne([refused], again, { reads })).toBe(true);
    expect(isOne([refused], status(10, { before: "8" }), { reads })).toBe(false);
  });

  test("a refused write ends it for other objects too, unless they were written at the same time", () => {
    const refused = create(0, { error: "forbidden", status: 403 });
    expect(isOne([refused], status(3))).toBe(false);
    expect(isOne([refused], create(0.5, { key: "shop/web-2", uid: "s2" }))).toBe(true);
  });

  test("a status that changed nothing and is written again from the same version does not", () => {
    expect(isOne([status(0, { resourceVersion: "7" })], status(40))).toBe(false);
  });

  test("a write from a version that came after the first write does not, and the status before it was the end", () => {
    const habits = new Habits();
    const known = { habits, deltas: deltas({ 7: -5, 8: 2 }) };
    for (let n = 0; n < 3; n++) expect(isOne([status(0)], write(4, { before: "8" }), known)).toBe(false);
    expect(habits.knows(stepsOf([status(0)]))).toBe(true);
  });

  test("another write to an object from the same version does for writers that end only with a status", () => {
    const [first, again] = [write(0, { of: sets }), write(3, { of: sets })];
    expect(isOne([first], again, { reportsStatus: true })).toBe(true);
    expect(isOne([first], again, { reportsStatus: false })).toBe(false);
  });

  test("for writers without a status, a change by others in between is the end, and an echo is not", () => {
    const next = create(12, { key: "shop/web-2", uid: "s2" });
    const quiet = { reportsStatus: false, deltas: deltas({ 7: -5 }) };
    expect(isOne([create(0)], next, quiet)).toBe(true);
    expect(isOne([create(0)], next, { reportsStatus: false, deltas: deltas({ 9: 5 }) })).toBe(false);
    expect(isOne([create(0, { resourceVersion: "9" })], next, { reportsStatus: false, deltas: deltas({ 9: 5 }) })).toBe(
      true,
    );
  });

  test("a start has each step once, and each status", () => {
    expect(stepsOf([create(0), create(1), status(2), status(3)])).toBe(
      "create ReplicaSet , update Deployment status, update Deployment status",
    );
  });
});
