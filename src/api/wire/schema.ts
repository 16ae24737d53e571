/** The types of `api.json`, parsed on demand: each field's type, how it is merged and who may own it. */
import type { ApiData, FieldData } from "./format.ts";

/** A type without parts. */
export type Scalar =
  "string" | "int32" | "int64" | "number" | "boolean" | "quantity" | "int-or-string" | "time" | "micro-time" | "bytes";

/** The JSON of a Go field's zero value. */
export function zeroOf(scalar: Scalar): string | number | boolean {
  switch (scalar) {
    case "int32":
    case "int64":
    case "number":
    case "int-or-string":
      return 0;
    case "boolean":
      return false;
    case "quantity":
      return "0";
    case "string":
    case "time":
    case "micro-time":
    case "bytes":
      return "";
  }
}

/** The type of a value. */
export type Shape =
  | { readonly is: "scalar"; readonly scalar: Scalar }
  /** Any object, or any value. */
  | { readonly is: "open" }
  | { readonly is: "list"; readonly of: Shape }
  | { readonly is: "map"; readonly of: Shape }
  | { readonly is: "struct"; readonly name: string };

/** A field of a struct. */
export interface Field {
  readonly shape: Shape;
  readonly required: boolean;
  /** For strategic merge patches. */
  readonly mergeKey: string | undefined;
  readonly merges: boolean;
  readonly replaces: boolean;
  readonly retainsKeys: boolean;
  /** For managed fields. */
  readonly listType: "atomic" | "set" | "map";
  readonly listKeys: readonly string[];
  readonly atomic: boolean;
  /** A struct whose type is owned as a unit is owned field by field here. */
  readonly granular?: boolean;
  /** The default of an omitted field: a keyed list item may omit a key that has a default. */
  readonly default?: unknown;
  readonly values: readonly string[] | undefined;
  /** How it is written when empty: not at all, as set, as 0, false or "", as null, as a struct that is always present. */
  readonly empty: "omitted" | "as-set" | "zero" | "null" | "struct";
}

const emptyCodes = { o: "omitted", p: "as-set", k: "zero", n: "null", s: "struct" } as const;

/** An object type with known fields. */
export interface Struct {
  readonly name: string;
  readonly fields: ReadonlyMap<string, Field>;
  /** The fields that are written even if unset. */
  readonly always: readonly (readonly [name: string, field: Field])[];
  readonly open: boolean;
  readonly atomic: boolean;
  /** `fields.get` returns a field for every name, `fields.has` is true only for described ones. */
  readonly takesAny?: true;
}

const scalars: Readonly<Record<string, Scalar>> = {
  s: "string",
  i: "int32",
  l: "int64",
  n: "number",
  b: "boolean",
  q: "quantity",
  x: "int-or-string",
  t: "time",
  u: "micro-time",
  y: "bytes",
};

function shapeOf(code: string): Shape {
  const rest = code.slice(1);
  switch (code.charAt(0)) {
    case "[":
      return { is: "list", of: shapeOf(rest) };
    case "{":
      return { is: "map", of: shapeOf(rest) };
    case "@":
      return { is: "struct", name: rest };
    default: {
      const scalar = scalars[code];
      return scalar === undefined ? { is: "open" } : { is: "scalar", scalar };
    }
  }
}

function fieldOf(data: FieldData): Field {
  const more = typeof data === "string" ? { t: data } : data;
  const strategies = more.p?.split(",") ?? [];
  const shape = shapeOf(more.t);
  return {
    shape,
    required: more.r === 1,
    mergeKey: more.k,
    merges: strategies.includes("merge"),
    replaces: strategies.includes("replace"),
    retainsKeys: strategies.includes("retainKeys"),
    listType: more.l === "set" || more.l === "map" ? more.l : "atomic",
    listKeys: more.m ?? [],
    // `o` is a RawExtension; any other open type is owned as what it contains.
    atomic: more.g === "atomic" || more.t === "o",
    ...(more.g === "granular" ? { granular: true } : {}),
    ...keyDefault(more, shape),
    values: more.e,
    empty: more.z === undefined ? usualEmpty(shape) : emptyCodes[more.z as keyof typeof emptyCodes],
  };
}

/** A field that is always written has the zero value of its type as its default. */
function keyDefault({ d, z }: Exclude<FieldData, string>, shape: Shape): Pick<Field, "default"> {
  if (d !== undefined) return { default: d };
  return z === "k" && shape.is === "scalar" ? { default: zeroOf(shape.scalar) } : {};
}

function usualEmpty(shape: Shape): Field["empty"] {
  if (shape.is === "struct" || shape.is === "open") return "as-set";
  return shape.is === "scalar" && (shape.scalar === "time" || shape.scalar === "micro-time") ? "as-set" : "omitted";
}

const always: ReadonlySet<Field["empty"]> = new Set(["zero", "null", "struct"]);

/** The types by name; each is parsed on first use. */
export interface Schema {
  /** @throws RangeError for a name that the data does not have. */
  struct(name: string): Struct;
  /** The type of `v1/Pod`; undefined for unknown kinds. */
  kind(apiVersion: string, kind: string): Struct | undefined;
}

/** The types of the extracted data. */
export function schemaOf(data: ApiData): Schema {
  const ready = new Map<string, Struct>();
  const struct = (name: string): Struct => {
    const there = ready.get(name);
    if (there !== undefined) return there;
    const type = data.types[name];
    if (type === undefined) throw new RangeError(`Cannot find the type ${name} in api.json`);
    const fields = new Map(Object.entries(type.f).map(([field, value]) => [field, fieldOf(value)]));
    const made: Struct = {
      name,
      fields,
      always: [...fields].filter(([, field]) => always.has(field.empty)),
      open: type.open === 1,
      atomic: type.atomic === 1,
    };
    ready.set(name, made);
    return made;
  };
  return {
    struct,
    kind(apiVersion, kind) {
      const name = data.kinds[`${apiVersion}/${kind}`];
      return name === undefined ? undefined : struct(name);
    },
  };
}
