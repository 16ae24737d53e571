/**
 * Validates that a schema is structural: any value that it restricts must also be described outside the restriction.
 * Source: apiextensions-apiserver v0.36 pkg/apiserver/schema/validation.go, complete.go.
 */
import { deepEqual } from "../../../../api/field-changes.ts";
import { invalid, notAllowed, required, type FieldError } from "../../../meta/field-errors.ts";
import { patternOf } from "./patterns.ts";
import { isSchema, type JSONSchemaProps } from "./structural.ts";

/** Where a schema is: at the root, as the schema of items, or of a field. */
type Level = "root" | "item" | "field";

interface At {
  readonly level: Level;
  readonly path: string;
}

const propertyPath = (path: string, name: string): string => `${path}.properties[${name}]`;

/** Why a schema is not structural, in the order of the messages. */
export function structuralErrors(schema: JSONSchemaProps, path: string): FieldError[] {
  const whole = { structure: schema, at: path, from: path };
  const errors = [...invariantErrors(schema, { level: "root", path }), ...completenessErrors(schema, whole)];
  const text = ({ field, message }: FieldError): string => `${field}: ${message}`;
  return errors.sort((a, b) => (text(a) < text(b) ? -1 : text(a) > text(b) ? 1 : 0));
}

const flag = (schema: JSONSchemaProps, name: keyof JSONSchemaProps & `x-kubernetes-${string}`): boolean =>
  schema[name] === true;

type Part = At & { readonly inside: JSONSchemaProps };

/** The structural schemas inside a schema, with their paths and levels. */
function structureIn(schema: JSONSchemaProps, path: string): readonly Part[] {
  const { items, properties = {}, additionalProperties: additional } = schema;
  const parts: Part[] = [];
  if (isSchema(items)) parts.push({ inside: items, level: "item", path: `${path}.items` });
  for (const [name, inside] of Object.entries(properties))
    parts.push({ inside, level: "field", path: propertyPath(path, name) });
  if (typeof additional === "object")
    parts.push({ inside: additional, level: "field", path: `${path}.additionalProperties` });
  return parts;
}

function invariantErrors(schema: JSONSchemaProps, at: At): FieldError[] {
  const { level, path } = at;
  const { type = "", items, properties = {}, additionalProperties: additional } = schema;
  const isResource = level === "root" || flag(schema, "x-kubernetes-embedded-resource");
  return [
    ...(type === "array" && !isSchema(items) ? [required(`${path}.items`, "must be specified")] : []),
    ...structureIn(schema, path).flatMap(({ inside, ...where }) => invariantErrors(inside, where)),
    ...(additional !== undefined && level === "root"
      ? [notAllowed(`${path}.additionalProperties`, "must not be used at the root")]
      : []),
    ...extensionErrors(schema, path),
    ...valueErrors(schema, { ...at, skipped: skippedOf(schema) }),
    ...typeErrors(schema, at),
    ...(isResource ? typeMetaErrors(schema, path) : []),
    ...(properties["metadata"] === undefined ? [] : metadataErrors(properties["metadata"], { ...at, isResource })),
    ...embeddedErrors(schema, path),
  ];
}

function extensionErrors(schema: JSONSchemaProps, path: string): FieldError[] {
  if (!flag(schema, "x-kubernetes-int-or-string")) return [];
  return (["x-kubernetes-preserve-unknown-fields", "x-kubernetes-embedded-resource"] as const).flatMap((name) =>
    flag(schema, name) ? [invalid(`${path}.${name}`, true, "must be false if x-kubernetes-int-or-string is true")] : [],
  );
}

const whereEmpty: Readonly<Record<Level, string>> = {
  root: "must not be empty at the root",
  item: "must not be empty for specified array items",
  field: "must not be empty for specified object fields",
};

