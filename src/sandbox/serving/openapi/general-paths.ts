/**
 * Paths that are not about kinds: discovery, the version, OpenID. Source: apiserver v0.36 pkg/server/routes/version.go,
 * pkg/endpoints/discovery; kubernetes v1.36 pkg/routes/openidmetadata.go.
 */
import { consumed, type PathItem } from "./paths.ts";
import { capitalized } from "./resource-paths.ts";
import { referenceTo } from "./schemas.ts";

const unauthorized = { description: "Unauthorized" };

/** Discovery or the version, at `/ROOT/`. */
export function generalPath(root: string, tag: string): PathItem {
  const [description, operationId, schema, isJson] = generalOperation(root, tag);
  const types = ["application/json", ...(isJson ? [] : ["application/vnd.kubernetes.protobuf", "application/yaml"])];
  const content = Object.fromEntries(types.map((type) => [type, { schema: { ...referenceTo(schema) } }]));
  const responses = { "200": { description: "OK", content }, "401": unauthorized };
  return { get: { tags: [tag], description, operationId, responses } };
}

const meta = "io.k8s.apimachinery.pkg.apis.meta.v1";

function generalOperation(root: string, tag: string): readonly [string, string, string, boolean?] {
  const word = capitalized(tag).replace(/_(.)/, (_, first: string) => first.toUpperCase());
  if (root === "version")
    return [
      "get the version information for this server",
      "getCodeVersion",
      "io.k8s.apimachinery.pkg.version.Info",
      true,
    ];
  if (root === "api") return ["get available API versions", "getCoreAPIVersions", `${meta}.APIVersions`];
  if (root === "apis") return ["get available API versions", "getAPIVersions", `${meta}.APIGroupList`];
  return groupVersionOf(root).includes("/") || root.startsWith("api/")
    ? ["get available resources", `get${word}APIResources`, `${meta}.APIResourceList`]
    : ["get information of a group", `get${word}APIGroup`, `${meta}.APIGroup`];
}

/** `apps/v1` from `apis/apps/v1`, `v1` from `api/v1`, `apps` from `apis/apps`; empty for other paths. */
export function groupVersionOf(root: string): string {
  const [, groupVersion = ""] = /^apis?\/(.+)$/.exec(root) ?? [];
  return groupVersion;
}

interface OpenIdOperation {
  readonly tag: string;
  readonly description: string;
  readonly operationId: string;
  readonly type: string;
}

function openIdPath({ tag, description, operationId, type }: OpenIdOperation): PathItem {
  const content = { [type]: { schema: { type: "string" } } };
  const responses = { "200": { description: "OK", content }, "401": unauthorized };
  return { get: { tags: [tag], description, operationId, responses, [consumed]: "undeclared" } };
}

/** By path without outer slashes. */
export const openIdPaths: Readonly<Record<string, PathItem>> = {
  ".well-known/openid-configuration": openIdPath({
    tag: "WellKnown",
    description: "get service account issuer OpenID configuration, also known as the 'OIDC discovery doc'",
    operationId: "getServiceAccountIssuerOpenIDConfiguration",
    type: "application/json",
  }),
  "openid/v1/jwks": openIdPath({
    tag: "openid",
    description: "get service account issuer OpenID JSON Web Key Set (contains public token verification keys)",
    operationId: "getServiceAccountIssuerOpenIDKeyset",
    type: "application/jwk-set+json",
  }),
};
