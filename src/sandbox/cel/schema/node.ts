/**
 * A schema with its rules compiled, between the part that makes it and the part that judges objects by it.
 */
import type { Program } from "../program/compile.ts";
import type { JsonSchema, ValidationRule } from "./schema.ts";

/** What one evaluation may cost. */
export const perCallLimit = 1_000_000;

/** A rule that has been compiled. */
export interface CompiledRule {
  readonly rule: ValidationRule;
  readonly usesOldSelf: boolean;
  /** Undefined for an empty rule. */
  readonly program: Program | undefined;
  readonly problem: string | undefined;
  readonly message: Program | undefined;
  readonly fieldPath: string | undefined;
}

/** A part of a schema with rules in it or below it. */
export interface ValidatorNode {
  readonly schema: JsonSchema;
  /** A whole resource. */
  readonly isRoot: boolean;
  readonly rules: readonly CompiledRule[];
  readonly items: ValidatorNode | undefined;
  readonly values: ValidatorNode | undefined;
  readonly fields: ReadonlyMap<string, ValidatorNode>;
}
