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
      rememberChange(history, { from: current, to: normal.replicas, at: now, up, down });
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