function typeErrors(schema: JSONSchemaProps, { level, path }: At): FieldError[] {
  const { type = "", additionalProperties: additional } = schema;
  const field = `${path}.type`;
  const errors: FieldError[] = [];
  const isEmbedded = flag(schema, "x-kubernetes-embedded-resource");
  if (isEmbedded && type !== "object") {
    const why = "must be object if x-kubernetes-embedded-resource is true";
    errors.push(type === "" ? required(field, why) : invalid(field, type, why));
  } else if (
    type === "" &&
    !flag(schema, "x-kubernetes-int-or-string") &&
    !flag(schema, "x-kubernetes-preserve-unknown-fields")
  ) {
    errors.push(required(field, whereEmpty[level]));
  }
  if (isEmbedded && additional !== undefined)
    errors.push(
      notAllowed(`${path}.additionalProperties`, "must not be used if x-kubernetes-embedded-resource is set"),
    );
  if (level === "root" && type !== "" && type !== "object")
    errors.push(invalid(field, type, "must be object at the root"));
  return errors;
}

function typeMetaErrors({ properties = {} }: JSONSchemaProps, path: string): FieldError[] {
  return ["kind", "apiVersion"].flatMap((name) => {
    const own = properties[name];
    if (own === undefined || own.type === "string") return [];
    return [invalid(`${propertyPath(path, name)}.type`, own.type ?? "", "must be string")];
  });
}

/** Metadata is implicit: at the root, only its names can be restricted. */
function metadataErrors(
  schema: JSONSchemaProps,
  { level, path, isResource }: At & { readonly isResource: boolean },
): FieldError[] {
  const where = propertyPath(path, "metadata");
  const errors =
    isResource && schema.type !== "object" ? [invalid(`${where}.type`, schema.type ?? "", "must be object")] : [];
  if (level !== "root") return errors;
  const { type: _type, default: _default, properties = {}, ...others } = schema;
  const restrictsNamesOnly = Object.keys(properties).every((name) => name === "name" || name === "generateName");
  if (Object.keys(others).length > 0 || !restrictsNamesOnly) {
    const why = "must not specify anything other than name and generateName, but metadata is implicitly specified";
    errors.push(notAllowed(where, why));
  }
  return errors;
}

function embeddedErrors(schema: JSONSchemaProps, path: string): FieldError[] {
  const isClosed =
    flag(schema, "x-kubernetes-embedded-resource") && !flag(schema, "x-kubernetes-preserve-unknown-fields");
  if (!isClosed || Object.keys(schema.properties ?? {}).length > 0) return [];
  const why =
    "must not be empty if x-kubernetes-embedded-resource is true without x-kubernetes-preserve-unknown-fields";
  return [required(`${path}.properties`, why)];
}

const intOrString = [{ type: "integer" }, { type: "string" }];

interface Skipped {
  readonly anyOf: boolean;
  readonly firstAllOf: boolean;
}

const nothingSkipped: Skipped = { anyOf: false, firstAllOf: false };

/** The `anyOf` that allows an integer or a string, although it contains types. */
const skippedOf = ({ anyOf, allOf }: JSONSchemaProps): Skipped => ({
  anyOf: deepEqual(anyOf, intOrString),
  firstAllOf: deepEqual(allOf?.[0]?.anyOf, intOrString),
});

/** A value validation: which alternatives may contain types. */
interface ValueValidation extends At {
  readonly skipped: Skipped;
}

/** Checks the value validations of a schema. */
function valueErrors(schema: JSONSchemaProps, { level, path, skipped }: ValueValidation): FieldError[] {
  const { anyOf = [], allOf = [], oneOf = [], not, pattern = "" } = schema;
  const below = (where: string, skips: Skipped = nothingSkipped): ValueValidation => ({
    level,
    path: `${path}.${where}`,
    skipped: skips,
  });
  const isFirstSkipped = { anyOf: skipped.firstAllOf, firstAllOf: false };
  const errors = [
    ...(skipped.anyOf ? [] : anyOf.flatMap((part, index) => nestedErrors(part, below(`anyOf[${index}]`)))),
    ...allOf.flatMap((part, index) =>
      nestedErrors(part, below(`allOf[${index}]`, index === 0 ? isFirstSkipped : nothingSkipped)),
    ),
    ...oneOf.flatMap((part, index) => nestedErrors(part, below(`oneOf[${index}]`))),
    ...(not === undefined ? [] : nestedErrors(not, below("not"))),
  ];
  const read = pattern === "" ? undefined : patternOf(pattern);
  if (read !== undefined && "problem" in read) {
    const why = `must be a valid regular expression, but isn't: ${read.problem}`;
    errors.push(invalid(`${path}.pattern`, pattern, why));
  }
  return errors;
}

