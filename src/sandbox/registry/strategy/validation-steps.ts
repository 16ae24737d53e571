/** The validation steps of kinds. */
import type { FieldError } from "../../meta/field-errors.ts";
import { metadataErrors, metadataUpdateErrors, unqualifiedFinalizerErrors } from "../../validation/metadata.ts";
import type { ChangedObject, NewObject, UpdateStep } from "./rest-strategy.ts";

/** Validates the metadata. Source: apimachinery v0.36 api/validation/objectmeta.go ValidateObjectMeta. */
export const validateObjectMeta = ({ object, namespaced, strategy }: NewObject): FieldError[] =>
  metadataErrors(object, namespaced, strategy);

/** Rejects changes of immutable metadata. Source: the same file, ValidateObjectMetaUpdate. */
export const validateObjectMetaUpdate = ({ object, old, strategy }: ChangedObject): FieldError[] => [
  ...metadataUpdateErrors(object, old),
  ...(strategy.takesAnyFinalizer === true ? [] : unqualifiedFinalizerErrors(object)),
];

/** The kind's checks of any of its objects: `validate`. */
export const validateObject = ({ object, version, strategy }: NewObject): FieldError[] =>
  strategy.validate?.(object, version) ?? [];

/** The kind's checks of new objects: `validateCreate`. */
export const validateNewObject = ({ object, version, strategy, context }: NewObject): FieldError[] =>
  strategy.validateCreate?.(object, version, context) ?? [];

/** The checks of what has changed: `validateUpdate` of the kind or of its subresource. */
export const validateChange = ({ object, old, version, update }: ChangedObject): FieldError[] =>
  update.validateUpdate?.(object, old, version) ?? [];

/** All errors of some steps, in order. */
export function errorsOf(steps: readonly UpdateStep[], write: ChangedObject): readonly FieldError[] {
  return steps.flatMap((step) => step(write));
}
