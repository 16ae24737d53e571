/** The schemas of a document: those of its kinds, and all that they refer to. */
import type { GroupVersionKind, OpenApiData, OpenApiSchema } from "./data.ts";

const gvk = "x-kubernetes-group-version-kind";
const root = "#/components/schemas/";

/** A reference to a schema of the same document. */
export function referenceTo(name: string): { readonly $ref: string } {
  return { $ref: `${root}${name}` };
}

const indexes = new WeakMap<OpenApiData, ReadonlyMap<string, string>>();

function indexOf(data: OpenApiData): ReadonlyMap<string, string> {
  let index = indexes.get(data);
  if (index === undefined) {
    const named = Object.entries(data.schemas).flatMap(([name, schema]) =>
      (schema[gvk] ?? []).map((kind): [string, string] => [keyOf(kind), name]),
    );
    index = new Map(named);
    indexes.set(data, index);
  }
  return index;
}

function keyOf({ group, version, kind }: GroupVersionKind): string {
  return `${group}/${version}/${kind}`;
}

/** The name of a kind's schema: `io.k8s.api.core.v1.Pod`, `com.example.v1.Widget`. */
export function nameOfKind(data: OpenApiData, kind: GroupVersionKind): string {
  const builtIn = indexOf(data).get(keyOf(kind));
  return builtIn ?? [...kind.group.split(".").reverse(), kind.version, kind.kind].join(".");
}

/** The source of a document's schemas. */
export interface SchemaSource {
  readonly data: OpenApiData;
  /** The schemas of custom resources. */
  readonly own: ReadonlyMap<string, OpenApiSchema>;
  /** The group that the document is about. */
  readonly group: string;
  readonly version: string;
}

/** The schemas with these names and those that they refer to. */
export function schemasFor(names: Iterable<string>, source: SchemaSource): Readonly<Record<string, OpenApiSchema>> {
  const found = new Map<string, OpenApiSchema>();
  const pending = [...names];
  for (let name = pending.pop(); name !== undefined; name = pending.pop()) {
    const schema = source.own.get(name) ?? source.data.schemas[name];
    if (found.has(name) || schema === undefined) continue;
    found.set(name, about(source, schema));
    pending.push(...referencesIn(schema));
  }
  return Object.fromEntries([...found].sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** Groups that are not in client-go's scheme: those of the servers themselves. */
const serverGroups: ReadonlySet<string> = new Set([
  "admission.k8s.io",
  "apiextensions.k8s.io",
  "apiregistration.k8s.io",
  "imagepolicy.k8s.io",
]);

/** Of kinds in every group, keeps only those of the core group and this one; for custom resources, those that clients know. */
function about({ group, version, own }: SchemaSource, schema: OpenApiSchema): OpenApiSchema {
  const kinds = schema[gvk];
  if (kinds === undefined || kinds.length === 1) return schema;
  const isMeant = (kind: GroupVersionKind): boolean =>
    own.size > 0
      ? !serverGroups.has(kind.group)
      : (kind.group === "" && kind.version === "v1") || (kind.group === group && kind.version === version);
  return { ...schema, [gvk]: kinds.filter(isMeant) };
}

/** The names that a schema, or an operation, refers to. */
export function referencesIn(value: unknown): readonly string[] {
  if (Array.isArray(value)) return value.flatMap(referencesIn);
  if (value === null || typeof value !== "object") return [];
  return Object.entries(value).flatMap(([key, inner]) =>
    key === "$ref" && typeof inner === "string" ? [inner.slice(inner.lastIndexOf("/") + 1)] : referencesIn(inner),
  );
}
