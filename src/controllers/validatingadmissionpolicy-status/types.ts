/** The types that a policy's expressions are checked against, from the server's discovery and its OpenAPI documents. */
import type { ValidatingAdmissionPolicy } from "../../api/types.ts";
import { discover } from "../../client/api/discovery.ts";
import type { JsonSchema } from "../../sandbox/cel/schema/schema.ts";
import { matchedKinds, resourcesOf } from "./matched-kinds.ts";
import type { GroupVersionKind } from "./schemas.ts";
import { type SchemaContext, serverSchemas } from "./server-schemas.ts";

/** A kind whose schema is known. */
export interface KnownKind extends GroupVersionKind {
  readonly schema: JsonSchema;
}

/** The types that a policy concerns. */
export interface PolicyTypes {
  /** By group, version and name. */
  readonly kinds: readonly KnownKind[];
  /** `unknown` if the server has no schema for the kind of its parameters; undefined for a policy without parameters. */
  readonly params: KnownKind | "unknown" | undefined;
}

/**
 * Kinds that the server does not know, or has no schema for, are left out: a policy may be created before they are.
 * @throws StatusError, TransportError if the request fails.
 */
export async function typesOf({ spec = {} }: ValidatingAdmissionPolicy, context: SchemaContext): Promise<PolicyTypes> {
  const rules = resourcesOf(spec);
  const params = paramsOf(spec.paramKind);
  // Without kinds nothing is checked, whatever the parameters.
  if (rules.every((rule) => rule.length === 0)) return { kinds: [], params: undefined };
  const [{ kinds }, schemaOf] = await Promise.all([
    discover(context.client, { signal: context.signal }),
    serverSchemas(context),
  ]);
  const known = async ({ group, version, kind }: GroupVersionKind): Promise<KnownKind | undefined> => {
    const schema = await schemaOf({ group, version, kind });
    return schema === undefined ? undefined : { group, version, kind, schema };
  };
  const [found, ofParams] = await Promise.all([
    Promise.all(matchedKinds(rules, kinds).map(known)),
    params === undefined ? undefined : known(params).then((each) => each ?? "unknown"),
  ]);
  return { kinds: found.filter((each) => each !== undefined), params: ofParams };
}

/** Source: apimachinery v0.36 pkg/runtime/schema ParseGroupVersion. */
function paramsOf(
  paramKind: NonNullable<ValidatingAdmissionPolicy["spec"]>["paramKind"],
): GroupVersionKind | undefined {
  const { apiVersion = "", kind = "" } = paramKind ?? {};
  if (kind === "" || apiVersion === "") return undefined;
  const [first = "", second, ...more] = apiVersion.split("/");
  if (more.length > 0) return undefined;
  return second === undefined ? { group: "", version: first, kind } : { group: first, version: second, kind };
}
