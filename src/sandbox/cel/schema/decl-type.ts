/**
 * The types of schemas: the type of `self`, and the maximum sizes of its parts. Source: apiserver v0.36 pkg/cel/common/schemas.go,
 * pkg/cel/types.go, pkg/cel/limits.go.
 */
import type { StructTypes } from "../checker/checker.ts";
import type { Range, SizeEstimator } from "../cost/range.ts";
import {
  boolType,
  bytesType,
  type CelType,
  doubleType,
  durationType,
  dynType,
  intType,
  listOf,
  mapOf,
  objectOf,
  stringType,
  timestampType,
} from "../values/types.ts";
import { escapeName, isEmbedded, isReserved, type JsonSchema, valuesOf, withTypeAndObjectMeta } from "./schema.ts";

/** A type with the sizes of its values. */
export interface DeclType {
  readonly is: "object" | "map" | "list" | "scalar";
  readonly type: CelType;
  /** The maximum number of characters, items or entries of a value in a request. */
  readonly most: number;
  /** The minimum size of a value in JSON, in bytes. */
  readonly leastBytes: number;
  /** The type of items, or of a map's values. */
  readonly element?: DeclType;
  /** By escaped name. */
  readonly fields?: ReadonlyMap<string, DeclType>;
}

/** The maximum size of a request: 3 MiB. */
const requestBytes = 3 * 1024 * 1024;

const scalar = (
  type: CelType,
  { most = 0, leastBytes }: { readonly most?: number; readonly leastBytes: number },
): DeclType => ({
  is: "scalar",
  type,
  most,
  leastBytes,
});

const formatLengths: Readonly<Record<string, number>> = { duration: 32, date: 12, "date-time": 32 };

const positive = (value: number): number => Math.max(0, value);

/** The type of a schema; undefined if expressions cannot use it. */
export function declTypeOf(schema: JsonSchema, isRoot = false): DeclType | undefined {
  if (schema["x-kubernetes-int-or-string"] === true) {
    const most = schema.maxLength === undefined ? requestBytes - 2 : positive(schema.maxLength) * 4;
    return scalar(dynType, { most, leastBytes: 1 });
  }
  const whole = isRoot ? withTypeAndObjectMeta(schema) : schema;
  switch (whole.type) {
    case "array":
      return listType(whole);
    case "object":
      return objectType(whole);
    case "string":
      return textType(whole);
    case "boolean":
      return scalar(boolType, { leastBytes: 4 });
    case "number":
      return scalar(doubleType, { leastBytes: 1 });
    case "integer":
      return scalar(intType, { leastBytes: 1 });
    case undefined:
    default:
      return undefined;
  }
}

function listType({ items, maxItems }: JsonSchema): DeclType | undefined {
  const element = items === undefined ? undefined : declTypeOf(items, isEmbedded(items));
  if (element === undefined) return undefined;
  const most = maxItems === undefined ? Math.floor((requestBytes - 2) / (element.leastBytes + 1)) : positive(maxItems);
  return { is: "list", type: listOf(element.type), most, leastBytes: 2, element };
}

function objectType(schema: JsonSchema): DeclType | undefined {
  const values = valuesOf(schema);
  if (values === undefined) return structType(schema);
  const element = declTypeOf(values, isEmbedded(values));
  if (element === undefined) return undefined;
  const { maxProperties } = schema;
  const most =
    maxProperties === undefined ? Math.floor((requestBytes - 2) / (element.leastBytes + 6)) : positive(maxProperties);
  return { is: "map", type: mapOf(stringType, element.type), most, leastBytes: 2, element };
}

function structType({ properties = {}, required = [] }: JsonSchema): DeclType {
  const fields = new Map<string, DeclType>();
  const needed = new Set(required);
  let leastBytes = 2;
  for (const [name, property] of Object.entries(properties)) {
    const type = declTypeOf(property, isEmbedded(property));
    if (type === undefined) continue;
    const escaped = escapeName(name);
    if (escaped !== undefined) fields.set(escaped, type);
    if (needed.has(name) && (property.default === undefined || property.default === null))
      leastBytes += new TextEncoder().encode(name).length + type.leastBytes + 4;
  }
  return { is: "object", type: objectOf("object"), most: 0, leastBytes, fields };
}

function textType({ format = "", maxLength, enum: values = [] }: JsonSchema): DeclType {
  const length = formatLengths[format];
  if (length !== undefined) {
    const type = format === "duration" ? durationType : timestampType;
    return scalar(type, { most: length, leastBytes: { duration: 3, date: 12 }[format] ?? 21 });
  }
  if (format === "byte") {
    const most = maxLength === undefined ? requestBytes - 2 : positive(maxLength);
    return scalar(bytesType, { most, leastBytes: 2 });
  }
  if (maxLength !== undefined) return scalar(stringType, { most: positive(maxLength) * 4, leastBytes: 2 });
  const lengths = values.map((value) => (typeof value === "string" ? new TextEncoder().encode(value).length : 0));
  return scalar(stringType, { most: values.length > 0 ? Math.max(...lengths) : requestBytes - 2, leastBytes: 2 });
}

/** The maximum number of values of this type in a request. */
export const mostOccurrences = ({ leastBytes }: DeclType): bigint =>
  BigInt(Math.floor(requestBytes / (leastBytes + 1)));

/** A type whose objects have unique names, and these objects. */
export interface NamedTypes {
  readonly root: DeclType;
  readonly structs: StructTypes;
}

/** Names each object within a type by its path, `selfType.spec.@idx`. */
export function named(type: DeclType, name: string): NamedTypes {
  const known = new Map<string, ReadonlyMap<string, DeclType>>();
  const visit = (one: DeclType, path: string): DeclType => {
    if (one.fields !== undefined) {
      const fields = new Map(
        [...one.fields].map(([field, inner]) => [field, visit(inner, `${path}.${field}`)] as const),
      );
      known.set(path, fields);
      return { ...one, type: objectOf(path), fields };
    }
    if (one.element === undefined) return one;
    const isMap = one.is === "map";
    const element = visit(one.element, `${path}.${isMap ? "@elem" : "@idx"}`);
    return { ...one, element, type: isMap ? mapOf(stringType, element.type) : listOf(element.type) };
  };
  const root = visit(type, name);
  const fieldOf = (struct: string, field: string): CelType | undefined => {
    const fields = known.get(struct);
    return (fields?.get(field) ?? (isReserved(field) ? fields?.get(`__${field}__`) : undefined))?.type;
  };
  return { root, structs: { has: (struct) => known.has(struct), fieldOf } };
}

/** The sizes of the parts of `self`, by path. */
export function sizesOf(root: DeclType): SizeEstimator {
  return (path): Range | undefined => {
    if (path.length === 0) return undefined;
    let node: DeclType | undefined = root;
    for (const name of path.slice(1)) {
      if (node === undefined) return undefined;
      if (name === "@items" || name === "@values") node = node.element;
      else if (name === "@keys") node = node.is === "map" ? scalar(stringType, { leastBytes: 2 }) : undefined;
      else node = node.fields?.get(name);
    }
    return node === undefined ? undefined : { min: 0n, max: BigInt(node.most) };
  };
}
