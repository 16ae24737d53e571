import { describe, expect, test } from "bun:test";
import {
  isPodActive,
  isPodAvailable,
  isPodReady,
  isPodTerminating,
  nextAvailability,
} from "../../../src/controller/workload/pod-status.ts";
import { sceneStart as now } from "../../support/sync-context.ts";
import { podOf } from "../../support/workloads.ts";

const gone = { deletionTimestamp: "2026-11-21T09:59:00Z" };

describe("active and terminating pods", () => {
  const rows: readonly { phase: string; deleted: boolean; active: boolean; terminating: boolean }[] = [
    { phase: "Pending", deleted: false, active: true, terminating: false },
    { phase: "Running", deleted: false, active: true, terminating: false },
    { phase: "Unknown", deleted: false, active: true, terminating: false },
    { phase: "Succeeded", deleted: false, active: false, terminating: false },
    { phase: "Failed", deleted: false, active: false, terminating: false },
    { phase: "Pending", deleted: true, active: false, terminating: true },
    { phase: "Running", deleted: true, active: false, terminating: true },
    { phase: "Succeeded", deleted: true, active: false, terminating: false },
    { phase: "Failed", deleted: true, active: false, terminating: false },
  ];
  for (const { phase, deleted, active, terminating } of rows) {
    test(`a ${phase} pod${deleted ? " that is being deleted" : ""}: active ${active}, terminating ${terminating}`, () => {
      const pod = podOf("a", { phase, meta: deleted ? gone : {} });
      expect([isPodActive(pod), isPodTerminating(pod)]).toEqual([active, terminating]);
    });
  }

  test("a pod without a status is active and not ready", () => {
    const pod = podOf("a", { status: { phase: undefined } });
    expect([isPodActive(pod), isPodReady(pod)]).toEqual([true, false]);
  });
});

describe("isPodAvailable", () => {
  const rows: readonly {
    name: string;
    pod: Parameters<typeof podOf>[1];
    minReadySeconds: number;
    available: boolean;
  }[] = [
    { name: "not ready", pod: { ready: false, readyAt: now - 60_000 }, minReadySeconds: 0, available: false },
    { name: "ready, none asked", pod: { ready: true, readyAt: now }, minReadySeconds: 0, available: true },
    { name: "ready for too short", pod: { ready: true, readyAt: now - 9_999 }, minReadySeconds: 10, available: false },
    {
      name: "ready for just long enough",
      pod: { ready: true, readyAt: now - 10_000 },
      minReadySeconds: 10,
      available: true,
    },
    { name: "ready since nobody knows when", pod: { ready: true }, minReadySeconds: 10, available: false },
    { name: "ready without a time, none asked", pod: { ready: true }, minReadySeconds: 0, available: true },
  ];
  for (const { name, pod, minReadySeconds, available } of rows) {
    test(`${name}: ${available}`, () => expect(isPodAvailable(podOf("a", pod), minReadySeconds, now)).toBe(available));
  }

  test("a time of null is an unknown one", () => {
    const conditions = [{ type: "Ready", status: "True", lastTransitionTime: null }];
    expect(isPodAvailable(podOf("a", { status: { conditions } }), 5, now)).toBeFalse();
  });
});

describe("nextAvailability", () => {
  const pending = podOf("pending", { phase: "Pending" });
  const fresh = podOf("fresh", { ready: true, readyAt: now });
  const younger = podOf("younger", { ready: true, readyAt: now - 2_000 });
  const oldest = podOf("oldest", { ready: true, readyAt: now - 4_300 });
  const done = podOf("done", { ready: true, readyAt: now - 60_000 });
  const unknown = podOf("unknown", { ready: true });

  test("it is the pod that has waited longest", () => {
    const next = nextAvailability([pending, fresh, younger, oldest, done, unknown], 5, { evaluatedAt: now, now });
    expect(next).toMatchObject({ inMs: 700, pod: oldest });
  });

  test("none waits without minReadySeconds, or if all are available, not ready or of unknown age", () => {
    expect(nextAvailability([fresh, oldest], 0, { evaluatedAt: now, now })).toBeUndefined();
    expect(nextAvailability([pending, done, unknown], 5, { evaluatedAt: now, now })).toBeUndefined();
    expect(nextAvailability([], 5, { evaluatedAt: now, now })).toBeUndefined();
  });

  test("the time that has gone by since the status was worked out is taken off", () => {
    expect(nextAvailability([oldest, fresh], 5, { evaluatedAt: now, now: now + 200 })?.inMs).toBe(500);
  });

  test("a pod that has become available since is looked at once more at once", () => {
    expect(nextAvailability([oldest, fresh], 5, { evaluatedAt: now, now: now + 800 })).toMatchObject({
      inMs: 0,
      pod: oldest,
    });
  });
});
