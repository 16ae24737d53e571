/**
 * Validates values against a JSON schema, with the real server's messages, in its order.
 * Source: kube-openapi pkg/validation/validate/schema.go, schema_props.go, object_validator.go, slice_validator.go, type.go;
 * apiextensions-apiserver v0.36 pkg/apiserver/validation/ratcheting.go.
 */
import { deepEqual } from "../../../../api/field-changes.ts";
import { isFields, type Fields } from "../../../meta/object.ts";
import { isSchema, type JSONSchemaProps } from "../schema/structural.ts";
import { fieldIn, isUnchanged, itemIn, type Correlation } from "./correlation.ts";
import { formatCheck, knownFormat } from "./formats.ts";
import { checkNumber, type NumberChecks } from "./numbers.ts";
import { patternOf, type Pattern } from "../schema/patterns.ts";
import {
  atTop,
  failed,
  failedInBody,
  missing,
  noneOf,
  Result,
  tooManyCharacters,
  tooManyParts,
  wrongType,
} from "./result.ts";

/** A schema prepared for validation. */
export interface SchemaValidator {
  readonly props: JSONSchemaProps;
  readonly types: readonly string[];
  readonly format: string;
  readonly formatMatches: ((text: string) => boolean) | undefined;
  readonly numbers: NumberChecks;
  readonly pattern: Pattern | { readonly problem: string } | undefined;
  readonly properties: ReadonlyMap<string, SchemaValidator>;
  readonly additional: SchemaValidator | boolean | undefined;
  readonly items: SchemaValidator | undefined;
  readonly allOf: readonly SchemaValidator[];
  readonly oneOf: readonly SchemaValidator[];
  readonly anyOf: readonly SchemaValidator[];
  readonly not: SchemaValidator | undefined;
}

/** Builds the validator of a schema and everything in it. */
export function schemaValidatorOf(props: JSONSchemaProps): SchemaValidator {
  const { additionalProperties: additional, items, pattern = "" } = props;
  const types = typesOf(props);
  const format = knownFormat(props);
  const [type = ""] = types.length === 1 ? types : [];
  const isNumeric = type === "integer" || type === "number";
  return {
    props,
    types,
    format,
    formatMatches: formatCheck(format),
    numbers: { props, type: isNumeric ? type : "", format: isNumeric ? format : "" },
    pattern: pattern === "" ? undefined : patternOf(pattern),
    properties: new Map(Object.entries(props.properties ?? {}).map(([name, own]) => [name, schemaValidatorOf(own)])),
    additional: typeof additional === "object" ? schemaValidatorOf(additional) : additional,
    items: isSchema(items) ? schemaValidatorOf(items) : undefined,
    allOf: (props.allOf ?? []).map(schemaValidatorOf),
    oneOf: (props.oneOf ?? []).map(schemaValidatorOf),
    anyOf: (props.anyOf ?? []).map(schemaValidatorOf),
    not: props.not === undefined ? undefined : schemaValidatorOf(props.not),
  };
}

function typesOf({ type = "", ...props }: JSONSchemaProps): readonly string[] {
  if (props["x-kubernetes-int-or-string"] === true) return ["integer", "string"];
  return type === "" ? [] : [type];
}

/** A value under validation. */
export interface ValueAt {
  readonly value: unknown;
  readonly path: string;
  /** The old value, in an update: unchanged values are not rejected. */
  readonly before?: Correlation | undefined;
}

/** Validates a value. */
export function validate(validator: SchemaValidator, at: ValueAt): Result {
  const result = checked(validator, at);
  const { before } = at;
  if (result.isValid || before === undefined || !isUnchanged(before)) return result;
  // An unchanged value may stay, valid or not.
  const ratcheted = new Result();
  ratcheted.matches = result.matches;
  return ratcheted;
}

