/** The validation rules of a schema: `x-kubernetes-validations`. */
import { compileRules } from "../../../cel/schema/rules.ts";
import type { Verdict } from "../../../cel/schema/validator.ts";
import type { ApiObject } from "../../../meta/object.ts";
import { ruleSchemaOf } from "../schema/rule-schema.ts";
import type { JSONSchemaProps } from "../schema/structural.ts";

/** Evaluates the rules of a schema on an object; for updates, also with the old object. */
export type RuleValidator = (object: ApiObject, old: ApiObject | undefined) => Verdict;

/** Compiles the rules of a schema; undefined if there are none. */
export function rulesOf(schema: JSONSchemaProps | undefined): RuleValidator | undefined {
  const validator = schema === undefined ? undefined : compileRules(ruleSchemaOf(schema), { path: "" }).validator;
  return validator === undefined ? undefined : (object, old) => validator.validate(object, { old });
}
