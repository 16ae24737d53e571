/**
 * Validates the schema of a CustomResourceDefinition. Source: apiextensions-apiserver v0.36 pkg/apis/apiextensions/validation/validation.go
 * validateCustomResourceDefinitionValidation, ValidateCustomResourceDefinitionOpenAPISchema.
 */
import { invalid, notAllowed, notSupported, required, type FieldError } from "../../../meta/field-errors.ts";
import { compileRules } from "../../../cel/schema/rules.ts";
import { ruleSchemaOf } from "../schema/rule-schema.ts";
import { isSchema, structuralOf, type JSONSchemaProps } from "../schema/structural.ts";
import { structuralErrors } from "../schema/structural-validation.ts";
import { defaultsErrors } from "./defaults-validation.ts";
import { listErrorsOf } from "./list-checks.ts";
import { rulesErrors } from "./rule-checks.ts";
import { isUnset, unsupportedIn } from "./unsupported.ts";

const types = ["array", "boolean", "integer", "number", "object", "string"];

/** The place of a schema within the whole. */
interface Place {
  readonly path: string;
  readonly isRoot: boolean;
  /** Why no default may be set; undefined if one may. */
  readonly noDefault: string | undefined;
  readonly insideMeta: boolean;
}

/** Validates a schema at `path` (`…schema`): its structure first, else its content. */
export function schemaErrors(
  schema: JSONSchemaProps,
  { path, hasStatus }: { readonly path: string; readonly hasStatus: boolean },
): FieldError[] {
  const where = `${path}.openAPIV3Schema`;
  const errors = hasStatus ? rootErrors(schema, path) : [];
  if (schema.nullable === true) errors.push(notAllowed(`${where}.nullable`, "nullable cannot be true at the root"));
  const unread = unsupportedIn(schema);
  const structure = unread === undefined ? structureErrors(schema, where) : [];
  const parts = partErrors(schema, { path: where, isRoot: true, noDefault: undefined, insideMeta: false });
  errors.push(...structure, ...parts);
  if (unread === undefined && structure.length === 0) {
    // CEL types can only be built from valid parts: rules around invalid parts are not compiled.
    const skips = (at: string): boolean => parts.some(({ field }) => field.startsWith(`${at}.`));
    errors.push(...compileRules(ruleSchemaOf(schema), { path: where, skips }).errors);
  }
  return errors.length === 0 && unread !== undefined ? [invalid(where, "", unread)] : errors;
}

function structureErrors(schema: JSONSchemaProps, path: string): FieldError[] {
  const errors = structuralErrors(schema, path);
  return errors.length > 0 ? errors : defaultsErrors(structuralOf(schema), path);
}

/** Go field names allowed at the root of a schema with a status subresource; the status is validated separately. */
const allowedAtRoot = [
  "Description",
  "Type",
  "Format",
  "Title",
  "Maximum",
  "ExclusiveMaximum",
  "Minimum",
  "ExclusiveMinimum",
  "MaxLength",
  "MinLength",
  "Pattern",
  "MaxItems",
  "MinItems",
  "UniqueItems",
  "MultipleOf",
  "Required",
  "Items",
  "Properties",
  "ExternalDocs",
  "Example",
  "XPreserveUnknownFields",
  "XValidations",
];

const goName = (key: string): string => {
  if (key === "x-kubernetes-preserve-unknown-fields") return "XPreserveUnknownFields";
  return key === "x-kubernetes-validations" ? "XValidations" : key.charAt(0).toUpperCase() + key.slice(1);
};

function rootErrors(schema: JSONSchemaProps, path: string): FieldError[] {
  const where = `${path}.openAPIV3Schema`;
  const { type = "" } = schema;
  const isRefused = (key: string): boolean => !allowedAtRoot.includes(goName(key));
  if (Object.keys(schema).some(isRefused)) {
    const why = `only [${allowedAtRoot.join(" ")}] fields are allowed at the root of the schema if the status subresource is enabled`;
    return [invalid(where, schema, why)];
  }
  if (type === "" || type === "object") return [];
  const why = 'only "object" is allowed as the type at the root of the schema if the status subresource is enabled';
  return [invalid(`${where}.type`, type, why)];
}

/** Keys that no schema may have, with their messages. */
const refusedKeys: readonly (readonly [key: string, why: string])[] = [
  ["id", "id is not supported"],
  ["additionalItems", "additionalItems is not supported"],
  ["patternProperties", "patternProperties is not supported"],
  ["definitions", "definitions is not supported"],
  ["dependencies", "dependencies is not supported"],
  ["$ref", "$ref is not supported"],
];

