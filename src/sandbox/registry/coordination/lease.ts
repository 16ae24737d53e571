/** Leases. Source: kubernetes v1.36 pkg/apis/coordination/validation/validation.go. */
import { invalid, type FieldError } from "../../meta/field-errors.ts";
import type { ApiObject } from "../../meta/object.ts";
import type { RESTStrategy } from "../strategy/rest-strategy.ts";
import { restStrategy } from "../strategy/default-strategy.ts";

/** The fields belong to coordinated leader election, which is off by default. */
function dropStrategy({ spec = {} }: ApiObject): void {
  delete spec["strategy"];
  delete spec["preferredHolder"];
}

/** Leases: without a resourceVersion, a PUT can only create. */
export const leaseStrategy: RESTStrategy = restStrategy({
  takesAnyFinalizer: true,
  allowCreateOnUpdate: true,
  allowUnconditionalUpdate: false,
  prepareForCreate: dropStrategy,
  prepareForUpdate: dropStrategy,
  validate({ spec = {} }) {
    const { leaseDurationSeconds: duration, leaseTransitions: transitions } = spec as Record<string, unknown>;
    const errors: FieldError[] = [];
    if (typeof duration === "number" && duration <= 0) {
      errors.push(invalid("spec.leaseDurationSeconds", duration, "must be greater than 0"));
    }
    if (typeof transitions === "number" && transitions < 0) {
      errors.push(invalid("spec.leaseTransitions", transitions, "must be greater than or equal to 0"));
    }
    return errors;
  },
});
