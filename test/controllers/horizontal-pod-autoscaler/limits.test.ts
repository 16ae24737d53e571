import { describe, expect, test } from "bun:test";
import { noHistory } from "../../../src/controllers/horizontal-pod-autoscaler/memory.ts";
import { normalize } from "../../../src/controllers/horizontal-pod-autoscaler/normalize.ts";
import { defaultOptions } from "../../../src/controllers/horizontal-pod-autoscaler/options.ts";
import { rememberChange } from "../../../src/controllers/horizontal-pod-autoscaler/limits.ts";
import { rememberStart } from "../../../src/controllers/horizontal-pod-autoscaler/stabilize.ts";
import { withWindow } from "../../../src/controllers/horizontal-pod-autoscaler/spec.ts";
import { goldenNow, type LimitCase, limitCases } from "./golden.ts";

/** Runs a case; returns the steps with the results of this implementation. */
function played({ behavior, min, max, start, steps }: LimitCase): unknown[] {
  const history = noHistory();
  const scaleTargetRef = { kind: "Deployment", name: "web" };
  const withoutWindow = {
    scaleTargetRef,
    minReplicas: min,
    maxReplicas: max,
    ...(behavior !== undefined && { behavior }),
  };
  const spec = withWindow(withoutWindow, defaultOptions);
  let [now, current] = [goldenNow, start];
  rememberStart(history, { replicas: current, at: now });
  return steps.map((step) => {
    now += step[0];
    if (step[2] === "scaled") {
      current = step[1];
      return step;
    }
    const normal = normalize({ history, spec, options: defaultOptions, current, recommended: step[1], now });
    const { up, down } = { up: behavior?.scaleUp, down: spec.behavior?.scaleDown };
    if (normal.replicas !== current && up !== undefined && down !== undefined)
      rememberChange(history, { from: current, to: normal.replicas, basedOn: String(now), at: now, up, down });
    current = normal.replicas;
    return [step[0], step[1], normal.replicas, normal.able.reason, normal.limited.reason];
  });
}

describe("400 random sequences are stabilized and limited as by kube-controller-manager", () => {
  const cases = limitCases();
  test.each([
    ["without behavior", cases.filter(({ behavior }) => behavior === undefined)],
    ["with behavior", cases.filter(({ behavior }) => behavior !== undefined)],
  ])("%s", (_name, some) => {
    const wrong = some.filter((one) => !Bun.deepEquals(played(one), one.steps));
    expect(wrong.length).toBe(0);
    expect(some.length).toBeGreaterThan(100);
  });
});

describe("a change that is decided again", () => {
  const policies = [{ type: "Pods", value: 4, periodSeconds: 60 }];
  const remembered = (...versions: readonly string[]): readonly number[] => {
    const history = noHistory();
    for (const [index, basedOn] of versions.entries())
      rememberChange(history, { from: 3, to: 4, basedOn, at: goldenNow + index, up: { policies }, down: {} });
    return history.ups.map(({ at }) => at - goldenNow);
  };

  test("counts once, with its last time, while the scale keeps its version: a shadow's owner has not made it yet", () => {
    expect(remembered("7", "7", "7")).toEqual([2]);
  });

  test("counts again if the scale has another version: somebody has undone it", () => {
    expect(remembered("7", "9")).toEqual([0, 1]);
  });

  test("counts again if the version is unknown", () => {
    expect(remembered("", "")).toEqual([0, 1]);
  });
});
