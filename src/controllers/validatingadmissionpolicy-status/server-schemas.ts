/** Schemas of kinds, as a server publishes them. Source: apiserver v0.36 pkg/cel/openapi/resolver/discovery.go. */
import { apiVersionOf, groupVersionPath } from "../../api/kind.ts";
import { isNotFound } from "../../api/status-error.ts";
import { runState } from "../../controller/api/run-state.ts";
import type { SyncContext } from "../../controller/api/sync-context.ts";
import type { JsonSchema } from "../../sandbox/cel/schema/schema.ts";
import { type GroupVersionKind, type OpenApiDocument, schemaIn } from "./schemas.ts";

/** `/openapi/v3`: the path of each document, with its hash. */
interface Index {
  readonly paths?: Readonly<Record<string, { readonly serverRelativeURL?: string }>>;
}

/** The part of a sync's context that requests need. */
export type SchemaContext = Pick<SyncContext, "client" | "signal" | "state">;

/** Fetched schemas, by kind, with the path and hash of their documents: documents are large, and rarely change. */
const known = runState(() => new Map<string, { readonly place: string; readonly schema: JsonSchema | undefined }>());

/**
 * Fetches schemas; undefined for a kind without a schema on the server, or with an unresolvable reference.
 * @throws StatusError, TransportError if the request fails.
 */
export async function serverSchemas(
  context: SchemaContext,
): Promise<(kind: GroupVersionKind) => Promise<JsonSchema | undefined>> {
  const schemas = context.state(known);
  const { paths = {} } = (await read<Index>("/openapi/v3", context)) ?? {};
  const documents = new Map<string, Promise<OpenApiDocument>>();
  const documentAt = (root: string): Promise<OpenApiDocument> => {
    const document =
      documents.get(root) ?? read<OpenApiDocument>(`/openapi/v3/${root}`, context).then((found) => found ?? {});
    documents.set(root, document);
    return document;
  };
  return async (kind) => {
    const root = groupVersionPath(kind).slice(1);
    const place = Object.hasOwn(paths, root) ? (paths[root]?.serverRelativeURL ?? "") : undefined;
    if (place === undefined) return undefined;
    const name = `${apiVersionOf(kind)} ${kind.kind}`;
    const before = schemas.get(name);
    if (before?.place === place) return before.schema;
    const schema = schemaIn(await documentAt(root), kind);
    schemas.set(name, { place, schema });
    return schema;
  };
}

/** Undefined if there is nothing. */
async function read<T>(path: string, { client, signal }: SchemaContext): Promise<T | undefined> {
  try {
    const response = await client.raw(path, { signal });
    // The document that a server publishes at this path; of any other document, no field is known.
    return (typeof response === "string" ? parsed(response, path) : response) as T;
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}

/** The index comes as plain text. Source: kube-openapi pkg/handler3/handler.go HandleDiscovery. */
function parsed(text: string, path: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return value;
  } catch (cause) {
    throw new Error(`Cannot check the types of expressions: the response to GET ${path} is not JSON`, { cause });
  }
}
