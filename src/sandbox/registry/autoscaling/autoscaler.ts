/** HorizontalPodAutoscalers in the form of `autoscaling/v2`. Source: kubernetes v1.36 pkg/apis/autoscaling/validation. */
import { invalid, notAllowed, notSupported, required, type FieldError } from "../../meta/field-errors.ts";
import { fieldsIn, isFields, type ApiObject, type Fields } from "../../meta/object.ts";
import { formatQuantity, parseQuantity } from "../../../api/quantity.ts";
import { metricErrors, referenceErrors } from "./autoscaler-metrics.ts";
import type { RESTStrategy } from "../strategy/rest-strategy.ts";
import { restStrategy } from "../strategy/default-strategy.ts";
import { isOneOf, negativeErrors } from "../../validation/spec-checks.ts";

const longestPeriod = 1800;
const longestWindow = 3600;
const selectPolicies = ["Disabled", "Max", "Min"];
const policyTypes = ["Percent", "Pods"];

function policyErrors(policy: Fields, field: string): FieldError[] {
  const { type, value = 0, periodSeconds: period = 0 } = policy as Record<string, unknown>;
  const errors: FieldError[] = [];
  if (!isOneOf(type, policyTypes)) errors.push(notSupported(`${field}.type`, type ?? "", policyTypes));
  if (typeof value === "number" && value <= 0)
    errors.push(invalid(`${field}.value`, value, "must be greater than zero"));
  if (typeof period !== "number") return errors;
  if (period <= 0) errors.push(invalid(`${field}.periodSeconds`, period, "must be greater than zero"));
  if (period > longestPeriod)
    errors.push(invalid(`${field}.periodSeconds`, period, `must be less than or equal to ${longestPeriod}`));
  return errors;
}

function toleranceErrors(tolerance: unknown, field: string): FieldError[] {
  if (typeof tolerance !== "string") return [];
  const quantity = parseQuantity(tolerance);
  if (quantity === undefined || quantity.nano >= 0n) return [];
  return [invalid(field, formatQuantity(quantity), "must be greater than or equal to 0")];
}

function scalingErrors(rules: unknown, field: string): FieldError[] {
  if (!isFields(rules)) return [];
  const { stabilizationWindowSeconds: window, selectPolicy } = rules;
  const errors: FieldError[] = [];
  if (typeof window === "number") {
    const here = `${field}.stabilizationWindowSeconds`;
    if (window < 0) errors.push(invalid(here, window, "must be greater than or equal to zero"));
    if (window > longestWindow) errors.push(invalid(here, window, `must be less than or equal to ${longestWindow}`));
  }
  if (selectPolicy !== undefined && !isOneOf(selectPolicy, selectPolicies))
    errors.push(notSupported(`${field}.selectPolicy`, selectPolicy, selectPolicies));
  const policies = fieldsIn(rules["policies"]);
  if (policies.length === 0) errors.push(required(`${field}.policies`, "must specify at least one Policy"));
  return [
    ...errors,
    ...policies.flatMap((policy, index) => policyErrors(policy, `${field}.policies[${index}]`)),
    ...toleranceErrors(rules["tolerance"], `${field}.tolerance`),
  ];
}

function boundErrors(spec: Fields): FieldError[] {
  const { minReplicas: min, maxReplicas: max = 0 } = spec as { minReplicas?: unknown; maxReplicas?: unknown };
  if (typeof max !== "number") return [];
  const errors: FieldError[] = [];
  const field = "spec.maxReplicas";
  if (typeof min === "number" && min < 1)
    errors.push(invalid("spec.minReplicas", min, "must be greater than or equal to 1"));
  if (max === 0) errors.push(required(field, "must be set and greater than 0"));
  else if (max < 0) errors.push(invalid(field, max, "must be greater than or equal to 1"));
  if (typeof min === "number" && max < min)
    errors.push(invalid(field, max, "must be greater than or equal to `minReplicas`"));
  return errors;
}

function specErrors({ spec = {} }: ApiObject): FieldError[] {
  const metrics = fieldsIn(spec["metrics"]);
  const behavior = isFields(spec["behavior"]) ? spec["behavior"] : {};
  const errors = [
    ...boundErrors(spec),
    ...referenceErrors(spec["scaleTargetRef"], "spec.scaleTargetRef", false),
    ...metrics.flatMap((metric, index) => metricErrors(metric, `spec.metrics[${index}]`)),
  ];
  const fromOutside = metrics.some(({ type }) => type === "Object" || type === "External");
  if (spec["minReplicas"] === 0 && !fromOutside) {
    const why = "must specify at least one Object or External metric to support scaling to zero replicas";
    errors.push(notAllowed("spec.metrics", why));
  }
  return [
    ...errors,
    ...scalingErrors(behavior["scaleUp"], "spec.behavior.scaleUp"),
    ...scalingErrors(behavior["scaleDown"], "spec.behavior.scaleDown"),
  ];
}

/** HorizontalPodAutoscalers in the form of autoscaling/v2. */
export const autoscalerStrategy: RESTStrategy = restStrategy({
  validate: specErrors,
  status: {
    validateUpdate: ({ status = {} }) => negativeErrors(status, "status", "currentReplicas", "desiredReplicas"),
  },
});