function partErrors(schema: JSONSchemaProps, place: Place): FieldError[] {
  const { path } = place;
  const inside = (part: JSONSchemaProps, where: string): FieldError[] =>
    partErrors(part, { ...place, isRoot: false, path: `${path}.${where}` });
  const list = (key: "allOf" | "oneOf" | "anyOf"): FieldError[] =>
    (schema[key] ?? []).flatMap((part, index) => inside(part, `${key}[${index}]`));
  const { items, not } = schema;
  return [
    ...standardErrors(schema, place),
    ...(schema.uniqueItems === true
      ? [
          notAllowed(
            `${path}.uniqueItems`,
            "uniqueItems cannot be set to true since the runtime complexity becomes quadratic",
          ),
        ]
      : []),
    ...fieldErrors(schema, place),
    ...(not === undefined ? [] : inside(not, "not")),
    ...list("allOf"),
    ...list("oneOf"),
    ...list("anyOf"),
    ...(isSchema(items) ? inside(items, "items") : []),
    ...extensionErrors(schema, path),
    ...listErrorsOf(schema, path),
    ...rulesErrors(schema, path),
  ];
}

function fieldErrors(schema: JSONSchemaProps, place: Place): FieldError[] {
  const { properties = {}, additionalProperties: additional } = schema;
  const errors: FieldError[] = [];
  if (additional !== undefined && Object.keys(properties).length > 0 && additional !== true)
    errors.push(
      notAllowed(`${place.path}.additionalProperties`, "additionalProperties and properties are mutual exclusive"),
    );
  if (typeof additional === "object") {
    const noDefault = place.insideMeta ? "inside additionalProperties applying to object metadata" : place.noDefault;
    errors.push(
      ...partErrors(additional, { ...place, isRoot: false, noDefault, path: `${place.path}.additionalProperties` }),
    );
  }
  for (const [name, property] of Object.entries(properties)) {
    const isMeta =
      (place.isRoot || schema["x-kubernetes-embedded-resource"] === true) &&
      (name === "metadata" || name === "kind" || name === "apiVersion");
    const more: Partial<Place> = isMeta
      ? { insideMeta: true, ...(place.isRoot ? { noDefault: `in top-level ${name}` } : {}) }
      : {};
    errors.push(
      ...partErrors(property, { ...place, isRoot: false, ...more, path: `${place.path}.properties[${name}]` }),
    );
  }
  return errors;
}

/** Source: specStandardValidatorV3. */
function standardErrors(schema: JSONSchemaProps, { path, noDefault, insideMeta }: Place): FieldError[] {
  const { type = "", items } = schema;
  const all: Readonly<Record<string, unknown>> = { ...schema };
  const errors: FieldError[] = [];
  if (type !== "" && !types.includes(type)) errors.push(notSupported(`${path}.type`, type, types));
  if (schema.default !== undefined && schema.default !== null && noDefault !== undefined)
    errors.push(notAllowed(`${path}.default`, `must not be set ${noDefault}`));
  for (const [key, why] of refusedKeys) if (!isUnset(all[key])) errors.push(notAllowed(`${path}.${key}`, why));
  if (type === "null")
    errors.push(notAllowed(`${path}.type`, "type cannot be set to null, use nullable as an alternative"));
  if (Array.isArray(items) && items.length > 0)
    errors.push(notAllowed(`${path}.items`, "items must be a schema object and not an array"));
  if (insideMeta && schema["x-kubernetes-embedded-resource"] === true)
    errors.push(notAllowed(`${path}.x-kubernetes-embedded-resource`, "must not be used inside of resource meta"));
  return errors;
}

function extensionErrors(schema: JSONSchemaProps, path: string): FieldError[] {
  const { type = "" } = schema;
  const mapType = schema["x-kubernetes-map-type"];
  const errors: FieldError[] = [];
  if (schema["x-kubernetes-preserve-unknown-fields"] === false)
    errors.push(invalid(`${path}.x-kubernetes-preserve-unknown-fields`, false, "must be true or undefined"));
  if (mapType === undefined) return errors;
  if (type !== "object") {
    const why = "must be object if x-kubernetes-map-type is specified";
    errors.push(type === "" ? required(`${path}.type`, why) : invalid(`${path}.type`, type, why));
  }
  if (mapType !== "atomic" && mapType !== "granular")
    errors.push(notSupported(`${path}.x-kubernetes-map-type`, mapType, ["atomic", "granular"]));
  return errors;
}