/** Keys that only structural schemas may have. */
const structuralOnly: readonly (readonly [name: keyof JSONSchemaProps, why: string])[] = [
  ["type", "must be empty to be structural"],
  ["default", "must be undefined to be structural"],
  ["title", "must be empty to be structural"],
  ["description", "must be empty to be structural"],
  ["nullable", "must be false to be structural"],
  ["x-kubernetes-preserve-unknown-fields", "must be false to be structural"],
  ["x-kubernetes-embedded-resource", "must be false to be structural"],
  ["x-kubernetes-int-or-string", "must be false to be structural"],
  ["x-kubernetes-list-map-keys", "must be empty to be structural"],
  ["x-kubernetes-list-type", "must be undefined to be structural"],
  ["x-kubernetes-map-type", "must be undefined to be structural"],
  ["x-kubernetes-validations", "must be empty to be structural"],
];

const isUnset = (value: unknown): boolean =>
  value === undefined ||
  value === null ||
  value === "" ||
  value === false ||
  (Array.isArray(value) && value.length === 0);

function nestedErrors(schema: JSONSchemaProps, at: ValueValidation): FieldError[] {
  const { items, properties = {}, additionalProperties: additional } = schema;
  const { path } = at;
  const forbidden = structuralOnly.filter(([name]) => !isUnset(schema[name]));
  const below: ValueValidation = { ...at, skipped: nothingSkipped };
  return [
    ...valueErrors(schema, at),
    ...(isSchema(items) ? nestedErrors(items, { ...below, path: `${path}.items` }) : []),
    ...Object.entries(properties).flatMap(([name, own]) =>
      nestedErrors(own, { ...below, level: "field", path: propertyPath(path, name) }),
    ),
    ...(additional === undefined || additional === false
      ? []
      : [notAllowed(`${path}.additionalProperties`, "must be undefined to be structural")]),
    ...forbidden.map(([name, why]) => notAllowed(`${path}.${name}`, why)),
    ...(properties["metadata"] === undefined
      ? []
      : [notAllowed(propertyPath(path, "metadata"), "must not be specified in a nested context")]),
  ];
}

/** A structural schema and its path, with the path of the value validation that refers to it. */
interface Beside {
  readonly structure: JSONSchemaProps | undefined;
  readonly at: string;
  readonly from: string;
}

/**
 * Fields restricted by value validations at the root of a schema, but not described; deeper ones are not checked by the real server either.
 */
function completenessErrors(validation: JSONSchemaProps, { structure, at, from }: Beside): FieldError[] {
  const { not, allOf = [], anyOf = [], oneOf = [] } = validation;
  const nested = (part: JSONSchemaProps, where: string): FieldError[] =>
    nestedCompleteness(part, { structure, at, from: `${from}.${where}` });
  return [
    ...(not === undefined ? [] : nested(not, "not")),
    ...allOf.flatMap((part, index) => nested(part, `allOf[${index}]`)),
    ...anyOf.flatMap((part, index) => nested(part, `anyOf[${index}]`)),
    ...oneOf.flatMap((part, index) => nested(part, `oneOf[${index}]`)),
  ];
}

function nestedCompleteness(validation: JSONSchemaProps, beside: Beside): FieldError[] {
  const { structure, at, from } = beside;
  if (structure === undefined) return [required(at, `because it is defined in ${from}`)];
  const { items, properties = {} } = validation;
  const { items: own } = structure;
  const ofItems = { structure: isSchema(own) ? own : undefined, at: `${at}.items`, from: `${from}.items` };
  return [
    ...completenessErrors(validation, beside),
    ...(isSchema(items) ? nestedCompleteness(items, ofItems) : []),
    ...Object.entries(properties).flatMap(([name, part]) =>
      nestedCompleteness(part, {
        structure: structure.properties?.[name],
        at: propertyPath(at, name),
        from: propertyPath(from, name),
      }),
    ),
  ];
}
