/**
 * Types as structured merge sees them: what is owned in one piece, what field by field, and what item by item. They are made of
 * the schema's structs when they are first asked for. Source: structured-merge-diff v6 schema/elements.go, kube-openapi
 * pkg/schemaconv/openapi.go.
 */
import { isFields, type Fields } from "../meta/object.ts";
import type { Field, Scalar, Schema, Shape, Struct } from "../../api/wire/schema.ts";
import { keyElement, valueElement } from "./path-element.ts";

/** The type of a value that has no parts; of any scalar for what is written in several ways. */
export interface ScalarType {
  readonly is: "scalar";
  readonly scalar: "string" | "numeric" | "boolean" | "untyped";
}

/** The type of a list: owned in one piece, or item by item, by keys or by value. */
export interface ListType {
  readonly is: "list";
  readonly associative: boolean;
  /** Of an item; none for a set. */
  readonly keys: readonly string[];
  readonly of: () => Type;
}

/** The type of an object: a struct, a map, or both. */
export interface MapType {
  readonly is: "map";
  /** True if it is owned in one piece. */
  readonly atomic: boolean;
  /** The type of a field that the schema names. */
  readonly field: (name: string) => Type | undefined;
  /** Of all other keys; undefined if there can be none. */
  readonly elements: Type | undefined;
  /** The value of a key that an item of a list leaves out. */
  readonly default: (name: string) => unknown;
}

/** The type of a value whose type shows in what it holds. Lists are owned in one piece, objects are if it says so. */
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

/** A type whose parts are known, once a value has been looked at. */
export type Atom = ScalarType | ListType | MapType;

const untyped: ScalarType = { is: "scalar", scalar: "untyped" };
const scalarTypes = {
  string: { is: "scalar", scalar: "string" },
  numeric: { is: "scalar", scalar: "numeric" },
  boolean: { is: "scalar", scalar: "boolean" },
} as const;

/** What no schema describes: objects are owned field by field, lists in one piece. */
export const deducedType: AnyType = { is: "any", atomic: false };
const atomicAny: AnyType = { is: "any", atomic: true };

const none = (): undefined => undefined;
const anyList: ListType = { is: "list", associative: false, keys: [], of: () => atomicAny };
const deducedMap: MapType = { is: "map", atomic: false, field: none, elements: deducedType, default: none };
const atomicMap: MapType = { is: "map", atomic: true, field: none, elements: atomicAny, default: none };

/** The type of a value of `type`, by what it holds; null takes any form. */
export function atomOf(type: Type, value: unknown): Atom {
  if (type.is !== "any") return type;
  if (Array.isArray(value)) return anyList;
  if (value === null || isFields(value)) return type.atomic ? atomicMap : deducedMap;
  return untyped;
}

/** The type of what a key holds; undefined for a key that there cannot be. */
export function typeAt(type: MapType, key: string): Type | undefined {
  return type.field(key) ?? type.elements;
}

const ofStructs = new WeakMap<Struct, Type>();

/** The type of a struct; what has none is deduced. */
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
    // A type may hold lists of itself.
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

/** An item of a list that cannot be named; the message is the real server's. */
export class ItemProblem extends Error {
  override readonly name = "ItemProblem";
}

/** How the path to an item names it. Source: structured-merge-diff v6 typed/helpers.go. @throws ItemProblem */
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
