/** Schemas of definitions as the rules in them see them. */
import type { JsonSchema } from "../../../cel/schema/schema.ts";
import type { JSONSchemaProps } from "./structural.ts";

/** A schema as its rules see it. */
export function ruleSchemaOf(schema: JSONSchemaProps): JsonSchema {
  // The two types differ in one point: `items` may be a list of schemas in a definition, which is refused for that.
  return schema as JsonSchema;
}
