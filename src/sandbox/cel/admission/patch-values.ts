/**
 * The values that mutations construct: objects with any fields, and JSON patch operations. Source: apiserver v0.36
 * pkg/cel/mutation/typeresolver.go, jsonpatch.go, pkg/cel/mutation/dynamic/objects.go.
 */
import type { NewStruct, StructTypes } from "../program/compile.ts";
import { celEqual } from "../values/equality.ts";
import { type CelType, dynType, objectOf, stringType } from "../values/types.ts";
import { CelError, CelList, CelMap, Opaque, type Value } from "../values/value.ts";
import { entriesOf, itemsOf } from "../values/collections.ts";

/** The type of whole objects. */
export const objectType: CelType = objectOf("Object");
/** The type of JSON patch operations. */
export const jsonPatchType: CelType = objectOf("JSONPatch");

/** An object: `Object.spec{replicas: 3}`. */
export class ObjectValue extends Opaque {
  readonly type: CelType;
  readonly fields: ReadonlyMap<string, Value>;

  constructor(type: CelType, fields: ReadonlyMap<string, Value>) {
    super();
    this.type = type;
    this.fields = fields;
  }

  equal(other: Value): boolean {
    if (!(other instanceof ObjectValue) || other.type.name !== this.type.name) return false;
    if (other.fields.size !== this.fields.size) return false;
    return [...this.fields].every(([name, value]) => celEqual(value, other.fields.get(name) ?? null) === true);
  }

  text(): string {
    return this.type.name;
  }
}

const operationFields = ["op", "path", "from", "value"] as const;

/** A JSON patch operation. */
export class JsonPatchValue extends Opaque {
  readonly type: CelType = jsonPatchType;
  readonly op: string;
  readonly path: string;
  readonly from: string;
  /** Undefined if there is none. */
  readonly value: Value | undefined;

  constructor(
    { op, path, from }: { readonly op: string; readonly path: string; readonly from: string },
    value?: Value,
  ) {
    super();
    this.op = op;
    this.path = path;
    this.from = from;
    this.value = value;
  }

  equal(other: Value): boolean | CelError {
    if (!(other instanceof JsonPatchValue)) return false;
    if (other.op !== this.op || other.path !== this.path || other.from !== this.from) return false;
    if (this.value === undefined || other.value === undefined) return this.value === other.value;
    return celEqual(this.value, other.value);
  }

  text(): string {
    return this.type.name;
  }
}

const isObjectName = (name: string): boolean => name === "Object" || name.startsWith("Object.");

/** The types for patches, plus `others`. */
export function patchStructs(others: StructTypes): StructTypes {
  return {
    has: (name) => name === "JSONPatch" || isObjectName(name) || others.has(name),
    fieldOf(name, field) {
      if (isObjectName(name)) return dynType;
      if (name !== "JSONPatch") return others.fieldOf(name, field);
      const known = operationFields.find((one) => one === field);
      return known === undefined ? undefined : known === "value" ? dynType : stringType;
    },
  };
}

/** Constructs objects and operations. */
export const newPatchValue: NewStruct = (name, fields) => {
  if (isObjectName(name)) return new ObjectValue(objectOf(name), fields);
  if (name !== "JSONPatch") return new CelError(`unknown type '${name}'`);
  const texts = { op: "", path: "", from: "" };
  for (const field of ["op", "path", "from"] as const) {
    const value = fields.get(field) ?? "";
    if (typeof value !== "string")
      return new CelError(`unexpected type ${typeof value} for JSONPatchType '${field}' field`);
    texts[field] = value;
  }
  return new JsonPatchValue(texts, fields.get("value"));
};

/** Checks that each object within a value has the type name of its field path; returns a line per mismatch. */
export function misnamedIn(value: Value, path: string): string[] {
  if (value instanceof ObjectValue) {
    const { name } = value.type;
    const own =
      name === path
        ? []
        : [
            `unexpected type name ${JSON.stringify(name)}, expected ${JSON.stringify(path)}, which matches field name path from root Object type`,
          ];
    return [...own, ...[...value.fields].flatMap(([field, inner]) => misnamedIn(inner, `${path}.${field}`))];
  }
  if (value instanceof CelList) return itemsOf(value).flatMap((item) => misnamedIn(item, path));
  if (value instanceof CelMap) return entriesOf(value).flatMap(([, inner]) => misnamedIn(inner, path));
  return [];
}
