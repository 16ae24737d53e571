/** Schemas of definitions as CEL rules see them. */
import type { JsonSchema } from "../../../cel/schema/schema.ts";
import type { JSONSchemaProps } from "./structural.ts";

/** A schema as its rules see it. */
export function ruleSchemaOf(schema: JSONSchemaProps): JsonSchema {
  // The two types differ in one point: in a definition, `items` may be a list of schemas, which is rejected.
  return schema as JsonSchema;
}
