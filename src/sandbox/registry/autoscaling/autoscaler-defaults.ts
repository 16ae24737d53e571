/** Defaults of HorizontalPodAutoscalers. Source: kubernetes v1.36 pkg/apis/autoscaling/v2/defaults.go. */
import { child, isFields, type Fields } from "../../meta/object.ts";
import { fill, fillUnset, type Filler } from "../strategy/fill.ts";

const percent = { type: "Percent", value: 100, periodSeconds: 15 };
const pods = { type: "Pods", value: 4, periodSeconds: 15 };

/** If either direction has rules, both get defaults. */
function behavior(fields: Fields): void {
  const up = child(fields, "scaleUp");
  fillUnset(up, { stabilizationWindowSeconds: 0, selectPolicy: "Max" });
  up["policies"] ??= [{ ...pods }, { ...percent }];
  const down = child(fields, "scaleDown");
  fillUnset(down, { selectPolicy: "Max" });
  down["policies"] ??= [{ ...percent }];
}

/** The defaults of HorizontalPodAutoscalers, by type. */
export const autoscalerDefaults: Readonly<Record<string, Filler>> = {
  "autoscaling.v1.HorizontalPodAutoscaler": (autoscaler) => fill(child(autoscaler, "spec"), { minReplicas: 1 }),
  "autoscaling.v2.HorizontalPodAutoscaler": (autoscaler) => {
    const spec = child(autoscaler, "spec");
    fill(spec, { minReplicas: 1 });
    if (!Array.isArray(spec["metrics"]) || spec["metrics"].length === 0) {
      const target = { type: "Utilization", averageUtilization: 80 };
      spec["metrics"] = [{ type: "Resource", resource: { name: "cpu", target } }];
    }
    if (isFields(spec["behavior"])) behavior(spec["behavior"]);
  },
};
