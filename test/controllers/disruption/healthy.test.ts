import { describe, expect, test } from "bun:test";
import { countHealthy, pendingEvictions } from "../../../src/controllers/disruption/healthy.ts";
import { formatTime } from "../../../src/api/time.ts";
import { podOf } from "../../support/workloads.ts";

const now = Date.UTC(2026, 0, 1, 12);
const secondsAgo = (seconds: number): string => formatTime(now - seconds * 1000);
const going = { deletionTimestamp: secondsAgo(1) };

describe("granted evictions", () => {
  test("of pods that are gone or being deleted are forgotten, the others are kept for two minutes", () => {
    const pods = [podOf("kept"), podOf("going", { meta: going })];
    const granted = { kept: secondsAgo(30), going: secondsAgo(30), gone: secondsAgo(30) };
    expect(pendingEvictions(pods, { granted, now })).toEqual({
      pods: { kept: secondsAgo(30) },
      expired: [],
      recheckInMs: 90_000,
    });
  });

  test("that expire first determine the next sync", () => {
    const granted = { a: secondsAgo(10), b: secondsAgo(100), c: secondsAgo(50) };
    expect(pendingEvictions([podOf("a"), podOf("b"), podOf("c")], { granted, now }).recheckInMs).toBe(20_000);
  });

  test("expire after two minutes, not at two minutes", () => {
    const pods = [podOf("a"), podOf("b")];
    const {
      pods: kept,
      expired,
      recheckInMs,
    } = pendingEvictions(pods, { granted: { a: secondsAgo(120), b: secondsAgo(121) }, now });
    expect([Object.keys(kept), expired.map(({ metadata }) => metadata.name), recheckInMs]).toEqual([["a"], ["b"], 0]);
  });

  test("without entries need no further sync", () => {
    expect(pendingEvictions([podOf("a")], { granted: {}, now })).toEqual({ pods: {}, expired: [] });
  });
});

describe("healthy pods", () => {
  test("are ready, not being deleted, and not about to be", () => {
    const pods = [
      podOf("ready", { ready: true }),
      podOf("unready", { ready: false }),
      podOf("silent"),
      podOf("going", { ready: true, meta: going }),
      podOf("evicted", { ready: true }),
    ];
    expect(countHealthy(pods, { granted: { evicted: secondsAgo(119) }, now })).toBe(1);
  });

  test("a pod counts again at the moment when its eviction expires", () => {
    const pods = [podOf("a", { ready: true })];
    expect([
      countHealthy(pods, { granted: { a: secondsAgo(119) }, now }),
      countHealthy(pods, { granted: { a: secondsAgo(120) }, now }),
    ]).toEqual([0, 1]);
  });
});