function checked(validator: SchemaValidator, at: ValueAt): Result {
  const { value, path } = at;
  const { types, format, props } = validator;
  const into = new Result();
  if (value === null || value === undefined) {
    if (types.length > 0 && props.nullable !== true)
      into.add(wrongType(path, { type: types.join(","), found: "null" }));
    else into.matches++;
    checkEnum(validator, { value: null, path, into });
    return into;
  }
  if (types.length > 0 || format !== "") {
    checkType(validator, { value, path, into });
    into.matches++;
  }
  checkJunctors(validator, { ...at, into });
  into.matches++;
  if (typeof value === "string") {
    checkText(validator, { value, path, into });
    into.matches++;
    if (validator.formatMatches !== undefined) {
      if (!validator.formatMatches(value)) into.add(wrongType(path, { type: format, found: value }));
      into.matches++;
    }
  }
  if (typeof value === "number") {
    checkNumber({ value, path, into }, validator.numbers);
    into.matches++;
  }
  if (Array.isArray(value)) {
    checkList(validator, { ...at, value, into });
    into.matches++;
  }
  checkEnum(validator, { value, path, into });
  into.matches++;
  if (isFields(value)) {
    checkObject(validator, { ...at, value, into });
    into.matches++;
  }
  into.matches++;
  return into;
}

/** A check of a value, and where its errors go. */
interface Check<Value = unknown> extends ValueAt {
  readonly value: Value;
  readonly into: Result;
}

/** The JSON type of a value and the number format, as in the real server's types. */
function typeOf(value: unknown): readonly [type: string, format: string] {
  if (Array.isArray(value)) return ["array", ""];
  if (typeof value === "number")
    return Number.isInteger(value) && Math.abs(value) < 2 ** 63 ? ["integer", "int64"] : ["number", "float64"];
  if (typeof value === "string" || typeof value === "boolean") return [typeof value, ""];
  return ["object", ""];
}

function checkType({ types, format }: SchemaValidator, { value, path, into }: Check): void {
  const [type, own] = typeOf(value);
  const isNumeric = types.includes("number") || types.includes("integer");
  const fits =
    types.includes(type) ||
    (type === "integer" && types.includes("number")) ||
    (type === "number" && types.includes("integer") && Number.isInteger(value));
  const isTextual = type === "string" || type === "array";
  if (!isTextual && format !== "" && !fits && own !== format) into.add(wrongType(path, { type: format, found: own }));
  else if (!isNumeric && format !== "" && isTextual) into.matches++;
  else if (fits) into.matches++;
  else into.add(wrongType(path, { type: types.join(","), found: type }));
}

function checkEnum({ props }: SchemaValidator, { value, path, into }: Check): void {
  const { enum: values = [] } = props;
  if (values.length === 0) return;
  if (value !== null && values.some((allowed) => deepEqual(allowed, value))) return;
  into.add(noneOf({ path, value }, values));
}

/** Only the first failing check is reported. */
function checkText({ props, pattern }: SchemaValidator, at: Check<string>): void {
  const { value: text, path, into } = at;
  const { maxLength, minLength } = props;
  if (maxLength !== undefined && text.length > maxLength && charactersIn(text) > maxLength)
    into.add(tooManyCharacters(path, maxLength));
  else if (minLength !== undefined && charactersIn(text) < minLength)
    into.add(failedInBody(at, `should be at least ${minLength} chars long`));
  else if (pattern !== undefined) {
    if ("problem" in pattern)
      into.add(failedInBody(at, `should match '${props.pattern}, but pattern is invalid: ${pattern.problem}'`));
    else if (!pattern.matches(text)) into.add(failedInBody(at, `should match '${props.pattern}'`));
  }
}

function charactersIn(text: string): number {
  let count = 0;
  for (const _character of text) count++;
  return count;
}

function checkList({ items, props }: SchemaValidator, { value: list, path, before, into }: Check<unknown[]>): void {
  if (items !== undefined) {
    for (const [index, value] of list.entries()) {
      const old = before === undefined ? undefined : itemIn(before, index);
      into.merge(validate(items, { value, path: `${path}[${index}]`, before: old }));
    }
  }
  const { minItems, maxItems, uniqueItems } = props;
  const count = list.length;
  if (minItems !== undefined && count < minItems)
    into.add(failedInBody({ path, value: count }, `should have at least ${minItems} items`));
  if (maxItems !== undefined && count > maxItems) into.add(tooManyParts(path, { count, most: maxItems }));
  if (uniqueItems === true && list.some((item, index) => list.slice(0, index).some((one) => deepEqual(one, item))))
    into.add(failedInBody({ path, value: "" }, "shouldn't contain duplicates"));
  into.matches++;
}

