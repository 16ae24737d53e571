/** OpenAPI v3 schemas as the compact types of `src/api/wire/format.ts`. */
import type { ApiData, FieldData, TypeData } from "../../src/api/wire/format.ts";

interface Schema {
  readonly $ref?: string;
  readonly type?: string;
  readonly format?: string;
  readonly allOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly items?: Schema;
  readonly additionalProperties?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly enum?: readonly string[];
  readonly default?: unknown;
  readonly "x-kubernetes-list-type"?: string;
  readonly "x-kubernetes-list-map-keys"?: readonly string[];
  readonly "x-kubernetes-map-type"?: string;
  readonly "x-kubernetes-patch-strategy"?: string;
  readonly "x-kubernetes-patch-merge-key"?: string;
  readonly "x-kubernetes-group-version-kind"?: readonly {
    readonly group: string;
    readonly version: string;
    readonly kind: string;
  }[];
}

export type OpenApiSchemas = Readonly<Record<string, Schema>>;

/** By type and field: how it is written when it is empty; made by fields/main.go. */
export type EmptyFields = Readonly<Record<string, Readonly<Record<string, string>>>>;

const prefix = "#/components/schemas/";

/** `io.k8s.api.core.v1.PodSpec` → `core.v1.PodSpec`. */
const shortName = (name: string): string =>
  name.replace(
    /^io\.k8s\.(api|apimachinery\.pkg\.apis|apimachinery\.pkg|kube-aggregator\.pkg\.apis|apiextensions-apiserver\.pkg\.apis)\./,
    "",
  );

/** Named types that stand for one value. */
const scalars: Readonly<Record<string, string>> = {
  "api.resource.Quantity": "q",
  "util.intstr.IntOrString": "x",
  "meta.v1.Time": "t",
  "meta.v1.MicroTime": "u",
  "meta.v1.FieldsV1": "o",
  "runtime.RawExtension": "o",
};

function refOf(schema: Schema): string | undefined {
  const ref = schema.$ref ?? schema.allOf?.[0]?.$ref;
  return ref?.slice(prefix.length);
}

function codeOf(schema: Schema): string {
  const ref = refOf(schema);
  if (ref !== undefined) return scalars[shortName(ref)] ?? `@${shortName(ref)}`;
  switch (schema.type ?? "") {
    case "array":
      return `[${codeOf(schema.items ?? {})}`;
    case "object":
      return schema.additionalProperties === undefined ? "o" : `{${codeOf(schema.additionalProperties)}`;
    case "string":
      return schema.format === "byte" ? "y" : schema.format === "date-time" ? "t" : "s";
    case "boolean":
      return "b";
    case "integer":
      return schema.format === "int32" ? "i" : "l";
    case "number":
      return "n";
    default:
      return "a";
  }
}

/** A default that says something: {} is what an absent field is anyway, and a field that is always written has 0, false or "". */
function tellsMore(value: unknown, empty: string | undefined): boolean {
  if (value === "" || value === 0 || value === false) return empty === "o" || empty === undefined;
  return value !== undefined && JSON.stringify(value) !== "{}";
}

/** What fields/main.go says of most fields of a type. */
function usualEmpty(code: string): string {
  return code.startsWith("@") || code === "o" || code === "a" || code === "t" || code === "u" ? "p" : "o";
}

function fieldOf(schema: Schema, required: boolean, empty: string | undefined): FieldData {
  const code = codeOf(schema);
  const field = {
    t: code,
    ...(required ? { r: 1 as const } : {}),
    ...(schema["x-kubernetes-patch-merge-key"] === undefined ? {} : { k: schema["x-kubernetes-patch-merge-key"] }),
    ...(schema["x-kubernetes-patch-strategy"] === undefined ? {} : { p: schema["x-kubernetes-patch-strategy"] }),
    ...(schema["x-kubernetes-list-type"] === undefined ? {} : { l: schema["x-kubernetes-list-type"] }),
    ...(schema["x-kubernetes-list-map-keys"] === undefined ? {} : { m: schema["x-kubernetes-list-map-keys"] }),
    ...(schema["x-kubernetes-map-type"] === undefined ? {} : { g: schema["x-kubernetes-map-type"] }),
    ...(tellsMore(schema.default, empty) ? { d: schema.default } : {}),
    ...(schema.enum === undefined ? {} : { e: schema.enum }),
    ...(empty === undefined || empty === usualEmpty(code) ? {} : { z: empty }),
  };
  return Object.keys(field).length === 1 ? code : field;
}

/** Lists that are left out where they are empty, as most are; but validation tells an empty one from none. */
const checkedEmpty: ReadonlySet<string> = new Set(["core.v1.ResourceRequirements.claims"]);

function typeOf(type: string, schema: Schema, empty: EmptyFields[string] | undefined): TypeData {
  const fields: Record<string, FieldData> = {};
  for (const [name, field] of Object.entries(schema.properties ?? {})) {
    const emptied = checkedEmpty.has(`${type}.${name}`) ? "p" : empty?.[name];
    fields[name] = fieldOf(field, schema.required?.includes(name) ?? false, emptied);
  }
  return { f: fields, ...(schema["x-kubernetes-map-type"] === "atomic" ? { atomic: 1 as const } : {}) };
}

/** Lists, options and watch events are the server's own business, not types of objects. */
function isObjectType(name: string): boolean {
  return (
    !/List$|meta\.v1\.(APIGroup|APIResource|WatchEvent|Patch|ServerAddress|GroupVersion)/.test(name) ||
    /LabelSelector/.test(name)
  );
}

/** The types, and which of them each `group/version/Kind` is. */
export function typesOf(schemas: OpenApiSchemas, empty: EmptyFields): Pick<ApiData, "types" | "kinds"> {
  const types: Record<string, TypeData> = {};
  const kinds: Record<string, string> = {};
  for (const [name, schema] of Object.entries(schemas)) {
    const short = shortName(name);
    if (scalars[short] !== undefined || !isObjectType(short)) continue;
    types[short] = schema.properties === undefined ? { f: {}, open: 1 } : typeOf(short, schema, empty[short]);
    const own = schema["x-kubernetes-group-version-kind"];
    if (own === undefined || own.length !== 1) continue;
    for (const { group, version, kind } of own) {
      kinds[`${group === "" ? version : `${group}/${version}`}/${kind}`] = short;
    }
  }
  return { types, kinds };
}
