/** Decodes JSON by type: drops unknown fields, rejects wrong types. */
import { canonicalize, forgetEmptyLists } from "../meta/canonical.ts";
import { canonicalQuantity } from "../../api/quantity.ts";
import { goNumber, jsonNameOf, noLiterals, type Literals } from "../meta/json.ts";
import { timeProblem } from "../meta/go-time.ts";
import { isFields, type ApiObject, type Fields } from "../meta/object.ts";
import type { Schema, Shape, Struct } from "../../api/wire/schema.ts";

/** An object, and problems with its fields that do not make it unusable: strict decoding errors. */
export interface Decoded {
  readonly value: Fields;
  readonly strict: readonly string[];
}

/**
 * The object without unknown fields and nulls. It shares nothing with `value`.
 * `literals` are those of the JSON, if it was parsed from JSON.
 * @throws TypeProblem for a value of a wrong type.
 */
export function decodeFields(value: Fields, struct: Struct, schema: Schema, literals: Literals = noLiterals): Decoded {
  const strict: string[] = [];
  return { value: readStruct(value, struct, "", { schema, strict, literals, inside: struct }), strict };
}

/**
 * The object as Go decodes it from a map instead of JSON: without unknown fields and nulls, and with integers truncated to the size of
 * their fields. @throws TypeProblem, whose message is `unstructured`.
 */
export function decodeUnstructured(value: Fields, struct: Struct, schema: Schema): Decoded {
  const strict: string[] = [];
  const reading = { schema, strict, literals: noLiterals, inside: struct, cutsNumbers: true };
  return { value: readStruct(value, struct, "", reading), strict };
}

/** A value that does not fit its field; the message is Go's. */
export class TypeProblem extends Error {
  override readonly name = "TypeProblem";
  /** Go's message when it decodes a map instead of JSON. */
  readonly unstructured: string;

  constructor(message: string, unstructured: string = message) {
    super(message);
    this.unstructured = unstructured;
  }
}

interface Reading {
  readonly schema: Schema;
  readonly strict: string[];
  readonly literals: Literals;
  /** The innermost struct type, for messages. */
  readonly inside: Struct;
  /** Integers that are too large lose their high bits. */
  readonly cutsNumbers?: boolean;
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
      const inside = reading.schema.struct(shape.name);
      // Types with their own JSON decoding accept any value.
      if (inside.open) return value;
      if (!isFields(value)) throw wrongType(value, path, shape, reading);
      return readStruct(value, inside, path, { ...reading, inside });
    }
    case "list": {
      if (!Array.isArray(value)) throw wrongType(value, path, shape, reading);
      return value.map(
        (item: unknown, index) => readShape(item, shape.of, `${path}[${index}]`, reading) ?? zeroOf(shape.of, reading),
      );
    }
    case "map": {
      if (!isFields(value)) throw wrongType(value, path, shape, reading);
      const result: Fields = {};
      for (const key of Object.keys(value)) {
        // Defined, not assigned: a key may be `__proto__`.
        const here = shape.of.is === "scalar" ? path : `${path}.${key}`;
        const item = readShape(value[key], shape.of, here, reading) ?? zeroOf(shape.of, reading);
        Object.defineProperty(result, key, { value: item, enumerable: true, configurable: true, writable: true });
      }
      return result;
    }
    case "scalar":
      return readScalar(value, shape, path, reading);
  }
}

/** The value for null inside a list or a map; types with their own JSON decoding keep it: `enum: [a, null]` of a schema. */
function zeroOf(shape: Shape, { schema }: Reading): unknown {
  if (shape.is === "struct") return schema.struct(shape.name).open ? null : {};
  if (shape.is === "map") return {};
  if (shape.is === "scalar" && shape.scalar === "string") return "";
  if (shape.is === "scalar" && shape.scalar === "quantity") return "0";
  return null;
}

function readScalar(value: unknown, shape: Shape & { readonly is: "scalar" }, path: string, reading: Reading): unknown {
  switch (shape.scalar) {
    case "boolean":
      if (typeof value === "boolean") return value;
      break;
    case "int32":
      if (isWhole(value, path, reading)) {
        if (Math.abs(value) < 2 ** 31) return value;
        if (reading.cutsNumbers === true) return Number(BigInt.asIntN(32, BigInt(inInt64(value))));
      }
      break;
    case "int64":
      if (isWhole(value, path, reading) && (Math.abs(value) < 2 ** 63 || reading.cutsNumbers === true))
        return inInt64(value);
      break;
    case "number":
      if (typeof value === "number") return value;
      break;
    case "quantity":
      if (typeof value === "number") return literalOf(value, path, reading) ?? String(value);
      if (typeof value === "string") return checkedQuantity(value);
      break;
    case "int-or-string":
      if (typeof value === "string" || (isWhole(value, path, reading) && Math.abs(value) < 2 ** 31)) return value;
      break;
    case "string":
      if (typeof value === "string") return value;
      break;
    case "time":
    case "micro-time":
      if (typeof value === "string") return checkedTime(value, shape.scalar);
      break;
    case "bytes":
      if (typeof value === "string") return checkedBase64(value);
      // In Go, this is a list of bytes.
      if (Array.isArray(value) && value.every(isByte)) return bytesIn(value);
      break;
  }
  throw wrongType(value, path, shape, reading);
}

/** How a number was written, if not only in digits. */
function literalOf(value: number, path: string, { literals }: Reading): string | undefined {
  const literal = literals.get(path);
  // A patch may have replaced it.
  return literal !== undefined && Number(literal) === value ? literal : undefined;
}

function isWhole(value: unknown, path: string, reading: Reading): value is number {
  return typeof value === "number" && Number.isInteger(value) && literalOf(value, path, reading) === undefined;
}

