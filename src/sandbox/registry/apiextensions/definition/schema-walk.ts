/** Walks through the schemas of a definition. Source: apiextensions-apiserver v0.36 pkg/registry/customresourcedefinition/strategy.go. */
import { isFields, type ApiObject, type Fields } from "../../../meta/object.ts";
import { schemasIn, type JSONSchemaProps } from "../schema/structural.ts";
import { knownFormat } from "../validation/formats.ts";
import { definitionOf } from "./definition.ts";

const schemasOf = (object: ApiObject): JSONSchemaProps[] =>
  definitionOf(object).versions.flatMap(({ schema }) => (schema === undefined ? [] : [schema]));

/** Unknown formats, which no value is checked against, in order; repeated for each occurrence in distinct schemas. */
export function unknownFormatsIn(object: ApiObject): string[] {
  const all = schemasOf(object);
  const texts = new Set(all.map((schema) => JSON.stringify(schema)));
  // Versions with the same schema count once.
  return (texts.size === 1 ? all.slice(0, 1) : all).flatMap((schema) => formatsIn(schema));
}

function formatsIn(schema: JSONSchemaProps): string[] {
  const { format = "", type = "" } = schema;
  const isUnknown = format !== "" && knownFormat({ format, type }) === "";
  return [...(isUnknown ? [format] : []), ...schemasIn(schema).flatMap(formatsIn)];
}

/** The keys of a schema, in the order of Go's type. */
const keys = [
  "id",
  "$schema",
  "$ref",
  "description",
  "type",
  "format",
  "title",
  "default",
  "maximum",
  "exclusiveMaximum",
  "minimum",
  "exclusiveMinimum",
  "maxLength",
  "minLength",
  "pattern",
  "maxItems",
  "minItems",
  "uniqueItems",
  "multipleOf",
  "enum",
  "maxProperties",
  "minProperties",
  "required",
  "items",
  "allOf",
  "oneOf",
  "anyOf",
  "not",
  "properties",
  "additionalProperties",
  "patternProperties",
  "dependencies",
  "additionalItems",
  "definitions",
  "externalDocs",
  "example",
  "nullable",
  "x-kubernetes-preserve-unknown-fields",
  "x-kubernetes-embedded-resource",
  "x-kubernetes-int-or-string",
  "x-kubernetes-list-map-keys",
  "x-kubernetes-list-type",
  "x-kubernetes-map-type",
  "x-kubernetes-validations",
];

/**
 * Normalizes the schemas inside `items` and `additionalProperties`, in place: the server's types have them as values of any kind, of which
 * only schema fields are kept.
 */
export function normalizeSchemas(object: ApiObject): void {
  // The schemas are parts of the object, so the server owns them too.
  for (const schema of schemasOf(object)) normalizeInside(schema as Fields);
}

function normalizeInside(schema: Fields): void {
  for (const key of ["items", "additionalProperties"]) {
    const inside = schema[key];
    if (isFields(inside)) schema[key] = inOrder(inside);
  }
  // Owned like those above.
  for (const inside of schemasIn(schema)) normalizeInside(inside as Fields);
}

function inOrder(schema: Fields): Fields {
  const known = keys.filter((key) => Object.hasOwn(schema, key) && !isEmpty(schema[key]));
  return Object.fromEntries(known.map((key) => [key, schema[key]]));
}

const isEmpty = (value: unknown): boolean =>
  value === "" ||
  value === false ||
  value === null ||
  (Array.isArray(value) && value.length === 0) ||
  (isFields(value) && Object.keys(value).length === 0);
