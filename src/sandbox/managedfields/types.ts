/**
 * Types for structured merge: which values are atomic, and which are merged by field or by item. They are derived from the schema's structs
 * on first use. Source: structured-merge-diff v6 schema/elements.go, kube-openapi pkg/schemaconv/openapi.go.
 */
import { isFields, type Fields } from "../meta/object.ts";
import type { Field, Scalar, Schema, Shape, Struct } from "../../api/wire/schema.ts";
import { keyElement, valueElement } from "./path-element.ts";

/** The type of a value without parts; of any scalar if it can be written in several ways. */
export interface ScalarType {
  readonly is: "scalar";
  readonly scalar: "string" | "numeric" | "boolean" | "untyped";
}

/** The type of a list: atomic, or merged by item, identified by keys or by value. */
export interface ListType {
  readonly is: "list";
  readonly associative: boolean;
  /** The keys of an item; empty for a set. */
  readonly keys: readonly string[];
  readonly of: () => Type;
}

/** The type of an object: a struct, a map, or both. */
export interface MapType {
  readonly is: "map";
  /** True if it is atomic. */
  readonly atomic: boolean;
  /** The type of a declared field. */
  readonly field: (name: string) => Type | undefined;
  /** The type of all other keys; undefined if there are none. */
  readonly elements: Type | undefined;
  /** The default of a key that an item of a list omits. */
  readonly default: (name: string) => unknown;
}

/** A type deduced from the value. Lists are atomic; objects are if `atomic` is set. */
export interface AnyType {
  readonly is: "any";
  readonly atomic: boolean;
}

/** The type of a value. */
export type Type = ScalarType | ListType | MapType | AnyType;

/** An object with its type. */
export interface Typed {
  readonly value: Fields;
  readonly type: Type;
}

/** A type with known parts, resolved for a value. */
export type Atom = ScalarType | ListType | MapType;

const untyped: ScalarType = { is: "scalar", scalar: "untyped" };
const scalarTypes = {
  string: { is: "scalar", scalar: "string" },
  numeric: { is: "scalar", scalar: "numeric" },
  boolean: { is: "scalar", scalar: "boolean" },
} as const;

/** The type of values without a schema: objects are merged by field, lists are atomic. */
export const deducedType: AnyType = { is: "any", atomic: false };
const atomicAny: AnyType = { is: "any", atomic: true };

const none = (): undefined => undefined;
const anyList: ListType = { is: "list", associative: false, keys: [], of: () => atomicAny };
const deducedMap: MapType = { is: "map", atomic: false, field: none, elements: deducedType, default: none };
const atomicMap: MapType = { is: "map", atomic: true, field: none, elements: atomicAny, default: none };

/** The resolved type of a value of `type`; null fits any type. */
export function atomOf(type: Type, value: unknown): Atom {
  if (type.is !== "any") return type;
  if (Array.isArray(value)) return anyList;
  if (value === null || isFields(value)) return type.atomic ? atomicMap : deducedMap;
  return untyped;
}

/** The type of a key's value; undefined for a key that cannot exist. */
export function typeAt(type: MapType, key: string): Type | undefined {
  return type.field(key) ?? type.elements;
}

const ofStructs = new WeakMap<Struct, Type>();

/** The type of a struct; deduced if there is none. */
export function typeOf(struct: Struct | undefined, schema: Schema): Type {
  if (struct === undefined) return deducedType;
  let type = ofStructs.get(struct);
  if (type === undefined) {
    type = structType(struct, schema, struct.atomic);
    ofStructs.set(struct, type);
  }
  return type;
}

function structType({ fields, open, takesAny }: Struct, schema: Schema, atomic: boolean): Type {
  if (open && fields.size === 0) return atomic ? atomicAny : deducedType;
  const types = new Map<string, Type>();
  return {
    is: "map",
    atomic,
    elements: open || takesAny === true ? deducedType : undefined,
    field(name) {
      const there = types.get(name);
      if (there !== undefined) return there;
      const field = fields.has(name) ? fields.get(name) : undefined;
      if (field === undefined) return undefined;
      const made = shapeType(field.shape, field, schema);
      types.set(name, made);
      return made;
    },
    default: (name) => fields.get(name)?.default,
  };
}

function shapeType(shape: Shape, field: Field | undefined, schema: Schema): Type {
  switch (shape.is) {
    case "open":
      return field?.atomic === true ? atomicAny : deducedType;
    case "scalar":
      return scalarType(shape.scalar);
    case "struct": {
      const struct = schema.struct(shape.name);
      const atomic = field?.atomic === true || (struct.atomic && field?.granular !== true);
      return atomic === struct.atomic ? typeOf(struct, schema) : structType(struct, schema, atomic);
    }
    case "map":
      return {
        is: "map",
        atomic: field?.atomic === true,
        field: none,
        elements: shapeType(shape.of, undefined, schema),
        default: none,
      };
    case "list":
      return listType(shape.of, field, schema);
  }
}

function listType(item: Shape, field: Field | undefined, schema: Schema): ListType {
  let of: Type | undefined;
  return {
    is: "list",
    associative: field !== undefined && field.listType !== "atomic",
    keys: field?.listType === "map" ? field.listKeys : [],
    // A type may contain lists of itself.
    of: () => (of ??= shapeType(item, undefined, schema)),
  };
}

function scalarType(scalar: Scalar): Type {
  switch (scalar) {
    case "string":
    case "bytes":
      return scalarTypes.string;
    case "int32":
    case "int64":
    case "number":
      return scalarTypes.numeric;
    case "boolean":
      return scalarTypes.boolean;
    case "quantity":
    case "time":
    case "micro-time":
      return untyped;
    case "int-or-string":
      return deducedType;
  }
}

/** A list item that cannot be identified; the message is the real server's. */
export class ItemProblem extends Error {
  override readonly name = "ItemProblem";
}

/** The path element of an item. Source: structured-merge-diff v6 typed/helpers.go. @throws ItemProblem */
export function itemElement(item: unknown, type: ListType): string {
  if (type.keys.length > 0) return keysElement(item, type);
  if (Array.isArray(item)) throw new ItemProblem("not supported: associative list with lists as elements");
  if (item === null) throw new ItemProblem("associative list without keys has an element that's an explicit null");
  if (isFields(item)) throw new ItemProblem("associative list without keys has an element that's a map type");
  return valueElement(item);
}

function keysElement(item: unknown, { keys, of }: ListType): string {
  if (item === null) throw new ItemProblem("associative list with keys may not have a null element");
  if (!isFields(item)) throw new ItemProblem("associative list with keys may not have non-map elements");
  const found: Fields = {};
  let isNamed = false;
  for (const key of keys) {
    const value = item[key] ?? (item[key] === null ? null : defaultOf(of(), key));
    if (value === undefined) continue;
    found[key] = value;
    isNamed = true;
  }
  if (isNamed) return keyElement(found);
  const names = keys.map((key) => JSON.stringify(key)).join(" ");
  throw new ItemProblem(
    `associative list with keys has an element that omits all key fields [${names}] (and doesn't have default values for any key fields)`,
  );
}

function defaultOf(type: Type, key: string): unknown {
  return type.is === "map" ? type.default(key) : undefined;
}
