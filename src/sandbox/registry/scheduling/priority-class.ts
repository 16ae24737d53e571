/** PriorityClasses. Source: kubernetes v1.36 pkg/apis/scheduling/validation/validation.go. */
import { notAllowed, notSupported, required, type FieldError } from "../../meta/field-errors.ts";
import type { RESTStrategy } from "../strategy/rest-strategy.ts";
import { restStrategy } from "../strategy/default-strategy.ts";
import { validateChange, validateObjectMetaUpdate } from "../strategy/validation-steps.ts";
import { fixed, isOneOf } from "../../validation/spec-checks.ts";

const highestOwnPriority = 1_000_000_000;

/** PriorityClasses: their value never changes; their generation is always 1. */
export const priorityClassStrategy: RESTStrategy = restStrategy({
  generation: "fixed",
  updateSteps: [validateObjectMetaUpdate, validateChange],
  validate({ metadata: { name = "" }, value, preemptionPolicy: policy }) {
    const errors: FieldError[] = [];
    if (name.startsWith("system-")) {
      if (!systemClasses.has(name)) {
        const why = `priority class names with 'system-' prefix are reserved for system use only. error: ${name} is not a known system priority class`;
        errors.push(notAllowed("metadata.name", why));
      }
    } else if (typeof value === "number" && value > highestOwnPriority) {
      const why = `maximum allowed value of a user defined priority is ${highestOwnPriority}`;
      errors.push(notAllowed("value", why));
    }
    const policies = ["PreemptLowerPriority", "Never"];
    if (policy === undefined || policy === "") errors.push(required("preemptionPolicy"));
    else if (!isOneOf(policy, policies)) errors.push(notSupported("preemptionPolicy", policy, policies));
    return errors;
  },
  validateUpdate: (priority, old) => [
    ...(priority["value"] === old["value"] ? [] : [notAllowed("value", "may not be changed in an update.")]),
    ...fixed(priority["preemptionPolicy"], old["preemptionPolicy"], "preemptionPolicy"),
  ],
});

const systemClasses = new Set(["system-node-critical", "system-cluster-critical"]);
