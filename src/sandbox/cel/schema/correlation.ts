/**
 * Pairs a value with its old value: list items by their keys, fields by name. Errors in unchanged values are ignored. Source: apiserver
 * v0.36 pkg/cel/common/equality.go, maplist.go.
 */
import { deepEqual } from "../../../api/field-changes.ts";
import { type JsonSchema, valuesOf } from "./schema.ts";

const isFields = (json: unknown): json is Readonly<Record<string, unknown>> =>
  typeof json === "object" && json !== null && !Array.isArray(json);

const isScalar = (json: unknown): boolean => ["boolean", "number", "string"].includes(typeof json);

/** The identity of a list item; undefined for items without their keys. */
function keyOf(item: unknown, keys: readonly string[]): string | undefined {
  if (!isFields(item)) return undefined;
  const values = keys.map((key) => item[key]);
  return values.every(isScalar) ? JSON.stringify(values) : undefined;
}

/** Finds the item in the old list with the same keys; the first of several. */
export function oldItemFinder(schema: JsonSchema, old: unknown): (item: unknown) => unknown {
  const keys = schema["x-kubernetes-list-map-keys"] ?? [];
  const isMap = schema.type === "array" && schema["x-kubernetes-list-type"] === "map" && keys.length > 0;
  if (!isMap || !Array.isArray(old)) return () => undefined;
  const found = new Map<string, unknown>();
  for (const item of old) {
    const key = keyOf(item, keys);
    if (key !== undefined && !found.has(key)) found.set(key, item);
  }
  return (item) => {
    const key = keyOf(item, keys);
    return key === undefined ? undefined : found.get(key);
  };
}

/** A value, its old value, and their schema. */
export class Correlated {
  readonly #value: unknown;
  readonly #old: unknown;
  readonly #schema: JsonSchema;
  #isSame: boolean | undefined;
  #oldItem: ((item: unknown) => unknown) | undefined;

  constructor(value: unknown, { old, schema }: { readonly old: unknown; readonly schema: JsonSchema }) {
    this.#value = value;
    this.#old = old;
    this.#schema = schema;
  }

  /** A field of both values, if it is in the schema. */
  field(name: string): Correlated | undefined {
    const [value, old] = [this.#value, this.#old];
    if (!isFields(value) || !isFields(old) || !Object.hasOwn(value, name) || !Object.hasOwn(old, name))
      return undefined;
    const { properties } = this.#schema;
    const schema =
      properties !== undefined && Object.hasOwn(properties, name) ? properties[name] : valuesOf(this.#schema);
    return schema === undefined ? undefined : new Correlated(value[name], { old: old[name], schema });
  }

  /** An item, paired with the old item of the same keys. */
  item(index: number): Correlated | undefined {
    const { items } = this.#schema;
    if (!Array.isArray(this.#value) || items === undefined || index >= this.#value.length) return undefined;
    this.#oldItem ??= oldItemFinder(this.#schema, this.#old);
    const value: unknown = this.#value[index];
    const old = this.#oldItem(value);
    return old === undefined || old === null ? undefined : new Correlated(value, { old, schema: items });
  }

  /** True if nothing has changed. */
  get isSame(): boolean {
    this.#isSame ??= this.#compare();
    return this.#isSame;
  }

  #compare(): boolean {
    const [value, old] = [this.#value, this.#old];
    if (Array.isArray(value) && Array.isArray(old)) {
      if (value.length !== old.length) return false;
      const isMap = this.#schema["x-kubernetes-list-type"] === "map";
      return isMap ? value.every((_, n) => this.item(n)?.isSame === true) : deepEqual(value, old);
    }
    if (!isFields(value) || !isFields(old)) return deepEqual(value, old);
    const keys = Object.keys(value);
    return keys.length === Object.keys(old).length && keys.every((key) => this.field(key)?.isSame === true);
  }
}
