/**
 * Validates that the defaults of a schema are valid, and contain nothing that it does not describe.
 * Source: apiextensions-apiserver v0.36 pkg/apiserver/schema/defaulting/validation.go.
 */
import { compileRules } from "../../../cel/schema/rules.ts";
import { objectBudget } from "../../../cel/schema/validator.ts";
import { deepEqual } from "../../../../api/field-changes.ts";
import { invalid, type FieldError } from "../../../meta/field-errors.ts";
import { copyOf } from "../../../meta/object.ts";
import { ruleSchemaOf } from "../schema/rule-schema.ts";
import { embeddedErrors } from "../schema/objectmeta.ts";
import { pruneValue } from "../schema/pruning.ts";
import type { Structural } from "../schema/structural.ts";
import { fieldErrorsOf } from "../validation/result.ts";
import { schemaValidatorOf, validate } from "../validation/schema-validator.ts";

/** Validates the defaults in the schema of a resource; `path` is the schema's path. */
export function defaultsErrors(structural: Structural, path: string): FieldError[] {
  const walk: Walk = { errors: [], budget: objectBudget };
  visit(structural, { path, isRoot: true, walk });
  return walk.errors;
}

/** A walk through a schema; all rules share one budget. The walk stops when it is spent. */
interface Walk {
  readonly errors: FieldError[];
  budget: number;
}

interface Place {
  readonly path: string;
  /** A whole resource. */
  readonly isRoot: boolean;
  readonly walk: Walk;
}

function visit(structural: Structural, place: Place): void {
  const { path, walk } = place;
  if (!structural.hasDefaults) return;
  if (structural.default !== undefined) checkDefault(structural, { ...place, path: `${path}.default` });
  const below = (part: Structural, at: string): void => {
    if (walk.budget >= 0) visit(part, { path: `${path}.${at}`, isRoot: part.isEmbeddedResource, walk });
  };
  if (structural.items !== undefined) below(structural.items, "items");
  for (const [name, property] of structural.properties) below(property, `properties[${name}]`);
}

function checkDefault(structural: Structural, place: Place): void {
  const { path, walk } = place;
  const value = structural.default;
  const pruned = copyOf(value);
  const unknown = pruneValue(pruned, structural).length > 0 || !deepEqual(pruned, value);
  if (unknown) walk.errors.push(invalid(path, value, "must not have unknown fields"));
  const embedded = embeddedErrors(value, { structural, path });
  const errors =
    embedded.length > 0
      ? embedded
      : fieldErrorsOf(validate(schemaValidatorOf(structural.schema), { value, path: "" }), path);
  walk.errors.push(...errors);
  if (errors.length === 0) checkRules(structural, place);
}

/** A default must satisfy the rules both as a new value and as an unchanged one. */
function checkRules({ schema, default: value }: Structural, { path, isRoot, walk }: Place): void {
  const { validator } = compileRules(ruleSchemaOf(schema), { path, isRoot });
  if (validator === undefined) return;
  const { budget } = walk;
  const kept = validator.validate(value, { old: value, path, budget, ratchets: false });
  const added = kept.errors.length > 0 ? undefined : validator.validate(value, { path, budget });
  walk.errors.push(...kept.errors, ...(added?.errors ?? []));
  walk.budget = Math.min(kept.budget, added?.budget ?? kept.budget);
}
