/** `x-kubernetes-list-type` and `x-kubernetes-list-map-keys`. Source: as schema-checks.ts, validateMapListKeysMapSet too. */
import { invalid, notAllowed, notSupported, required, type FieldError } from "../../../meta/field-errors.ts";
import { isSchema, type JSONSchemaProps } from "../schema/structural.ts";

/** Validates how a schema identifies list items. */
export function listErrorsOf(schema: JSONSchemaProps, path: string): FieldError[] {
  const listType = schema["x-kubernetes-list-type"];
  return [
    ...listTypeErrors(schema, path),
    ...keysErrors(schema, path),
    ...(listType === "map" ? mapErrors(schema, path) : []),
    ...identityErrors(schema, path),
  ];
}

function listTypeErrors(schema: JSONSchemaProps, path: string): FieldError[] {
  const { type = "", items } = schema;
  const listType = schema["x-kubernetes-list-type"];
  if (listType === undefined) return [];
  const errors: FieldError[] = [];
  if (type !== "array") {
    const why = "must be array if x-kubernetes-list-type is specified";
    errors.push(type === "" ? required(`${path}.type`, why) : invalid(`${path}.type`, type, why));
  } else if (listType === "set" && isSchema(items)) errors.push(...setErrors(items, `${path}.items`));
  if (!["atomic", "set", "map"].includes(listType))
    errors.push(notSupported(`${path}.x-kubernetes-list-type`, listType, ["atomic", "set", "map"]));
  return errors;
}

/** Items of a set are compared as a whole. */
function setErrors(items: JSONSchemaProps, path: string): FieldError[] {
  const why = "must be atomic as item of a list with x-kubernetes-list-type=set";
  const listType = items["x-kubernetes-list-type"];
  const mapType = items["x-kubernetes-map-type"];
  if (items.type === "array" && listType !== undefined && listType !== "atomic")
    return [invalid(`${path}.x-kubernetes-list-type`, listType, why)];
  return items.type === "object" && mapType !== "atomic"
    ? [invalid(`${path}.x-kubernetes-map-type`, listType ?? null, why)]
    : [];
}

function keysErrors(schema: JSONSchemaProps, path: string): FieldError[] {
  const listType = schema["x-kubernetes-list-type"];
  const keys = schema["x-kubernetes-list-map-keys"] ?? [];
  if (keys.length === 0 || listType === "map") return [];
  const field = `${path}.x-kubernetes-list-type`;
  const why = "must be map if x-kubernetes-list-map-keys is non-empty";
  return [listType === undefined ? required(field, why) : invalid(field, listType, why)];
}

function mapErrors(schema: JSONSchemaProps, path: string): FieldError[] {
  const { items } = schema;
  const keys = schema["x-kubernetes-list-map-keys"] ?? [];
  const field = `${path}.x-kubernetes-list-map-keys`;
  const errors = keys.length === 0 ? [required(field, "must not be empty if x-kubernetes-list-type is map")] : [];
  if (items === undefined)
    return [...errors, required(`${path}.items`, "must have a schema if x-kubernetes-list-type is map")];
  if (!isSchema(items))
    return [
      ...errors,
      invalid(`${path}.items`, items, "must only have a single schema if x-kubernetes-list-type is map"),
    ];
  if (items.type !== "object") {
    const why = "must be object if parent array's x-kubernetes-list-type is map";
    return [...errors, invalid(`${path}.items.type`, items.type ?? "", why)];
  }
  for (const [index, key] of keys.entries()) {
    const property = items.properties?.[key];
    if (property === undefined) errors.push(invalid(field, keys, "entries must all be names of item properties"));
    else if (property.type === "array" || property.type === "object") {
      const why = "must be a scalar type if parent array's x-kubernetes-list-type is map";
      errors.push(invalid(`${path}.items.properties[${key}].type`, items.type, why));
    }
    if (keys.indexOf(key) < index) errors.push(invalid(field, keys, "must not contain duplicate entries"));
  }
  return errors;
}

/** The identity of an item must never be absent. */
function identityErrors(schema: JSONSchemaProps, path: string): FieldError[] {
  const listType = schema["x-kubernetes-list-type"];
  const { items } = schema;
  if (!isSchema(items) || (listType !== "set" && listType !== "map")) return [];
  const where = `${path}.items`;
  const errors =
    items.nullable === true
      ? [notAllowed(`${where}.nullable`, `cannot be nullable when x-kubernetes-list-type is ${listType}`)]
      : [];
  if (listType === "set") return errors;
  for (const key of schema["x-kubernetes-list-map-keys"] ?? []) {
    const property = items.properties?.[key];
    if (property === undefined) continue;
    const field = `${where}.properties[${key}]`;
    const isThere = items.required?.includes(key) === true || (property.default ?? undefined) !== undefined;
    if (!isThere) {
      const why = "this property is in x-kubernetes-list-map-keys, so it must have a default or be a required property";
      errors.push(required(`${field}.default`, why));
    }
    if (property.nullable === true) {
      const why = "this property is in x-kubernetes-list-map-keys, so it cannot be nullable";
      errors.push(notAllowed(`${field}.nullable`, why));
    }
  }
  return errors;
}
