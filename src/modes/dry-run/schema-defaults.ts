/**
 * The defaults that a kind's definition adds to its objects, from the schema that the API server publishes.
 *
 * Source: apiextensions-apiserver v0.36 pkg/apiserver/schema/defaulting/{algorithm,prune}.go, pkg/controller/openapi/builder.
 */
import { apiVersionOf, type Kind } from "../../api/kind.ts";
import { StatusError } from "../../api/status-error.ts";
import type { Transport } from "../../api/transport.ts";
import { parseResponse } from "../../client/api/responses.ts";
import { getRequest } from "../../client/api/requests.ts";

/** A structural schema, as far as needed here. */
export interface Schema {
  readonly default?: unknown;
  readonly nullable?: boolean;
  readonly properties?: Readonly<Record<string, Schema>>;
  /** True, or a schema. */
  readonly additionalProperties?: unknown;
  readonly items?: Schema;
}

/** By `versionedKindName`. */
export type Schemas = ReadonlyMap<string, Schema>;

/** `example.com/v1 Widget` */
export function versionedKindName(kind: Kind): string {
  return `${apiVersionOf(kind)} ${kind.kind}`;
}

interface OpenApi {
  readonly components?: { readonly schemas?: Readonly<Record<string, Schema & Published>> };
}

interface Published {
  readonly "x-kubernetes-group-version-kind"?: readonly Pick<Kind, "group" | "version" | "kind">[];
}

/** The schemas of these kinds; those that cannot be read are omitted. @throws TransportError. */
export async function readSchemas(transport: Transport, kinds: Iterable<Kind>): Promise<Schemas> {
  const byVersion = Map.groupBy(new Set(kinds), apiVersionOf);
  const schemas = new Map<string, Schema>();
  const read = async (apiVersion: string, wanted: readonly Kind[]): Promise<void> => {
    try {
      const { value } = await parseResponse(
        await transport.send(getRequest(`/openapi/v3/apis/${apiVersion}`, [], undefined)),
      );
      for (const schema of Object.values((value as OpenApi).components?.schemas ?? {})) {
        const names = schema["x-kubernetes-group-version-kind"] ?? [];
        const kind = wanted.find((each) => names.some((name) => isNamed(each, name)));
        if (kind !== undefined) schemas.set(versionedKindName(kind), schema);
      }
    } catch (error) {
      if (!(error instanceof StatusError)) throw error;
    }
  };
  await Promise.all([...byVersion].map(([apiVersion, wanted]) => read(apiVersion, wanted)));
  return schemas;
}

function isNamed(kind: Kind, name: Pick<Kind, "group" | "version" | "kind">): boolean {
  return kind.kind === name.kind && kind.group === name.group && kind.version === name.version;
}

/** The value with the defaults of its schema; null counts as absent if the schema does not allow it. */
export function withDefaults(value: unknown, schema: Schema | undefined): unknown {
  if (schema === undefined || typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map((item) => withDefaults(filled(item, schema.items), schema.items));
  const { properties = {}, additionalProperties } = schema;
  const others = typeof additionalProperties === "object" ? (additionalProperties as Schema) : undefined;
  const whole: Record<string, unknown> = {};
  for (const [key, item] of Object.entries(value)) {
    const own = Object.hasOwn(properties, key) ? properties[key] : others;
    const is = withDefaults(filled(item, own), own);
    if (is !== undefined) whole[key] = is;
  }
  for (const [key, own] of Object.entries(properties)) {
    if (own.default !== undefined && !Object.hasOwn(whole, key)) whole[key] = withDefaults(own.default, own);
  }
  return whole;
}

/** The default instead of a null that the schema does not allow; undefined without a default. */
function filled(value: unknown, schema: Schema | undefined): unknown {
  return value === null && schema !== undefined && schema.nullable !== true ? schema.default : value;
}
