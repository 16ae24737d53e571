import { describe, expect, test } from "bun:test";
import { HorizontalPodAutoscalers } from "../../src/api/kinds.ts";
import { findingsOf } from "../../src/diagnosis/diagnosis.ts";
import { ago, diagnose, type Json, objectOf } from "./world.ts";

const cpu = { type: "Resource", resource: { name: "cpu", target: { type: "Utilization", averageUtilization: 60 } } };
const depth = {
  type: "External",
  external: { metric: { name: "depth" }, target: { type: "AverageValue", averageValue: "10" } },
};
const scaleTargetRef = { apiVersion: "apps/v1", kind: "Deployment", name: "web" };

const condition = (type: string, status: string, reason: string, message = ""): Json => ({
  type,
  status,
  reason,
  message,
});
const able = condition("AbleToScale", "True", "ReadyForNewScale", "recommended size matches current size");
const active = condition("ScalingActive", "True", "ValidMetricFound");

function diagnosisOf(status: Json, ageSeconds = 3600): ReturnType<typeof diagnose> {
  const spec = { scaleTargetRef, minReplicas: 2, maxReplicas: 10, metrics: [cpu, depth] };
  return diagnose(
    HorizontalPodAutoscalers,
    objectOf("web", { spec, status, meta: { creationTimestamp: ago(ageSeconds) } }),
  );
}

describe("an autoscaler", () => {
  const current = { averageUtilization: 112, averageValue: "225m" };
  const currentMetrics = [{ type: "Resource", resource: { name: "cpu", current } }, { type: "" }];

  test("shows the current and the target value of each metric", () => {
    const diagnosis = diagnosisOf({
      currentReplicas: 4,
      desiredReplicas: 8,
      conditions: [able, active],
      currentMetrics,
    });
    expect(diagnosis.is).toBe("well");
    expect(diagnosis.says).toBe("4 of 8 replicas of Deployment web, between 2 and 10");
    expect(diagnosis.notes).toEqual(["cpu: 112%, target 60%", "depth: not known, target 10 a pod"]);
  });

  test("that is limited shows the limit", () => {
    const held = condition("AbleToScale", "True", "ScaleDownStabilized", "recent recommendations were higher");
    const limited = condition("ScalingLimited", "True", "TooManyReplicas", "more than the maximum");
    const { is, notes } = diagnosisOf({ conditions: [held, active, limited], currentMetrics: null });
    expect(is).toBe("well");
    expect(notes).toEqual([
      "cpu: not known, target 60%",
      "depth: not known, target 10 a pod",
      "recent recommendations were higher",
      "more than the maximum",
    ]);
  });

  test.each([
    {
      what: "the wanted size of its target",
      status: {
        currentReplicas: 2,
        conditions: [able, condition("ScalingActive", "False", "FailedGetResourceMetric")],
      },
      says: "2 replicas of Deployment web, and the wanted number is not known, between 2 and 10",
    },
    {
      what: "the size of a target that does not exist",
      status: { conditions: [condition("AbleToScale", "False", "FailedGetScale")] },
      says: "the size of Deployment web is not known, between 2 and 10",
    },
  ])("does not invent $what", ({ status, says }) => {
    expect(diagnosisOf(status).says).toBe(says);
  });

  test("does not suggest the metrics API where a container has no request", () => {
    const message = "failed to get cpu utilization: missing request for cpu in container main of Pod web-1";
    const diagnosis = diagnosisOf({
      conditions: [able, condition("ScalingActive", "False", "FailedGetResourceMetric", message)],
    });
    expect(findingsOf(diagnosis).flatMap(({ advice = [] }) => advice.map(({ words }) => words))).toEqual([
      "describe hpa web -n shop",
    ]);
  });

  test.each([
    ["FailedGetResourceMetric", "get --raw /apis/metrics.k8s.io/v1beta1"],
    ["FailedGetExternalMetric", "get --raw /apis/external.metrics.k8s.io/v1beta1"],
    ["ScalingDisabled", "scale deployment/web --replicas=2"],
  ])("that cannot scale for %s says where to look", (reason, advice) => {
    const diagnosis = diagnosisOf({ conditions: [able, condition("ScalingActive", "False", reason, "why")] });
    expect(diagnosis.is).toBe("waiting");
    expect(JSON.stringify(diagnosis)).toContain(advice);
  });

  test("that is new waits for its first sync", () => {
    const diagnosis = diagnosisOf({}, 10);
    expect(diagnosis.is).toBe("waiting");
    expect(diagnosis.says).toBe("not synced yet; it scales Deployment web, between 2 and 10");
    expect(diagnosis.next).toEqual(["its first sync, within 20 s"]);
  });

  test("that has not been synced for a minute needs its controller", () => {
    const diagnosis = diagnosisOf({}, 60);
    expect(diagnosis.is).toBe("waiting");
    expect(findingsOf(diagnosis).map(({ why }) => why)).toEqual([
      "its status has not been written: is its controller running?",
    ]);
    expect(diagnosis.next).toEqual([]);
  });
});
