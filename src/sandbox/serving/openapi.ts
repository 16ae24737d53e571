/**
 * `/openapi/v3`: of built-in kinds the part that kubectl needs before it writes, that the PATCH of each has `fieldValidation`; of custom
 * resources their schemas, too. Schemas of built-in kinds are left out; kubectl has them.
 */
import { contentHash } from "../../platform/content-hash.ts";
import type { ResourceData } from "../../api/wire/format.ts";
import type { Resource, ResourceRegistry } from "../registry/resource.ts";

const rootOf = (groupVersion: string): string =>
  groupVersion.includes("/") ? `apis/${groupVersion}` : `api/${groupVersion}`;

const queryParameters = ["fieldValidation", "fieldManager", "dryRun"].map((name) => ({
  name,
  in: "query",
  schema: { type: "string" },
}));

/** The OpenAPI document of a group at one version. */
export interface OpenApiDocument {
  readonly text: string;
  /** Of the text: clients keep the document by it. */
  readonly hash: string;
}

/** By the resources that a document is about: those of a group's version change as one list. */
const made = new WeakMap<
  readonly ResourceData[],
  { readonly resources: readonly Resource[]; document: OpenApiDocument }
>();

function documentAt(registry: ResourceRegistry, groupVersion: string): OpenApiDocument | undefined {
  const listed = registry.data.resources[groupVersion];
  if (listed === undefined) return undefined;
  const resources = registry.resources.filter((resource) => resource.apiVersion === groupVersion);
  const known = made.get(listed);
  // A kind that is served anew has the same place in discovery, and maybe another schema.
  if (known !== undefined && known.resources.every((resource, index) => resource === resources[index]))
    return known.document;
  const text = JSON.stringify(documentOf(resources, groupVersion));
  const document = { text, hash: contentHash(text) };
  made.set(listed, { resources, document });
  return document;
}

/** `/openapi/v3`: where each group's document is. */
export function openApiIndex(registry: ResourceRegistry): string {
  const paths = Object.keys(registry.data.resources).map((groupVersion): [string, object] => {
    const root = rootOf(groupVersion);
    const hash = documentAt(registry, groupVersion)?.hash ?? "";
    return [root, { serverRelativeURL: `/openapi/v3/${root}?hash=${hash}` }];
  });
  return JSON.stringify({ paths: Object.fromEntries(paths) });
}

/** The document at a path below `/openapi/v3`; undefined where there is none. */
export function openApiAt(registry: ResourceRegistry, path: string): OpenApiDocument | undefined {
  const root = path.slice("/openapi/v3/".length);
  const [, groupVersion] = /^apis?\/(.+)$/.exec(root) ?? [];
  return groupVersion === undefined || rootOf(groupVersion) !== root ? undefined : documentAt(registry, groupVersion);
}

function documentOf(resources: readonly Resource[], groupVersion: string): object {
  const paths: Record<string, object> = {};
  for (const { group, version, kind, plural, namespaced, verbs } of resources) {
    if (!verbs.has("patch")) continue;
    const scope = namespaced ? "/namespaces/{namespace}" : "";
    paths[`/${rootOf(groupVersion)}${scope}/${plural}/{name}`] = {
      patch: {
        parameters: queryParameters,
        responses: {},
        "x-kubernetes-group-version-kind": { group, version, kind },
      },
    };
  }
  const schemas = Object.fromEntries(resources.flatMap(({ form }) => [...(form?.openApi() ?? [])]));
  return { openapi: "3.0.0", info: { title: "Kubernetes", version: "v1.36.3" }, paths, components: { schemas } };
}
