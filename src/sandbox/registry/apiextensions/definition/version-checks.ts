/** Versions: columns, subresources, selectable fields. Source: apiextensions-apiserver v0.36 pkg/apis/apiextensions/validation/validation.go. */
import { unprintableIn } from "../../../../api/go-text.ts";
import { duplicate, invalid, required, tooMany, type FieldError } from "../../../meta/field-errors.ts";
import { structuralOf, type Structural } from "../schema/structural.ts";
import type { DefinitionVersion, PrinterColumn, ScaleDefinition } from "./definition.ts";

const columnTypes = ["boolean", "date", "integer", "number", "string"];
const columnFormats = ["byte", "date", "date-time", "double", "float", "int32", "int64", "password"];

/** Validates the columns of a version. */
export function columnsErrors(columns: readonly PrinterColumn[], path: string): FieldError[] {
  return columns.flatMap((column, index) => columnErrors(column, `${path}.additionalPrinterColumns[${index}]`));
}

function columnErrors({ name, type, format, jsonPath }: PrinterColumn, path: string): FieldError[] {
  const oneOf = (list: readonly string[]): string => `must be one of ${list.join(",")}`;
  return [
    ...(name === "" ? [required(`${path}.name`)] : []),
    ...(type === "" ? [required(`${path}.type`, oneOf(columnTypes))] : []),
    ...(type === "" || columnTypes.includes(type) ? [] : [invalid(`${path}.type`, type, oneOf(columnTypes))]),
    ...(format === "" || columnFormats.includes(format)
      ? []
      : [invalid(`${path}.format`, format, oneOf(columnFormats))]),
    ...(jsonPath === "" ? [required(`${path}.JSONPath`)] : pathErrors(jsonPath, `${path}.JSONPath`)),
  ];
}

const pathErrors = (text: string, field: string): FieldError[] =>
  text.startsWith(".") ? [] : [invalid(field, text, "must be a simple json path starting with .")];

/** Validates the paths of a Scale. */
export function scaleErrors(scale: ScaleDefinition | undefined, path: string): FieldError[] {
  if (scale === undefined) return [];
  const { specReplicasPath: spec, statusReplicasPath: status, labelSelectorPath: selector = "" } = scale;
  const where = `${path}.subresources.scale`;
  return [
    ...(spec === ""
      ? [required(`${where}.specReplicasPath`)]
      : below({ text: spec, field: `${where}.specReplicasPath` }, [".spec."])),
    ...(status === ""
      ? [required(`${where}.statusReplicasPath`)]
      : below({ text: status, field: `${where}.statusReplicasPath` }, [".status."])),
    ...(selector === "" ? [] : below({ text: selector, field: `${where}.labelSelectorPath` }, [".spec.", ".status."])),
  ];
}

/** A string and its field path. */
interface TextAt {
  readonly text: string;
  readonly field: string;
}

function below({ text, field }: TextAt, prefixes: readonly string[]): FieldError[] {
  const errors = pathErrors(text, field);
  if (errors.length > 0 || prefixes.some((prefix) => text.startsWith(prefix))) return errors;
  const roots = prefixes.map((prefix) => prefix.slice(0, -1));
  const where = roots.length === 1 ? (roots[0] ?? "") : `either ${roots.join(" or ")}`;
  return [invalid(field, text, `should be a json path under ${where}`)];
}

const mostSelectable = 8;
const selectableTypes: ReadonlySet<string> = new Set(["string", "boolean", "integer"]);

/** Validates the selectable fields. */
export function selectableErrors({ selectableFields: fields, schema }: DefinitionVersion, path: string): FieldError[] {
  if (fields.length === 0) return [];
  const where = `${path}.selectableFields`;
  if (schema === undefined) return [invalid(where, "", "may only be set when validations.schema is included")];
  const structural = structuralOf(schema);
  const seen = new Set<string>();
  const errors = fields.flatMap((text, index) => {
    const found = selectableFieldErrors({ text, field: `${where}[${index}].jsonPath` }, structural);
    const repeats = seen.has(text) && found.length === 0 ? [duplicate(`${where}[${index}].jsonPath`, text)] : [];
    seen.add(text);
    return [...found, ...repeats];
  });
  return seen.size > mostSelectable ? [...errors, tooMany(where, seen.size, mostSelectable)] : errors;
}

function selectableFieldErrors({ text, field }: TextAt, root: Structural): FieldError[] {
  if (text === "") return [required(field)];
  if (!text.startsWith("."))
    return [invalid(field, text, `is an invalid path: expected [ or . but got: ${text.slice(0, 1)}`)];
  const names = text.slice(1).split(".");
  let here: Structural | undefined = root;
  for (const name of names) {
    here = here?.properties.get(name);
    if (here === undefined) {
      const why = `is an invalid path: does not refer to a valid field`;
      return [invalid(field, text, why)];
    }
  }
  const errors = names[0] === "metadata" ? [invalid(field, text, "must not point to fields in metadata")] : [];
  if (here !== undefined && !selectableTypes.has(here.type)) {
    const why =
      "must point to a field of type string, boolean or integer. Enum string fields and strings with formats are allowed.";
    errors.push(invalid(field, text, why));
  }
  return errors;
}

/** Validates the warning sent to clients of a deprecated version. */
export function deprecationErrors(
  { deprecated, deprecationWarning: text }: DefinitionVersion,
  path: string,
): FieldError[] {
  if (text === undefined) return [];
  const problems: string[] = [];
  if (!deprecated) problems.push("can only be set for deprecated versions");
  else {
    if (text.length > 256) problems.push("must be <= 256 characters long");
    if (text === "") problems.push("must not be an empty string");
    const [first] = unprintableIn(text);
    if (first !== undefined)
      problems.push(`must only contain printable UTF-8 characters; non-printable character found at index ${first.at}`);
  }
  return problems.map((why) => invalid(`${path}.deprecationWarning`, text, why));
}
