/** The status of PersistentVolumeClaims. Source: kubernetes v1.36 pkg/apis/core/validation/validation.go ValidatePersistentVolumeClaimStatusUpdate. */
import { labelKeyProblems } from "../../../../../api/label-names.ts";
import type { Quantity } from "../../../../../api/quantity.ts";
import { invalid, notSupported, required, type FieldError } from "../../../../meta/field-errors.ts";
import { isFields, textOf, textsIn, type ApiObject } from "../../../../meta/object.ts";
import { isNative } from "../../../../validation/resource-names.ts";
import type { UpdateStrategy } from "../../../strategy/rest-strategy.ts";
import { validateChange, validateObjectMetaUpdate } from "../../../strategy/validation-steps.ts";
import { amountsIn } from "../resources/pod-amounts.ts";

const resizeStatuses = [
  "ControllerResizeInProgress",
  "ControllerResizeInfeasible",
  "NodeResizeInProgress",
  "NodeResizeInfeasible",
  "NodeResizePending",
];

/** As Go's Value(): rounded up. */
const wholeUnits = ({ nano }: Quantity): number => Math.ceil(Number(nano) / 1e9);

/** Storage can be resized, and resources that only the driver knows. */
function resizedErrors(name: string, field: string): FieldError[] {
  const problems = labelKeyProblems(name).map((problem) => invalid(field, name, problem));
  if (problems.length > 0) return problems;
  return name === "storage" || !isNative(name) ? [] : [notSupported(field, name, ["storage"])];
}

function claimStatusErrors({ spec = {}, status = {} }: ApiObject): FieldError[] {
  const amounts = (key: string): [string, Quantity][] => [...amountsIn(status[key])];
  const [resizing, field] = [status["allocatedResourceStatuses"], "status.allocatedResourceStatuses"];
  const negative = (quantity: Quantity, here: string): FieldError[] =>
    quantity.nano < 0n ? [invalid(here, wholeUnits(quantity), "must be a valid resource quantity")] : [];
  return [
    ...(textsIn(spec["accessModes"]).length === 0 ? [required("Spec.accessModes")] : []),
    ...amounts("capacity").flatMap(([name, quantity]) => negative(quantity, `status.capacity[${name}]`)),
    ...Object.entries(isFields(resizing) ? resizing : {}).flatMap(([name, state]) => [
      ...resizedErrors(name, field),
      ...(resizeStatuses.includes(textOf(state)) ? [] : [notSupported(field, name, resizeStatuses)]),
    ]),
    ...amounts("allocatedResources").flatMap(([name, quantity]) => {
      const errors = resizedErrors(name, "status.allocatedResources");
      return errors.length > 0 ? errors : negative(quantity, `status.allocatedResources[${name}]`);
    }),
  ];
}

/** `persistentvolumeclaims/status`. */
export const claimStatusStrategy: Partial<UpdateStrategy> = {
  updateSteps: [validateObjectMetaUpdate, validateChange],
  validateUpdate: claimStatusErrors,
};
