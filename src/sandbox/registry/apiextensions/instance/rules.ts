/** Where the validation rules of a schema will be evaluated: `x-kubernetes-validations`. */
import type { FieldError } from "../../../meta/field-errors.ts";
import type { ApiObject } from "../../../meta/object.ts";
import type { JSONSchemaProps } from "../schema/structural.ts";

/** Evaluates the rules of a schema on an object, and on what it was before an update. */
export type RuleValidator = (object: ApiObject, old: ApiObject | undefined) => readonly FieldError[];

/**
 * Compiles the rules of a schema; undefined where there are none.
 * differs: rules are not evaluated yet. A definition that has some is accepted with a warning (`warningsOfRules`).
 */
export function rulesOf(_schema: JSONSchemaProps | undefined): RuleValidator | undefined {
  return undefined;
}
