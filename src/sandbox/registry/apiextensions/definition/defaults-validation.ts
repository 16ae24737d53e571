/** Whether the defaults of a schema are valid, and hold nothing that it does not describe. Source: apiextensions-apiserver v0.36 pkg/apiserver/schema/defaulting/validation.go. */
import { deepEqual } from "../../../../api/field-changes.ts";
import { invalid, type FieldError } from "../../../meta/field-errors.ts";
import { copyOf } from "../../../meta/object.ts";
import { embeddedErrors } from "../schema/objectmeta.ts";
import { pruneValue } from "../schema/pruning.ts";
import type { Structural } from "../schema/structural.ts";
import { fieldErrorsOf } from "../validation/result.ts";
import { schemaValidatorOf, validate } from "../validation/schema-validator.ts";

/** What is wrong with the defaults in a schema; `path` is that of the schema. */
export function defaultsErrors(structural: Structural, path: string): FieldError[] {
  if (!structural.hasDefaults) return [];
  const { items, properties } = structural;
  return [
    ...(structural.default === undefined ? [] : defaultErrors(structural, `${path}.default`)),
    ...(items === undefined ? [] : defaultsErrors(items, `${path}.items`)),
    ...[...properties].flatMap(([name, property]) => defaultsErrors(property, `${path}.properties[${name}]`)),
  ];
}

function defaultErrors(structural: Structural, path: string): FieldError[] {
  const value = structural.default;
  const pruned = copyOf(value);
  const unknown = pruneValue(pruned, structural).length > 0 || !deepEqual(pruned, value);
  const embedded = embeddedErrors(value, { structural, path });
  const asked =
    embedded.length > 0
      ? embedded
      : fieldErrorsOf(validate(schemaValidatorOf(structural.schema), { value, path: "" }), path);
  return [...(unknown ? [invalid(path, value, "must not have unknown fields")] : []), ...asked];
}
