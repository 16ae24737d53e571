/**
 * JSON as CEL values, with or without a schema; lists and maps are converted lazily. Source: apiserver v0.36
 * pkg/cel/common/valuesunstructured.go; cel-go v0.26 common/types/provider.go NativeToValue.
 */
import { deepEqual } from "../../../api/field-changes.ts";
import { ArrayList, itemsOf } from "../values/collections.ts";
import { celEqual } from "../values/equality.ts";
import { type CelType, unknownType } from "../values/types.ts";
import { CelError, CelList, CelMap, noSuchOverload, Opaque, overloadError, type Value } from "../values/value.ts";
import { readFormat } from "./formats.ts";
import { escapeName, isEmbedded, type JsonSchema, unescapeName, valuesOf, withTypeAndObjectMeta } from "./schema.ts";

/** Converts JSON to a value. */
export type Converter = (json: unknown) => Value;

const invalid = (wanted: string): CelError => new CelError(`invalid data, ${wanted}`);

/** The Go type of a JSON value. */
function goType(json: unknown): string {
  if (Array.isArray(json)) return "[]interface {}";
  if (typeof json === "string") return "string";
  if (typeof json === "boolean") return "bool";
  if (typeof json !== "number") return "map[string]interface {}";
  return Number.isInteger(json) ? "int64" : "float64";
}

type Fields = Readonly<Record<string, unknown>>;
const isFields = (json: unknown): json is Fields => typeof json === "object" && json !== null && !Array.isArray(json);

const converters = new WeakMap<JsonSchema, Converter>();

/** The converter for a schema; created once. */
export function converterOf(schema: JsonSchema): Converter {
  const known = converters.get(schema);
  if (known !== undefined) return known;
  const typed = typedConverter(schema);
  const converter: Converter = (json) => {
    if (json !== null && json !== undefined) return typed(json);
    return schema.nullable === true ? null : invalid("got null for schema with nullable=false");
  };
  converters.set(schema, converter);
  return converter;
}

function typedConverter(schema: JsonSchema): Converter {
  if (schema["x-kubernetes-int-or-string"] === true) return intOrString;
  switch (schema.type) {
    case "object":
      return objectConverter(schema);
    case "array":
      return listConverter(schema);
    case "string":
      return textConverter(schema);
    case "number":
      return (json) => (typeof json === "number" ? json : invalid(`expected float, got ${goType(json)}`));
    case "integer":
      return (json) =>
        typeof json === "number" && Number.isInteger(json)
          ? BigInt(json)
          : invalid(`expected int, got ${goType(json)}`);
    case "boolean":
      return (json) => (typeof json === "boolean" ? json : invalid(`expected bool, got ${goType(json)}`));
    case undefined:
    default:
      return schema["x-kubernetes-preserve-unknown-fields"] === true
        ? (json) => new Preserved(json)
        : () =>
            new CelError(
              `invalid type, expected object, array, number, integer, boolean or string, or no type with x-kubernetes-int-or-string or x-kubernetes-preserve-unknown-fields is true, got ${schema.type ?? ""}`,
            );
  }
}

const intOrString: Converter = (json) => {
  if (typeof json === "string") return json;
  if (typeof json === "number" && Number.isInteger(json)) return BigInt(json);
  return invalid("expected XIntOrString value to be either a string or integer");
};

function textConverter({ format = "" }: JsonSchema): Converter {
  const read = readFormat(format);
  return (json) => {
    if (typeof json !== "string") return invalid(`expected string, got ${goType(json)}`);
    return read === undefined ? json : read(json);
  };
}

/** The keys of a map with a schema. */
interface Shape {
  /** Keys are field names, which are escaped in expressions. */
  readonly isObject: boolean;
  readonly converterOf: (key: string) => Converter | undefined;
  /** Names as written in expressions, and the fields that they refer to. */
  readonly meant: Map<string, string | undefined>;
}

function objectConverter(schema: JsonSchema): Converter {
  const whole = isEmbedded(schema) ? withTypeAndObjectMeta(schema) : schema;
  const { properties } = whole;
  const values = valuesOf(schema);
  const shape: Shape = {
    isObject: properties !== undefined,
    meant: new Map(),
    converterOf: (key) => {
      if (properties !== undefined || isEmbedded(schema)) {
        const property = properties !== undefined && Object.hasOwn(properties, key) ? properties[key] : undefined;
        return property === undefined ? undefined : converterOf(property);
      }
      return values === undefined ? undefined : converterOf(values);
    },
  };
  return (json) =>
    isFields(json) ? new SchemaMap(json, shape) : invalid("expected a map for the provided schema with type=object");
}