function checkObject(validator: SchemaValidator, { value: object, path, before, into }: Check<Fields>): void {
  const { props, properties, additional } = validator;
  const names = Object.keys(object);
  const count = names.length;
  const { minProperties, maxProperties } = props;
  if (minProperties !== undefined && count < minProperties)
    into.add(failedInBody({ path, value: count }, `should have at least ${minProperties} properties`));
  if (maxProperties !== undefined && count > maxProperties)
    into.add(tooManyParts(path, { count, most: maxProperties }));
  const correlated = (name: string): Correlation | undefined => {
    // The object's own type is always that of its version.
    if (before === undefined || (path === "" && (name === "kind" || name === "apiVersion"))) return undefined;
    return fieldIn(before, name);
  };
  if (additional !== undefined && additional !== true) {
    for (const name of names) {
      if (properties.has(name)) continue;
      const at = { value: object[name], path: `${path}.${name}`, before: correlated(name) };
      if (additional !== false) into.merge(validate(additional, at));
      else into.add(failed({ path, value: name }, `${path}.${name} in body is a forbidden property`));
    }
  }
  for (const [name, property] of properties) {
    if (!Object.hasOwn(object, name)) continue;
    const at = path === "" ? name : `${path}.${name}`;
    into.merge(validate(property, { value: object[name], path: at, before: correlated(name) }));
  }
  for (const name of props.required ?? []) if (!Object.hasOwn(object, name)) into.add(missing(`${path}.${name}`));
}

/** `allOf`, `oneOf`, `anyOf` and `not`. */
function checkJunctors({ allOf, oneOf, anyOf, not }: SchemaValidator, { into, ...at }: Check): void {
  const quoted = (): string => JSON.stringify(at.path);
  if (anyOf.length > 0) {
    const { valid, best } = alternatives(anyOf, { at, enough: 1 });
    if (valid === 0) into.add(atTop(`${quoted()} must validate at least one schema (anyOf)`));
    if (best !== undefined) into.merge(best);
  }
  if (oneOf.length > 0) {
    const { valid, best } = alternatives(oneOf, { at, enough: Infinity });
    const found = valid === 0 ? "Found none valid" : `Found ${valid} valid alternatives`;
    if (valid !== 1) into.add(atTop(`${quoted()} must validate one and only one schema (oneOf). ${found}`));
    if (best !== undefined && valid <= 1) into.merge(best);
  }
  if (allOf.length > 0) {
    const results = allOf.map((schema) => checked(schema, at));
    for (const result of results) into.merge(result);
    const valid = results.filter(({ isValid }) => isValid).length;
    const none = valid === 0 ? ". None validated" : "";
    if (valid !== allOf.length) into.add(atTop(`${quoted()} must validate all the schemas (allOf)${none}`));
  }
  if (not !== undefined && checked(not, at).isValid) into.add(atTop(`${quoted()} must not validate the schema (not)`));
  into.matches++;
}

/** How many of the schemas a value matches, and the result to report: the first match, or the closest. Stops after `enough`. */
function alternatives(
  schemas: readonly SchemaValidator[],
  { at, enough }: { readonly at: ValueAt; readonly enough: number },
): { readonly valid: number; readonly best: Result | undefined } {
  let valid = 0;
  let best: Result | undefined;
  for (const schema of schemas) {
    const result = checked(schema, at);
    if (result.isValid) {
      if (valid === 0) best = result;
      valid++;
      if (valid >= enough) break;
    } else if (valid === 0 && (best === undefined || result.matches > best.matches)) best = result;
  }
  return { valid, best };
}