/** An integer as an int64: one that is too large becomes the minimum, as on amd64. */
const inInt64 = (value: number): number => (Math.abs(value) < 2 ** 63 ? value : -(2 ** 63));

const noQuantity = "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";

function checkedQuantity(text: string): string {
  if (canonicalQuantity(text) !== undefined) return text;
  throw new TypeProblem(noQuantity);
}

const layouts = { time: "2006-01-02T15:04:05Z07:00", "micro-time": "2006-01-02T15:04:05.000000Z07:00" } as const;

/** An empty string is not a time, and is omitted. */
function checkedTime(text: string, scalar: keyof typeof layouts): string {
  const problem = timeProblem(text, layouts[scalar]);
  if (problem !== undefined) throw new TypeProblem(problem);
  return text;
}

/** A null in a list of numbers is a zero. */
function isByte(value: unknown): value is number | null {
  return value === null || (typeof value === "number" && Number.isInteger(value) && value >= 0 && value < 256);
}

function bytesIn(list: readonly (number | null)[]): string {
  let bytes = "";
  for (const byte of list) bytes += String.fromCharCode(byte ?? 0);
  return btoa(bytes);
}

function checkedBase64(text: string): string {
  const wrong = (at: number): TypeProblem => {
    const why = `illegal base64 data at input byte ${at}`;
    return new TypeProblem(why, `error decoding from json: ${why}`);
  };
  const clean = text.replaceAll(/[\r\n]/g, "");
  const bad = clean.search(/[^A-Za-z0-9+/=]/);
  if (bad >= 0) throw wrong(bad);
  if (clean.length % 4 !== 0 || !/^[^=]*={0,2}$/.test(clean)) throw wrong(clean.length - (clean.length % 4));
  return text;
}

const goTypes: Readonly<Record<string, string>> = {
  string: "string",
  boolean: "bool",
  int32: "int32",
  int64: "int64",
  number: "float64",
  "int-or-string": "int32",
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

/** The reflect kind of a JSON value in Go. */
function reflectKindOf(value: unknown): string {
  if (Array.isArray(value)) return "slice";
  if (typeof value === "boolean") return "bool";
  if (typeof value === "number") return Number.isInteger(value) ? "int64" : "float64";
  return typeof value === "string" ? "string" : "map";
}

const numeric: ReadonlySet<string> = new Set(["int32", "int64", "number", "int-or-string"]);

/** The value of a number is only included in the message if the field is numeric. */
function jsonTypeOf(value: unknown, shape: Shape, literal: string | undefined): string {
  if (Array.isArray(value)) return "array";
  if (typeof value === "boolean") return "bool";
  if (typeof value === "number")
    return shape.is === "scalar" && numeric.has(shape.scalar) ? `number ${literal ?? goNumber(value)}` : "number";
  return typeof value;
}

function wrongType(value: unknown, path: string, shape: Shape, reading: Reading): TypeProblem {
  const owner = reading.inside.name.split(".").at(-1) ?? "";
  const plain = path.replaceAll(/\[\d+\]/g, "");
  const literal = typeof value === "number" ? literalOf(value, path, reading) : undefined;
  return new TypeProblem(
    `json: cannot unmarshal ${jsonTypeOf(value, shape, literal)} into Go struct field ${owner}.${plain} of type ${goTypeOf(shape)}`,
    notRestored(value, shape),
  );
}

/** Go's message when it decodes a map. Source: apimachinery v0.36 runtime/converter.go. */
function notRestored(value: unknown, shape: Shape): string {
  if (shape.is === "struct") return `cannot restore struct from: ${reflectKindOf(value)}`;
  if (shape.is === "list") return `cannot restore slice from ${reflectKindOf(value)}`;
  if (shape.is === "map") return `cannot restore map from ${reflectKindOf(value)}`;
  if (typeof value === "number" && shape.is === "scalar") {
    if (shape.scalar === "int32" || shape.scalar === "int64") return `cannot convert float64 to ${goTypeOf(shape)}`;
    if (shape.scalar === "int-or-string")
      return `json: cannot unmarshal number ${goNumber(value)} into Go value of type int32`;
  }
  if (shape.is !== "scalar") return `unrecognized type: ${goTypeOf(shape)}`;
  // Types with their own decoding decode the value as JSON.
  switch (shape.scalar) {
    case "quantity":
      return noQuantity;
    case "time":
    case "micro-time":
      return `json: cannot unmarshal ${jsonNameOf(value)} into Go value of type string`;
    case "int-or-string":
      return `json: cannot unmarshal ${jsonNameOf(value)} into Go value of type int32`;
    case "string":
    case "boolean":
    case "bytes":
    case "int32":
    case "int64":
    case "number":
      return `unrecognized type: ${goTypeOf(shape)}`;
  }
}

/** The object with its keys in order: `kind`, `apiVersion`, `metadata`, the rest. */
export function ordered(object: ApiObject): ApiObject {
  const { kind, apiVersion, metadata, ...rest } = object;
  return { kind, apiVersion, metadata, ...rest };
}

/** An object in the server's own form, with ordered keys. Takes the object over. */
export function written(object: ApiObject, struct: Struct | undefined, schema: Schema): ApiObject {
  if (struct !== undefined) canonicalize(object, struct, schema);
  return ordered(object);
}

/** An object in its committed form: stored objects do not distinguish empty lists from missing ones. Takes the object over. */
export function finished(object: ApiObject, struct: Struct | undefined, schema: Schema): ApiObject {
  const whole = written(object, struct, schema);
  if (struct !== undefined) forgetEmptyLists(whole, struct, schema);
  return whole;
}
