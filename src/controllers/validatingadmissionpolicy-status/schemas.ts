/** Schemas of kinds from a server's OpenAPI documents. Source: apiserver v0.36 pkg/cel/openapi/resolver. */
import type { Kind } from "../../api/kind.ts";
import type { JsonSchema } from "../../sandbox/cel/schema/schema.ts";

/** An OpenAPI v3 schema: it may refer to other schemas. */
interface OpenApiSchema extends Omit<JsonSchema, "properties" | "items" | "additionalProperties"> {
  readonly $ref?: string;
  readonly allOf?: readonly OpenApiSchema[];
  readonly properties?: Readonly<Record<string, OpenApiSchema>>;
  readonly items?: OpenApiSchema;
  readonly additionalProperties?: OpenApiSchema | boolean;
  readonly "x-kubernetes-group-version-kind"?: readonly GroupVersionKind[];
}

/** What names a kind. */
export type GroupVersionKind = Pick<Kind, "group" | "version" | "kind">;

/** The document of a group version, `/openapi/v3/apis/apps/v1`. */
export interface OpenApiDocument {
  readonly components?: { readonly schemas?: Readonly<Record<string, OpenApiSchema>> };
}

const refPrefix = "#/components/schemas/";

/** The schema of a kind, with references resolved; undefined if the document lacks it, or anything that it refers to. */
export function schemaIn({ components }: OpenApiDocument, wanted: GroupVersionKind): JsonSchema | undefined {
  const schemas = components?.schemas ?? {};
  const found = Object.entries(schemas).find(([, schema]) =>
    schema["x-kubernetes-group-version-kind"]?.some(
      ({ group, version, kind }) => group === wanted.group && version === wanted.version && kind === wanted.kind,
    ),
  );
  if (found === undefined) return undefined;
  const [name, schema] = found;
  const filling: Filling = { schemas, within: [name], missing: new Set() };
  const filled = filledIn(schema, filling);
  return filling.missing.size === 0 ? filled : undefined;
}

interface Filling {
  readonly schemas: Readonly<Record<string, OpenApiSchema>>;
  /** The names of the enclosing schemas. */
  readonly within: readonly string[];
  /** Collects the references to missing schemas. */
  readonly missing: Set<string>;
}

function filledIn(schema: OpenApiSchema, { schemas, within, missing }: Filling): JsonSchema {
  const name = referenceOf(schema);
  // A recursive schema: its nested occurrence is not expanded.
  if (name !== undefined && within.includes(name)) return { type: "object" };
  const own = name === undefined ? schema : schemas[name];
  if (own === undefined) {
    missing.add(name ?? "");
    return {};
  }
  const filling = { schemas, within: name === undefined ? within : [...within, name], missing };
  const { $ref: _ref, allOf: _allOf, properties, items, additionalProperties, ...rest } = own;
  return {
    ...rest,
    // Kubernetes' own kinds express it through the format.
    ...(rest.format === "int-or-string" && { "x-kubernetes-int-or-string": true }),
    ...(properties !== undefined && {
      properties: Object.fromEntries(
        Object.entries(properties).map(([field, inner]) => [field, filledIn(inner, filling)] as const),
      ),
    }),
    ...(items !== undefined && { items: filledIn(items, filling) }),
    ...(additionalProperties !== undefined && {
      additionalProperties:
        typeof additionalProperties === "boolean" ? additionalProperties : filledIn(additionalProperties, filling),
    }),
  };
}

/** A reference with a description or a default beside it is wrapped in `allOf`. */
function referenceOf({ $ref, allOf = [] }: OpenApiSchema): string | undefined {
  if ($ref !== undefined) return $ref.startsWith(refPrefix) ? $ref.slice(refPrefix.length) : $ref;
  for (const each of allOf) {
    const inner = referenceOf(each);
    if (inner !== undefined) return inner;
  }
  return undefined;
}
