import { describe, expect, test } from "bun:test";
import {
  externalShareUsage,
  externalUsage,
  type Proposal,
  replicasForAverage,
  replicasForExternalShare,
  replicasForShare,
  replicasForUtilization,
  replicasForValue,
} from "../../../src/controllers/horizontal-pod-autoscaler/replica-calculator.ts";
import type { Measured } from "../../../src/controllers/horizontal-pod-autoscaler/pod-groups.ts";
import { goldenNow, podOf, type ReplicaCase, replicaCases } from "./golden.ts";

/** The measurements of a case; the pods request the resource of the metric, or CPU for other kinds of metrics. */
function measuredOf({ pods, metrics = {}, resource }: ReplicaCase): Measured {
  const found = Object.entries(metrics).map(([name, { age, window, value }]) => {
    return [name, { timestamp: goldenNow - age * 1000, windowMs: window * 1000, value: BigInt(value) }] as const;
  });
  return {
    pods: pods.map((pod) => podOf(pod, resource ?? "cpu")),
    metrics: new Map(found),
    grouping: { resource, now: goldenNow, cpuInitializationPeriodMs: 300_000, initialReadinessDelayMs: 30_000 },
  };
}

function proposalOf(one: ReplicaCase, measured: Measured): Proposal {
  const { kind, current, down, up, target, resource = "", container = "", values = [] } = one;
  const goal = { current, tolerances: { down, up } };
  const sum = kind === "external-per-pod" ? externalShareUsage : externalUsage;
  const usage = sum(values.map(BigInt));
  const value = { ...goal, target: BigInt(target), usage };
  switch (kind) {
    case "resource": {
      const of = container === "" ? undefined : container;
      return replicasForUtilization(measured, { ...goal, resource, container: of, target: Number(target) });
    }
    case "raw":
    case "pods":
      return replicasForAverage(measured, { ...goal, target: BigInt(target) });
    case "object":
    case "external":
      return replicasForValue(value, measured.pods);
    case "object-per-pod":
      return replicasForShare(value);
    case "external-per-pod":
      return replicasForExternalShare(value);
  }
}

/** The result in the form of the golden table. */
function resultOf(one: ReplicaCase, measured: Measured): ReplicaCase["result"] {
  try {
    const { replicas, usage, utilization = 0 } = proposalOf(one, measured);
    return { replicas, ...(utilization !== 0 && { utilization }), usage: String(usage) };
  } catch (error) {
    return { replicas: 0, error: (error as Error).message };
  }
}

/** Upstream iterates pods in any order and reports the first one for which the calculation fails, so any of these is right. */
function resultsOf(one: ReplicaCase): readonly ReplicaCase["result"][] {
  const measured = measuredOf(one);
  const first = resultOf(one, measured);
  if (first.error === undefined) return [first];
  return measured.pods.map((pod) => resultOf(one, { ...measured, pods: [pod, ...measured.pods] })).concat(first);
}

describe("3,000 random inputs are calculated as by kube-controller-manager", () => {
  const cases = replicaCases();
  const kinds = [...new Set(cases.map(({ kind }) => kind))].sort();
  test.each(kinds)("%s", (kind) => {
    const wrong = cases
      .filter((one) => one.kind === kind)
      .filter((one) => !resultsOf(one).some((result) => Bun.deepEquals(result, one.result)))
      .map((one) => ({ one: JSON.stringify(one), ours: resultsOf(one)[0] }));
    expect(wrong.slice(0, 3)).toEqual([]);
    expect(cases.filter((one) => one.kind === kind).length).toBeGreaterThan(250);
  });

  test("and they have every outcome", () => {
    const errors = new Set(cases.flatMap(({ result }) => result.error?.split(/ (for|in|Pod) /)[0] ?? []));
    expect([...errors].sort()).toMatchInlineSnapshot(`
      [
        "container b not found",
        "container side not found",
        "did not receive metrics",
        "missing request",
        "no metrics returned matched known pods",
        "no pods returned by selector while calculating replica count",
        "unable to calculate ready pods: no pods returned by selector while calculating replica count",
      ]
    `);
  });
});
