import { describe, expect, test } from "bun:test";
import * as fc from "fast-check";
import type { Pod, PodSpec } from "../../../src/api/types.ts";
import { advance } from "../../../src/controllers/kubelet/advance.ts";
import { newPodLife, graceMs, hasEnded, type PodLife } from "../../../src/controllers/kubelet/life.ts";
import { phaseOf } from "../../../src/controllers/kubelet/phase.ts";
import { restoreLife } from "../../../src/controllers/kubelet/restore.ts";
import { statusOf } from "../../../src/controllers/kubelet/status.ts";
import { annotation } from "../../support/pods.ts";

const start = Date.UTC(2026, 0, 1);

function podOf(spec: object, annotations: Readonly<Record<string, string>> = {}): Pod {
  return {
    metadata: {
      namespace: "default",
      name: "pod",
      uid: "u-1",
      resourceVersion: "1",
      creationTimestamp: "2026-01-01T00:00:00Z",
      annotations: Object.fromEntries(Object.entries(annotations).map(([name, value]) => [annotation(name), value])),
    },
    spec: spec as PodSpec,
  };
}

const seconds = (most: number): fc.Arbitrary<string> => fc.integer({ min: 0, max: most }).map((n) => `${n}s`);

/** Pods with init containers, sidecars, probes, crashes and deadlines in every combination. */
const anyPod: fc.Arbitrary<Pod> = fc
  .record({
    inits: fc.array(fc.constantFrom("init", "sidecar"), { maxLength: 3 }),
    mains: fc.integer({ min: 1, max: 2 }),
    restartPolicy: fc.constantFrom("Always", "OnFailure", "Never"),
    deadline: fc.option(fc.integer({ min: 1, max: 60 }), { nil: undefined }),
    annotations: fc.record(
      {
        "start-after": seconds(3),
        "run-for": seconds(20),
        "exit-code": fc.constantFrom("0", "1"),
        crashes: fc.constantFrom("0", "1", "3"),
        "ready-after": seconds(5),
        "readiness-fails-after": seconds(20),
        "liveness-fails-after": seconds(20),
        "stop-after": seconds(3),
        "pull-fails": fc.constantFrom("true", "false"),
      },
      { requiredKeys: [] },
    ),
  })
  .map(({ inits, mains, restartPolicy, deadline, annotations }) =>
    podOf(
      {
        restartPolicy,
        ...(deadline !== undefined && { activeDeadlineSeconds: deadline }),
        initContainers: inits.map((role, index) => ({
          name: `init-${index}`,
          ...(role === "sidecar" && { restartPolicy: "Always" }),
        })),
        containers: Array.from({ length: mains }, (_, index) => ({
          name: `main-${index}`,
          livenessProbe: { periodSeconds: 1, failureThreshold: 2 },
        })),
      },
      annotations,
    ),
  );

const anySteps = fc.array(fc.integer({ min: 1, max: 20_000 }), { minLength: 1, maxLength: 20 });

const statusNow = (pod: Pod, life: PodLife, now: number): unknown =>
  statusOf(pod, life, { hostIP: "172.20.0.2", podIP: "10.1.0.1" }, now);

describe("the life of a pod", () => {
  test("does not depend on how often it is examined", () => {
    fc.assert(
      fc.property(anyPod, anySteps, (pod, steps) => {
        const [watched, left] = [newPodLife(pod, start), newPodLife(pod, start)];
        let now = start;
        for (const step of steps) {
          now += step;
          advance(pod, watched, now);
        }
        advance(pod, left, now);
        expect(statusNow(pod, watched, now)).toEqual(statusNow(pod, left, now));
      }),
      { seed: 42, numRuns: 400 },
    );
  });

  test("never leaves a terminal phase, never decreases restarts, and has the time of the next change", () => {
    fc.assert(
      fc.property(anyPod, (pod) => {
        const life = newPodLife(pod, start);
        let before = { phase: "Pending", restarts: 0 };
        let now = start;
        for (let turns = 0; turns < 60; turns++) {
          const { nextAt } = advance(pod, life, now);
          const phase = phaseOf(pod, life, now);
          const restarts = life.containers.reduce((sum, container) => sum + container.restarts, 0);
          if (before.phase === "Succeeded" || before.phase === "Failed")
            expect(phase).toBe(before.phase as typeof phase);
          expect(restarts).toBeGreaterThanOrEqual(before.restarts);
          before = { phase, restarts };
          if (nextAt === undefined) return;
          expect(nextAt).toBeGreaterThan(now);
          now = nextAt;
        }
      }),
      { seed: 43, numRuns: 400 },
    );
  });

  test("ends within the grace period after its deletion, in any state", () => {
    fc.assert(
      fc.property(anyPod, fc.integer({ min: 0, max: 60_000 }), (pod, after) => {
        const life = newPodLife(pod, start);
        advance(pod, life, start + after);
        const at = start + after;
        life.stop ??= { at, deadline: at + graceMs(pod) };
        advance(pod, life, life.stop.deadline + 10_000);
        expect(hasEnded(life)).toBe(true);
        expect(["Succeeded", "Failed"]).toContain(phaseOf(pod, life, life.stop.deadline + 10_000));
      }),
      { seed: 44, numRuns: 400 },
    );
  });

  test("continues from its status after a restart of the kubelet", () => {
    fc.assert(
      fc.property(anyPod, fc.integer({ min: 1, max: 40 }), (pod, afterSeconds) => {
        const life = newPodLife(pod, start);
        const now = start + afterSeconds * 1000;
        advance(pod, life, now);
        const status = statusOf(pod, life, { hostIP: "172.20.0.2", podIP: "10.1.0.1" }, now);
        const restored = restoreLife({ ...pod, status }, now);
        for (const [index, container] of life.containers.entries()) {
          const other = restored.containers[index];
          expect(other?.state.is).toBe(container.state.is);
          expect(other?.restarts).toBe(container.restarts);
          expect(other?.backoffMs).toBeLessThanOrEqual(Math.max(10_000, container.backoffMs));
        }
      }),
      { seed: 45, numRuns: 400 },
    );
  });
});
