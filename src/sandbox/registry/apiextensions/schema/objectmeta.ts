/** Embedded resources: objects of any kind inside a custom resource. Source: apiextensions-apiserver v0.36 pkg/apiserver/schema/objectmeta. */
import { invalid, required, type FieldError } from "../../../meta/field-errors.ts";
import { isFields, type ApiObject, type Fields } from "../../../meta/object.ts";
import { metadataErrors } from "../../../validation/metadata.ts";
import { dns1035Problems } from "../../../validation/names.ts";
import { fieldOf, type Structural } from "./structural.ts";

/** Reads the metadata of an object: returns Go's error, or the metadata and its unknown fields. */
export type ReadMetadata = (
  metadata: unknown,
) => { readonly value: Fields; readonly unknown: readonly string[] } | { readonly problem: string };

/** The result of reading the embedded resources of an object. */
export interface Coerced {
  readonly unknown: readonly string[];
  readonly error: FieldError | undefined;
}

/** Checks the types of the embedded resources in a value, and drops unknown fields of their metadata; in place. */
export function coerceEmbedded(
  value: unknown,
  { structural, read }: { readonly structural: Structural | undefined; readonly read: ReadMetadata },
): Coerced {
  const unknown: string[] = [];
  const error = coerce(value, { structural, path: "", read, unknown });
  return { unknown: unknown.sort(), error };
}

/** The path of a value and its structure. */
interface Place {
  readonly structural: Structural | undefined;
  readonly path: string;
}

interface Coercion extends Place {
  readonly read: ReadMetadata;
  readonly unknown: string[];
}

const childPath = (path: string, key: string): string => (path === "" ? key : `${path}.${key}`);

function coerce(value: unknown, at: Coercion): FieldError | undefined {
  const { structural } = at;
  if (structural === undefined || !structural.hasEmbedded) return undefined;
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) {
      const error = coerce(item, { ...at, structural: structural.items, path: `${at.path}[${index}]` });
      if (error !== undefined) return error;
    }
  }
  if (!isFields(value)) return undefined;
  for (const key of Object.keys(value)) {
    const error =
      (structural.isEmbeddedResource ? coerceTop(value, { ...at, key }) : undefined) ??
      coerce(value[key], { ...at, ...fieldPlace({ structural, path: at.path }, key) });
    if (error !== undefined) return error;
  }
  return undefined;
}

/** A declared field is appended with a dot; any other is a map key. */
function fieldPlace({ structural, path }: Place, key: string): Place {
  const isNamed = structural?.properties.has(key) === true;
  return { structural: fieldOf(structural, key), path: isNamed ? childPath(path, key) : `${path}[${key}]` };
}

function coerceTop(
  resource: Fields,
  { path, read, unknown, key }: Coercion & { readonly key: string },
): FieldError | undefined {
  const value = resource[key];
  if ((key === "apiVersion" || key === "kind") && typeof value !== "string")
    return invalid(childPath(path, key), value, "must be a string");
  if (key !== "metadata") return undefined;
  const metadata = read(value);
  if ("problem" in metadata) return invalid(childPath(path, "metadata"), value, metadata.problem);
  unknown.push(...metadata.unknown.map((field) => `${childPath(path, "metadata")}.${field}`));
  resource["metadata"] = metadata.value;
  return undefined;
}

/** Validates the embedded resources in a value. */
export function embeddedErrors(value: unknown, place: Place): FieldError[] {
  const { structural, path } = place;
  if (structural === undefined || !structural.hasEmbedded) return [];
  if (Array.isArray(value))
    return value.flatMap((item: unknown, index) =>
      embeddedErrors(item, { structural: structural.items, path: `${path}[${index}]` }),
    );
  if (!isFields(value)) return [];
  return [
    ...(structural.isEmbeddedResource ? resourceErrors(value, path) : []),
    ...Object.keys(value).flatMap((key) => embeddedErrors(value[key], fieldPlace(place, key))),
  ];
}

function resourceErrors(resource: Fields, path: string): FieldError[] {
  const missing = ["apiVersion", "kind"].filter((key) => !Object.hasOwn(resource, key));
  return [
    ...missing.map((key) => required(childPath(path, key))),
    ...Object.keys(resource).flatMap((key) => topErrors(resource, { key, path })),
  ];
}

function topErrors(resource: Fields, { key, path }: { readonly key: string; readonly path: string }): FieldError[] {
  const value = resource[key];
  const field = childPath(path, key);
  if (key === "metadata") return isFields(value) ? metadataOf(value, field) : [];
  if (key !== "apiVersion" && key !== "kind") return [];
  if (typeof value !== "string") return [invalid(field, value, "must be a string")];
  if (value === "") return [invalid(field, value, "must not be empty")];
  if (key === "apiVersion")
    return value.split("/").length > 2 ? [invalid(field, value, `unexpected GroupVersion string: ${value}`)] : [];
  const problems = dns1035Problems(value.toLowerCase());
  const mixed = "may have mixed case, but should otherwise match: ";
  return problems.length === 0 ? [] : [invalid(field, value, mixed + problems.join(","))];
}

/** As for any object, but the name is optional and may be any path segment. */
function metadataOf(metadata: Fields, field: string): FieldError[] {
  const name = metadata["name"];
  const named = { ...metadata, name: name === undefined || name === "" ? "fakename" : name };
  // Its types were checked when it was read.
  const object = { kind: "", apiVersion: "", metadata: named } as ApiObject;
  const isNamespaced = typeof metadata["namespace"] === "string" && metadata["namespace"] !== "";
  return metadataErrors(object, isNamespaced, { nameRule: "segment", takesAnyFinalizer: true }).map((error) => ({
    ...error,
    field: error.field.replace(/^metadata/, field),
  }));
}