/** An object or a map with a schema. */
class SchemaMap extends CelMap {
  readonly json: Fields;
  readonly #shape: Shape;

  constructor(json: Fields, shape: Shape) {
    super();
    this.json = json;
    this.#shape = shape;
  }

  get size(): number {
    return Object.keys(this.json).length;
  }

  find(key: Value): Value | undefined {
    if (typeof key !== "string") return overloadError(key);
    const name = this.#shape.isObject ? this.#meaning(key) : key;
    if (name === undefined || !Object.hasOwn(this.json, name)) return undefined;
    const json = this.json[name];
    if (this.#shape.isObject && (json === null || json === undefined)) return undefined;
    return this.#shape.converterOf(name)?.(json);
  }

  #meaning(key: string): string | undefined {
    const { meant } = this.#shape;
    const known = meant.get(key);
    if (known !== undefined || meant.has(key)) return known;
    const name = unescapeName(key);
    if (meant.size < 1000) meant.set(key, name);
    return name;
  }

  keys(): Value[] {
    const known = Object.keys(this.json).filter((key) => this.#shape.converterOf(key) !== undefined);
    return this.#shape.isObject ? known.map((key) => escapeName(key) ?? key) : known;
  }

  equal(other: Value): boolean | CelError {
    if (!(other instanceof CelMap)) return overloadError(other);
    if (this.size !== other.size) return false;
    for (const [key, json] of Object.entries(this.json)) {
      const isEqual =
        this.#shape.converterOf(key) === undefined
          ? this.#equalUnknown(other, [key, json])
          : this.#equalKnown(other, key);
      if (isEqual !== true) return isEqual;
    }
    return true;
  }

  #equalUnknown(other: CelMap, [key, json]: readonly [string, unknown]): boolean | CelError {
    if (!(other instanceof SchemaMap)) return noSuchOverload();
    return !Object.hasOwn(other.json, key) || deepEqual(json, other.json[key]);
  }

  #equalKnown(other: CelMap, key: string): boolean | CelError {
    const [own, its] = [this.find(key), other.find(key)];
    if (own === undefined || its === undefined) return own === its;
    return celEqual(own, its);
  }

  override untyped(): CelMap {
    return new JsonMap(this.json);
  }
}

function listConverter(schema: JsonSchema): Converter {
  const { items } = schema;
  if (items === undefined) return () => new CelError("invalid array type, expected Items with a non-empty Schema");
  const convert = converterOf(items);
  const listType = schema["x-kubernetes-list-type"];
  const keys = (schema["x-kubernetes-list-map-keys"] ?? []).map((key) => escapeName(key) ?? key);
  return (json) => {
    if (!Array.isArray(json)) return invalid("expected an array for the provided schema with type=array");
    if (listType === "map") return new MapList(json, { convert, keys });
    return listType === "set" ? new SetList(json, { convert }) : new SchemaList(json, { convert });
  };
}

/** The JSON of a value; values created by expressions stay as they are. */
const jsonOf = (value: Value): unknown => {
  if (value instanceof SchemaMap || value instanceof JsonMap) return value.json;
  if (value instanceof SchemaList || value instanceof JsonList) return value.json;
  return typeof value === "bigint" ? Number(value) : value;
};

interface Items {
  readonly convert: Converter;
  /** The keys of a list of type `map`. */
  readonly keys?: readonly string[];
}

/** A list with a schema. */
class SchemaList extends CelList {
  readonly json: readonly unknown[];
  protected readonly items: Items;

  constructor(json: readonly unknown[], items: Items) {
    super();
    this.json = json;
    this.items = items;
  }

  get size(): number {
    return this.json.length;
  }

  get(index: number): Value {
    return this.items.convert(this.json[index]);
  }

  add(other: CelList): CelList {
    return new SchemaList([...this.json, ...itemsOf(other).map(jsonOf)], this.items);
  }

  contains(value: Value): boolean | CelError {
    let error: CelError | undefined;
    for (const json of this.json) {
      const isEqual = celEqual(this.items.convert(json), value);
      if (isEqual === true) return true;
      if (isEqual instanceof CelError) error ??= isEqual;
    }
    return error ?? false;
  }

