/** VolumeAttributesClasses. Source: kubernetes v1.36 pkg/apis/storage/validation/validation.go. */
import { notAllowed } from "../../meta/field-errors.ts";
import { textOf } from "../../meta/object.ts";
import { isEqual, neededErrors, parameterErrors, qualifiedNameErrors } from "../../validation/checks.ts";
import type { RESTStrategy } from "../strategy/rest-strategy.ts";
import { restStrategy } from "../strategy/default-strategy.ts";
import {
  validateChange,
  validateObject,
  validateObjectMeta,
  validateObjectMetaUpdate,
} from "../strategy/validation-steps.ts";

/** VolumeAttributesClasses: driver and parameters never change. */
export const volumeAttributesClassStrategy: RESTStrategy = restStrategy({
  updateSteps: [validateObjectMetaUpdate, validateChange, validateObjectMeta, validateObject],
  returnsDeletedObject: true,
  validate: (volumeClass) => [
    ...neededErrors(textOf(volumeClass["driverName"]).toLowerCase(), "driverName", qualifiedNameErrors),
    ...parameterErrors(volumeClass["parameters"], "parameters", false),
  ],
  validateUpdate: (now, old) =>
    ["driverName", "parameters"].flatMap((field) =>
      isEqual(now[field], old[field]) ? [] : [notAllowed(field, `updates to ${field} are forbidden.`)],
    ),
});
