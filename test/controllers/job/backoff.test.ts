import { describe, expect, test } from "bun:test";
import { formatTime } from "../../../src/api/time.ts";
import type { Pod } from "../../../src/api/types.ts";
import { type Backoff, nextBackoff, remainingMs, remainingMsOfIndex } from "../../../src/controllers/job/backoff.ts";
import { finishTime } from "../../../src/controllers/job/finish-time.ts";
import golden from "./golden-backoff.json";
import { sceneStart } from "../../support/sync-context.ts";
import { ended, failureCountAnnotation, ignoredCountAnnotation, podOf, running } from "./objects.ts";

const second = 1000;
const at = (seconds: number): number => sceneStart + seconds * second;
const pods = (...ends: readonly number[]): Pod[] => ends.map((end, n) => podOf(`p${n}`, { endedMs: end * second }));

describe("the consecutive failures of a Job", () => {
  const rows = [
    { says: "none without pods", before: undefined, succeeded: [], failed: [], failures: 0, last: undefined },
    {
      says: "stay the same without new pods",
      before: { failures: 2, lastFailureAt: at(1) },
      succeeded: [],
      failed: [],
      failures: 2,
      last: 1,
    },
    {
      says: "grow by all new ones, the latest last",
      before: { failures: 1, lastFailureAt: at(1) },
      succeeded: [],
      failed: [9, 5],
      failures: 3,
      last: 9,
    },
    { says: "start with the first", before: undefined, succeeded: [], failed: [5], failures: 1, last: 5 },
    {
      says: "end with a success",
      before: { failures: 3, lastFailureAt: at(1) },
      succeeded: [5],
      failed: [],
      failures: 0,
      last: undefined,
    },
    {
      says: "restart after the last success",
      before: { failures: 3, lastFailureAt: at(1) },
      succeeded: [2, 5],
      failed: [1, 5, 6, 8],
      failures: 2,
      last: 8,
    },
    {
      says: "are none if all are older than the success",
      before: undefined,
      succeeded: [9],
      failed: [5, 8],
      failures: 0,
      last: undefined,
    },
  ];
  for (const { says, before, succeeded, failed, failures, last } of rows) {
    test(says, () => {
      expect(nextBackoff(before, { succeeded: pods(...succeeded), failed: pods(...failed) })).toEqual({
        failures,
        lastFailureAt: last === undefined ? undefined : at(last),
      });
    });
  }
});

describe("the delay after failures", () => {
  const rows = [
    { failures: 0, agoSeconds: 0, waits: 0 },
    { failures: 1, agoSeconds: 0, waits: 10 },
    { failures: 1, agoSeconds: 4, waits: 6 },
    { failures: 2, agoSeconds: 0, waits: 20 },
    { failures: 6, agoSeconds: 0, waits: 320 },
    { failures: 7, agoSeconds: 0, waits: 600 },
    { failures: 99, agoSeconds: 0, waits: 600 },
    { failures: 3, agoSeconds: 60, waits: 0 },
  ];
  for (const { failures, agoSeconds, waits } of rows) {
    test(`is ${waits} s, ${agoSeconds} s after failure ${failures}`, () => {
      const record = { failures, lastFailureAt: failures === 0 ? undefined : at(-agoSeconds) };
      expect(remainingMs(record, { now: at(0) })).toBe(waits * second);
    });
  }

  test("of an index depends on its last failed pod, including ignored failures", () => {
    const annotations = { [failureCountAnnotation]: "1", [ignoredCountAnnotation]: "1" };
    expect(remainingMsOfIndex(podOf("p", { endedMs: 0, annotations }), { now: at(5) })).toBe(35 * second);
    expect(remainingMsOfIndex(podOf("p", { endedMs: 0 }), { now: at(5) })).toBe(5 * second);
    expect(remainingMsOfIndex(undefined, { now: at(0) })).toBe(0);
  });
});

describe("the end of a pod", () => {
  const notReady = { conditions: [{ type: "Ready", status: "False", lastTransitionTime: formatTime(at(40)) }] };
  const sidecar = { spec: { initContainers: [{ name: "side", restartPolicy: "Always" }, { name: "init" }] } };
  const rows = [
    {
      says: "is that of its last container",
      pod: podOf("p", { status: { containerStatuses: [ended("a", 0, 9000), ended("b", 0, 7000)], ...notReady } }),
      seconds: 9,
    },
    {
      says: "is that of its sidecar",
      pod: podOf("p", {
        ...sidecar,
        status: { containerStatuses: [ended("a", 0, 9000)], initContainerStatuses: [ended("side", 0, 12_000)] },
      }),
      seconds: 12,
    },
    {
      says: "does not depend on init containers",
      pod: podOf("p", {
        ...sidecar,
        status: {
          containerStatuses: [ended("a", 0, 9000)],
          initContainerStatuses: [ended("side", 0, 1000), ended("init", 0, 99_000)],
        },
      }),
      seconds: 9,
    },
    {
      says: "is when it became not ready, while a container runs",
      pod: podOf("p", { status: { containerStatuses: [ended("a", 0, 9000), running("b")], ...notReady } }),
      seconds: 40,
    },
    {
      says: "is when it became not ready, while a sidecar runs",
      pod: podOf("p", {
        ...sidecar,
        status: {
          containerStatuses: [ended("a", 0, 9000)],
          initContainerStatuses: [running("side")],
          ...notReady,
        },
      }),
      seconds: 40,
    },
    {
      says: "is when its deletion was requested",
      pod: podOf("p", { meta: { deletionTimestamp: formatTime(at(90)), deletionGracePeriodSeconds: 30 } }),
      seconds: 60,
    },
    {
      says: "is its creation, if nothing else is known",
      pod: podOf("p", {
        meta: { creationTimestamp: formatTime(at(3)) },
        status: { conditions: [{ type: "Ready", status: "True", lastTransitionTime: formatTime(at(40)) }] },
      }),
      seconds: 3,
    },
  ];
  for (const { says, pod, seconds } of rows) test(says, () => expect(finishTime(pod)).toBe(at(seconds)));
});

/** Generated by upstream's functions with scripts/upstream-golden/extract.ts. Times are relative to the start of the scene. */
describe("as in upstream's functions", () => {
  test("60 Jobs after each of several rounds of failures and successes", () => {
    for (const rounds of golden.jobs) {
      let known: Backoff | undefined;
      for (const { succeeded, failed, failures, last, nowMs, waitMs } of rounds as readonly Round[]) {
        known = nextBackoff(known, { succeeded: pods(...succeeded), failed: pods(...failed) });
        const waits = remainingMs(known, { now: sceneStart + nowMs });
        expect({ known, waits }).toEqual({
          known: { failures, lastFailureAt: last === undefined ? undefined : at(last) },
          waits: waitMs,
        });
      }
    }
  });

  test("120 indexes after their last failed pod", () => {
    for (const { counted, ignored, ended: endedAt, nowMs, waitMs } of golden.indexes) {
      const annotations = { [failureCountAnnotation]: String(counted), [ignoredCountAnnotation]: String(ignored) };
      const pod = podOf("p", { endedMs: endedAt * second, annotations });
      expect(remainingMsOfIndex(pod, { now: sceneStart + nowMs })).toBe(waitMs);
    }
  });
});

interface Round {
  readonly succeeded: readonly number[];
  readonly failed: readonly number[];
  readonly failures: number;
  readonly last?: number;
  readonly nowMs: number;
  readonly waitMs: number;
}
