/** Bodies read into objects: JSON, checked against the type, unknown fields taken out. */
import { isFields, type ApiObject, type Fields } from "./object.ts";
import { badRequest } from "./refusal.ts";
import type { Schema, Shape, Struct } from "./registry/schema.ts";

const decoder = new TextDecoder();

/** A body as JSON; the message of a refusal begins with `before`. @throws StatusError 400. */
export function jsonOf(body: Uint8Array, wrap: (problem: string) => string): unknown {
  const text = decoder.decode(body);
  try {
    return JSON.parse(text) as unknown;
  } catch (cause) {
    throw badRequest(wrap(jsonProblem(text, cause as Error)));
  }
}

/** What Go says of JSON that is none; near to it. */
function jsonProblem(text: string, cause: Error): string {
  if (/end of|Unexpected EOF|unterminated|Expected '}'|Expected '\]'/i.test(cause.message))
    return "unexpected end of JSON input";
  const bad = text.trimStart()[0] ?? "";
  if (bad !== "{" && bad !== "[" && bad !== '"') return `invalid character '${bad}' looking for beginning of value`;
  return cause.message;
}

/** What is wrong with the fields of an object but does not keep it from being used: strict decoding errors. */
export interface Decoded {
  readonly value: Fields;
  readonly strict: readonly string[];
}

/**
 * The object without fields that its type does not have and without nulls; everything that stands in `value` is its own.
 * @throws TypeProblem for a value of a wrong type.
 */
export function decodeFields(value: Fields, struct: Struct, schema: Schema): Decoded {
  const strict: string[] = [];
  return { value: readStruct(value, struct, "", { schema, strict, root: struct }), strict };
}

/** A value that its field cannot hold; the message is Go's. */
export class TypeProblem extends Error {
  override readonly name = "TypeProblem";
}

interface Reading {
  readonly schema: Schema;
  readonly strict: string[];
  readonly root: Struct;
}

function readStruct(value: Fields, struct: Struct, path: string, reading: Reading): Fields {
  if (struct.open) return value;
  const result: Fields = {};
  for (const key of Object.keys(value)) {
    const field = struct.fields.get(key);
    const here = path === "" ? key : `${path}.${key}`;
    if (field === undefined) {
      reading.strict.push(`unknown field "${here}"`);
      continue;
    }
    const read = readShape(value[key], field.shape, here, reading);
    if (read !== undefined) result[key] = read;
  }
  return result;
}

function readShape(value: unknown, shape: Shape, path: string, reading: Reading): unknown {
  if (value === null) return undefined;
  switch (shape.is) {
    case "open":
      return value;
    case "struct": {
      if (!isFields(value)) throw wrongType(value, path, shape, reading);
      return readStruct(value, reading.schema.struct(shape.name), path, reading);
    }
    case "list": {
      if (!Array.isArray(value)) throw wrongType(value, path, shape, reading);
      return value.map(
        (item: unknown, index) => readShape(item, shape.of, `${path}[${index}]`, reading) ?? zeroOf(shape.of),
      );
    }
    case "map": {
      if (!isFields(value)) throw wrongType(value, path, shape, reading);
      const result: Fields = {};
      for (const key of Object.keys(value)) {
        // Defined, not set: a key may be called __proto__.
        const item = readShape(value[key], shape.of, `${path}.${key}`, reading) ?? zeroOf(shape.of);
        Object.defineProperty(result, key, { value: item, enumerable: true, configurable: true, writable: true });
      }
      return result;
    }
    case "scalar":
      return readScalar(value, shape, path, reading);
  }
}

/** What a null stands for inside a list or a map. */
function zeroOf(shape: Shape): unknown {
  if (shape.is === "struct" || shape.is === "map") return {};
  if (shape.is === "scalar" && shape.scalar === "string") return "";
  return null;
}

function readScalar(value: unknown, shape: Shape & { readonly is: "scalar" }, path: string, reading: Reading): unknown {
  switch (shape.scalar) {
    case "boolean":
      if (typeof value === "boolean") return value;
      break;
    case "int32":
    case "int64":
      if (typeof value === "number" && Number.isInteger(value)) return value;
      break;
    case "number":
      if (typeof value === "number") return value;
      break;
    case "quantity":
      if (typeof value === "string") return value;
      if (typeof value === "number") return String(value);
      break;
    case "int-or-string":
      if (typeof value === "string" || (typeof value === "number" && Number.isInteger(value))) return value;
      break;
    case "string":
    case "time":
    case "micro-time":
    case "bytes":
      if (typeof value === "string") return value;
      break;
  }
  throw wrongType(value, path, shape, reading);
}

const goTypes: Readonly<Record<string, string>> = {
  string: "string",
  boolean: "bool",
  int32: "int32",
  int64: "int64",
  number: "float64",
  bytes: "[]uint8",
};

function goTypeOf(shape: Shape): string {
  switch (shape.is) {
    case "scalar":
      return goTypes[shape.scalar] ?? "string";
    case "open":
      return "interface {}";
    case "list":
      return `[]${goTypeOf(shape.of)}`;
    case "map":
      return `map[string]${goTypeOf(shape.of)}`;
    case "struct":
      return shape.name.split(".").slice(-2).join(".");
  }
}

function jsonTypeOf(value: unknown): string {
  if (Array.isArray(value)) return "array";
  if (typeof value === "boolean") return "bool";
  if (typeof value === "number") return Number.isInteger(value) ? "number" : `number ${value}`;
  return typeof value;
}

function wrongType(value: unknown, path: string, shape: Shape, reading: Reading): TypeProblem {
  const kind = reading.root.name.split(".").at(-1) ?? "";
  const plain = path.replaceAll(/\[\d+\]/g, "");
  return new TypeProblem(
    `json: cannot unmarshal ${jsonTypeOf(value)} into Go struct field ${kind}.${plain} of type ${goTypeOf(shape)}`,
  );
}

/** The keys of a committed object in their order: `kind`, `apiVersion`, `metadata`, the rest. */
export function ordered(object: ApiObject): ApiObject {
  const { kind, apiVersion, metadata, ...rest } = object;
  return { kind, apiVersion, metadata, ...rest };
}
