/** Validation steps of the subresources that write one part of a pod. */
import type { FieldError } from "../../../../meta/field-errors.ts";
import type { ApiObject } from "../../../../meta/object.ts";
import type { UpdateStep } from "../../../strategy/rest-strategy.ts";
import {
  errorsOf,
  validateChange,
  validateObject,
  validateObjectMeta,
  validateObjectMetaUpdate,
} from "../../../strategy/validation-steps.ts";

const steps: readonly UpdateStep[] = [validateObjectMetaUpdate, validateObjectMeta, validateObject, validateChange];

/** The steps of any pod update, unless `refuse` finds that the stored pod cannot be changed: then only its errors. */
export function stepsUnless(refuse: (old: ApiObject) => readonly FieldError[]): readonly UpdateStep[] {
  return [
    (write) => {
      const errors = refuse(write.old);
      return errors.length > 0 ? errors : errorsOf(steps, write);
    },
  ];
}
