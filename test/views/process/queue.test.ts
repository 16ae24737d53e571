import { describe, expect, test } from "bun:test";
import { DeltaDetail } from "../../../src/trace/delta-detail.ts";
import { Habits } from "../../../src/views/process/habits.ts";
import { type KnownTimes, rank, type QueuedDelta } from "../../../src/views/process/queue.ts";

const tenants = { group: "example.com", kind: "Tenant" };

interface Came {
  readonly isEcho?: boolean;
  readonly beforeEcho?: boolean;
  readonly untaken?: number;
}

/** A delta that arrived at a time relative to the write, in ms; its version is that time. */
function came(at: number, { isEcho = false, beforeEcho = false, untaken = 1 }: Came = {}): QueuedDelta {
  const detail = new DeltaDetail(tenants, undefined, undefined, undefined);
  const delta = {
    v: 1,
    seq: 1,
    at: 0,
    stage: "delta",
    of: tenants,
    type: "Updated",
    key: "shop/acme",
    uid: "u",
  } as const;
  const category = { name: `own Tenant Updated${isEcho ? " echo" : ""}`, isEcho };
  return {
    grade: "own",
    delta: { ...delta, resourceVersion: String(at), receivedAt: at, detail },
    category,
    beforeEcho,
    untaken,
  };
}

/** The versions of the deltas, most probable first. */
function ranked(waiting: readonly QueuedDelta[], known: Partial<KnownTimes> = {}): readonly string[] {
  const usual = { freeAt: -Infinity, knownAt: -Infinity, sentAt: 0, habits: new Habits() };
  return rank(waiting, { ...usual, ...known }).map((one) => one.waiting.delta.resourceVersion);
}

describe("the delta that led to a write", () => {
  test("without a running reconcile is the one at the usual distance", () => {
    expect(ranked([came(-60), came(-2)])[0]).toBe("-2");
    const habits = new Habits();
    for (let n = 0; n < 20; n++) habits.recordReaction(60);
    expect(ranked([came(-60), came(-2)], { habits })[0]).toBe("-60");
  });

  test("is one that came during the previous reconcile, if the write follows its end", () => {
    expect(ranked([came(-9), came(-0.4)], { freeAt: -2 })[0]).toBe("-9");
  });

  test("is a later one, if the end of the previous reconcile is too long ago", () => {
    expect(ranked([came(-90, { isEcho: true }), came(-2)], { freeAt: -80 })[0]).toBe("-2");
  });

  test("is none if no reconcile can have started after the version it knew", () => {
    expect(ranked([came(-4), came(-2)])[0]).toBe("-4");
    expect(ranked([came(-4), came(-2)], { knownAt: -2 })[0]).toBe("-2");
  });

  test("is the one after the echo of its own write, on which a writer mostly does nothing", () => {
    expect(ranked([came(-6), came(-5)], { freeAt: -2, knownAt: -6 })[0]).toBe("-6");
    expect(ranked([came(-6, { isEcho: true }), came(-5)], { freeAt: -2, knownAt: -6 })[0]).toBe("-5");
    const [echo, other] = rank([came(-6, { isEcho: true }), came(-2)], {
      freeAt: -Infinity,
      knownAt: -Infinity,
      sentAt: 0,
      habits: new Habits(),
    }).toSorted((a, b) => a.waiting.delta.receivedAt - b.waiting.delta.receivedAt);
    expect(echo?.probability).toBeLessThan((other?.probability ?? 0) / 4);
  });

  test("is one before the echo or the echo, depending on whether the writer waits for it", () => {
    const waiting = [came(-9, { beforeEcho: true }), came(-4, { isEcho: true })];
    const habits = new Habits();
    habits.recordEchoOrder("before the echo");
    expect(ranked(waiting, { freeAt: -2, knownAt: -4, habits })[0]).toBe("-9");
    const waits = new Habits();
    for (let n = 0; n < 30; n++) waits.recordEchoOrder("after the echo");
    expect(ranked(waiting, { freeAt: -2, knownAt: -4, habits: waits })[0]).toBe("-4");
  });

  test("may be too late for the next reconcile if it came just as the previous one ended", () => {
    expect(ranked([came(-9), came(-2.01)], { freeAt: -2 })).toEqual(["-9", "-2.01"]);
  });

  test("is none that the previous reconcile has taken", () => {
    const chances = rank([came(-3, { untaken: 0.1 }), came(-2.9)], {
      freeAt: -2.5,
      knownAt: -Infinity,
      sentAt: 0,
      habits: new Habits(),
    });
    expect(chances.map(({ waiting }) => waiting.delta.resourceVersion)).toEqual(["-2.9", "-3"]);
    expect(chances[1]?.probability).toBeLessThan(0.11);
  });

  test("is none without deltas", () => {
    expect(ranked([])).toEqual([]);
  });
});
