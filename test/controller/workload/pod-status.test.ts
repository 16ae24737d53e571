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
    { name: "ready, none required", pod: { ready: true, readyAt: now }, minReadySeconds: 0, available: true },
    {
      name: "ready for less than required",
      pod: { ready: true, readyAt: now - 9_999 },
      minReadySeconds: 10,
      available: false,
    },
    {
      name: "ready for exactly as long as required",
      pod: { ready: true, readyAt: now - 10_000 },
      minReadySeconds: 10,
      available: true,
    },
    { name: "ready since an unknown time", pod: { ready: true }, minReadySeconds: 10, available: false },
    { name: "ready without a time, none required", pod: { ready: true }, minReadySeconds: 0, available: true },
  ];
  for (const { name, pod, minReadySeconds, available } of rows) {
    test(`${name}: ${available}`, () => expect(isPodAvailable(podOf("a", pod), minReadySeconds, now)).toBe(available));
  }

  test("treats null as an unknown time", () => {
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

  test("is that of the pod that has been ready longest", () => {
    const next = nextAvailability([pending, fresh, younger, oldest, done, unknown], 5, { evaluatedAt: now, now });
    expect(next).toMatchObject({ inMs: 700, pod: oldest });
  });

  test("is none without minReadySeconds, or if all pods are available, not ready or of unknown age", () => {
    expect(nextAvailability([fresh, oldest], 0, { evaluatedAt: now, now })).toBeUndefined();
    expect(nextAvailability([pending, done, unknown], 5, { evaluatedAt: now, now })).toBeUndefined();
    expect(nextAvailability([], 5, { evaluatedAt: now, now })).toBeUndefined();
  });

  test("subtracts the time since the status was computed", () => {
    expect(nextAvailability([oldest, fresh], 5, { evaluatedAt: now, now: now + 200 })?.inMs).toBe(500);
  });

  test("is immediate for a pod that has become available since", () => {
    expect(nextAvailability([oldest, fresh], 5, { evaluatedAt: now, now: now + 800 })).toMatchObject({
      inMs: 0,
      pod: oldest,
    });
  });
});
