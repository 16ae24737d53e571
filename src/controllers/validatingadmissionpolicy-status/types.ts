/** The types that a policy's expressions are checked against, from the server's discovery and its OpenAPI documents. */
import type { Kind } from "../../api/kind.ts";
import { isNotFound } from "../../api/status-error.ts";
import type { ValidatingAdmissionPolicy } from "../../api/types.ts";
import type { SyncContext } from "../../controller/api/sync-context.ts";
import { discoveredKinds } from "../../controller/workload/discovered-kind.ts";
import type { JsonSchema } from "../../sandbox/cel/schema/schema.ts";
import { isNamed, matchedKinds, resourcesOf } from "./matched-kinds.ts";
import { type OpenApiDocument, schemaIn } from "./schemas.ts";

type GroupVersionKind = Pick<Kind, "group" | "version" | "kind">;

/** A kind whose schema is known. */
export interface KnownKind extends GroupVersionKind {
  readonly schema: JsonSchema;
}

/** What a policy is about. */
export interface PolicyTypes {
  /** By group, version and name. */
  readonly kinds: readonly KnownKind[];
  /** `unknown` where the server has no schema of the kind of its parameters; undefined for a policy without. */
  readonly params: KnownKind | "unknown" | undefined;
}

type Asking = Pick<SyncContext, "client" | "signal" | "state">;

/**
 * Kinds that the server does not know, or has no schema of, are left out: a policy may come before they do.
 * @throws StatusError, TransportError if the server cannot be asked.
 */
export async function typesOf({ spec = {} }: ValidatingAdmissionPolicy, context: Asking): Promise<PolicyTypes> {
  const rules = resourcesOf(spec);
  const documents = new Map<string, Promise<OpenApiDocument>>();
  const known = async (kind: GroupVersionKind): Promise<KnownKind | undefined> => {
    const document = await documents.getOrInsertComputed(pathOf(kind), (path) => documentAt(path, context));
    const schema = schemaIn(document, kind);
    return schema === undefined ? undefined : { ...kind, schema };
  };
  const kinds = await Promise.all(matchedKinds(rules, await kindsFor(rules.flat(), context)).map(known));
  const params = paramsOf(spec.paramKind);
  return {
    kinds: kinds.filter((each) => each !== undefined),
    params: params === undefined ? undefined : ((await known(params)) ?? "unknown"),
  };
}

/** All kinds of the server; asked once more where one is not among those that are known. */
async function kindsFor(
  resources: readonly Parameters<typeof isNamed>[0][],
  context: Asking,
): ReturnType<typeof discoveredKinds> {
  if (resources.length === 0) return [];
  const all = await discoveredKinds(context, () => true);
  const missing = resources.find((resource) => !all.some((kind) => isNamed(resource, kind)));
  if (missing === undefined) return all;
  await discoveredKinds(context, (kind) => isNamed(missing, kind));
  return discoveredKinds(context, () => true);
}

function pathOf({ group, version }: GroupVersionKind): string {
  return group === "" ? `/openapi/v3/api/${version}` : `/openapi/v3/apis/${group}/${version}`;
}

async function documentAt(path: string, { client, signal }: Asking): Promise<OpenApiDocument> {
  try {
    return (await client.raw(path, { signal })) as OpenApiDocument;
  } catch (error) {
    if (isNotFound(error)) return {};
    throw error;
  }
}

function paramsOf(
  paramKind: NonNullable<ValidatingAdmissionPolicy["spec"]>["paramKind"],
): GroupVersionKind | undefined {
  const { apiVersion = "", kind = "" } = paramKind ?? {};
  const parts = apiVersion.split("/");
  if (kind === "" || apiVersion === "" || parts.length > 2) return undefined;
  const [group = "", version = ""] = parts.length === 2 ? parts : ["", apiVersion];
  return { group, version, kind };
}