  equal(other: Value): boolean | CelError {
    if (!(other instanceof CelList)) return overloadError(other);
    if (other.size !== this.size) return false;
    for (let n = 0; n < this.size; n++) {
      const isEqual = celEqual(this.get(n), other.get(n));
      if (isEqual !== true) return isEqual;
    }
    return true;
  }

  override untyped(): CelList {
    return new JsonList(this.json);
  }
}

/** A list of type `set`: order is ignored, and adding skips existing items. */
class SetList extends SchemaList {
  override equal(other: Value): boolean | CelError {
    if (!(other instanceof CelList)) return overloadError(other);
    if (other.size !== this.size) return false;
    const own = new Set(this.json);
    return itemsOf(other).every((item) => own.has(jsonOf(item)));
  }

  override add(other: CelList): CelList {
    return new SetList([...new Set([...this.json, ...itemsOf(other).map(jsonOf)])], this.items);
  }
}

/** A list of type `map`: items are identified by their keys, and adding replaces existing ones. */
class MapList extends SchemaList {
  #keyOf(json: unknown): string {
    const values = (this.items.keys ?? []).map((key) => (isFields(json) ? json[key] : undefined) ?? null);
    return JSON.stringify(values);
  }

  override equal(other: Value): boolean | CelError {
    if (!(other instanceof CelList)) return overloadError(other);
    if (other.size !== this.size) return false;
    const own = new Map(this.json.map((json) => [this.#keyOf(json), json]));
    for (const item of itemsOf(other)) {
      const key = this.#keyOf(jsonOf(item));
      if (!own.has(key)) return false;
      const isEqual = celEqual(this.items.convert(own.get(key)), item);
      if (isEqual !== true) return isEqual;
    }
    return true;
  }

  override add(other: CelList): CelList {
    const json = [...this.json];
    const places = new Map(json.map((item, n) => [this.#keyOf(item), n]));
    for (const item of itemsOf(other).map(jsonOf)) {
      const place = places.get(this.#keyOf(item));
      if (place === undefined) json.push(item);
      else json[place] = item;
    }
    return new MapList(json, this.items);
  }
}

/** A value preserved by x-kubernetes-preserve-unknown-fields: it can only be compared. */
class Preserved extends Opaque {
  readonly type: CelType = unknownType;
  readonly json: unknown;

  constructor(json: unknown) {
    super();
    this.json = json;
  }

  equal(other: Value): boolean {
    return deepEqual(this.json, other instanceof Preserved ? other.json : jsonOf(other));
  }

  text(): string {
    return JSON.stringify(this.json);
  }
}

/** JSON without a schema, as a value. */
export function fromJson(json: unknown): Value {
  if (json === null || json === undefined) return null;
  if (typeof json === "string" || typeof json === "boolean") return json;
  if (typeof json === "number") return Number.isInteger(json) ? BigInt(json) : json;
  return Array.isArray(json) ? new JsonList(json) : isFields(json) ? new JsonMap(json) : null;
}

/** A JSON list. */
class JsonList extends CelList {
  readonly json: readonly unknown[];

  constructor(json: readonly unknown[]) {
    super();
    this.json = json;
  }

  get size(): number {
    return this.json.length;
  }

  get(index: number): Value {
    return fromJson(this.json[index]);
  }

  #plain(): ArrayList {
    return new ArrayList(this.json.map(fromJson));
  }

  add(other: CelList): CelList {
    return this.#plain().add(other);
  }

  contains(value: Value): boolean {
    return this.#plain().contains(value);
  }

  equal(other: Value): boolean {
    return this.#plain().equal(other);
  }
}

/** A JSON object. */
class JsonMap extends CelMap {
  readonly json: Fields;

  constructor(json: Fields) {
    super();
    this.json = json;
  }

  get size(): number {
    return Object.keys(this.json).length;
  }

  find(key: Value): Value | undefined {
    return typeof key === "string" && Object.hasOwn(this.json, key) ? fromJson(this.json[key]) : undefined;
  }

  keys(): Value[] {
    return Object.keys(this.json);
  }

  equal(other: Value): boolean {
    if (!(other instanceof CelMap) || other.size !== this.size) return false;
    return Object.keys(this.json).every((key) => {
      const found = other.find(key);
      return found !== undefined && celEqual(fromJson(this.json[key]), found) !== false;
    });
  }
}
