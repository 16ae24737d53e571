/** Schemas that cannot be read as structural. Source: apiextensions-apiserver v0.36 pkg/apiserver/schema/convert.go. */
import { isFields } from "../../../meta/object.ts";
import { schemasIn, type JSONSchemaProps } from "../schema/structural.ts";

/** The first key because of which a schema cannot be read as structural. */
export function unsupportedIn(schema: JSONSchemaProps): string | undefined {
  const keys = ["id", "$schema", "$ref", "patternProperties", "dependencies", "additionalItems", "definitions"];
  const all: Readonly<Record<string, unknown>> = { ...schema };
  const found = keys.find((key) => !isUnset(all[key]));
  if (found !== undefined) return `OpenAPIV3Schema '${found.replace("$schema", "schema")}' is not supported`;
  if (Array.isArray(schema.items)) return "OpenAPIV3Schema 'items' must be a schema, but is an array";
  if (schema["x-kubernetes-preserve-unknown-fields"] === false)
    return "internal error: 'x-kubernetes-preserve-unknown-fields' must be true or undefined";
  for (const part of schemasIn(schema)) {
    const inside = unsupportedIn(part);
    if (inside !== undefined) return inside;
  }
  return undefined;
}

/** True for values that Go omits from a schema: no value, an empty string, an empty object. */
export const isUnset = (value: unknown): boolean =>
  value === undefined || value === null || value === "" || (isFields(value) && Object.keys(value).length === 0);
