/** The types that a policy's expressions are checked against, from the server's discovery and its OpenAPI documents. */
import type { ValidatingAdmissionPolicy } from "../../api/types.ts";
import { discover } from "../../client/api/discovery.ts";
import type { JsonSchema } from "../../sandbox/cel/schema/schema.ts";
import { matchedKinds, resourcesOf } from "./matched-kinds.ts";
import type { GroupVersionKind } from "./schemas.ts";
import { type Asking, serverSchemas } from "./server-schemas.ts";

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

/**
 * Kinds that the server does not know, or has no schema of, are left out: a policy may come before they do.
 * @throws StatusError, TransportError if the server cannot be asked.
 */
export async function typesOf({ spec = {} }: ValidatingAdmissionPolicy, context: Asking): Promise<PolicyTypes> {
  const rules = resourcesOf(spec);
  const params = paramsOf(spec.paramKind);
  // Nothing is checked for no kind, whatever the parameters are.
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
