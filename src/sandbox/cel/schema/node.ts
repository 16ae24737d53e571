/** A schema with compiled rules, shared by the compiler and the validator. */
import type { Program } from "../program/compile.ts";
import type { JsonSchema, ValidationRule } from "./schema.ts";

/** The cost limit of one evaluation. */
export const perCallLimit = 1_000_000;

/** A compiled rule. */
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
