/** CSIStorageCapacities. Source: kubernetes v1.36 pkg/apis/storage/validation/validation.go. */
import { invalid, type FieldError } from "../../meta/field-errors.ts";
import { parseQuantity } from "../../../api/quantity.ts";
import { isFields, type ApiObject } from "../../meta/object.ts";
import { subdomainErrors } from "../../validation/checks.ts";
import type { RESTStrategy } from "../strategy/rest-strategy.ts";
import { restStrategy } from "../strategy/default-strategy.ts";
import {
  validateChange,
  validateObject,
  validateObjectMeta,
  validateObjectMetaUpdate,
} from "../strategy/validation-steps.ts";
import { nodeSelectorWarnings } from "../../validation/node-label-warnings.ts";
import { fixed, selectorErrors } from "../../validation/spec-checks.ts";

function capacityErrors(value: unknown, field: string): FieldError[] {
  const quantity = typeof value === "string" ? parseQuantity(value) : undefined;
  return quantity !== undefined && quantity.nano < 0n
    ? [invalid(field, value, "must be greater than or equal to 0")]
    : [];
}

const warnings = ({ nodeTopology }: ApiObject): string[] => nodeSelectorWarnings(nodeTopology, "nodeTopology");

/** CSIStorageCapacities. */
export const csiStorageCapacityStrategy: RESTStrategy = restStrategy({
  allowUnconditionalUpdate: false,
  updateSteps: [validateObjectMeta, validateObject, validateObjectMetaUpdate, validateChange],
  validate: (capacity) => [
    ...(isFields(capacity["nodeTopology"]) ? selectorErrors(capacity["nodeTopology"], "nodeTopology") : []),
    ...subdomainErrors(capacity["storageClassName"], "storageClassName"),
    ...capacityErrors(capacity["capacity"], "capacity"),
  ],
  warningsOnCreate: warnings,
  warningsOnUpdate: warnings,
  validateUpdate: (now, old) =>
    ["nodeTopology", "storageClassName"].flatMap((field) => fixed(now[field], old[field], field)),
});
