/**
 * The part of `/openapi/v3` that kubectl needs before it writes: that the PATCH of each kind has `fieldValidation`. Schemas are left
 * out; kubectl has those of the built-in kinds.
 */
import { contentHash } from "../../platform/content-hash.ts";
import type { ResourceRegistry } from "../registry/resource.ts";

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

const made = new WeakMap<ResourceRegistry, ReadonlyMap<string, OpenApiDocument>>();

/** The documents of all groups by their roots (`apis/apps/v1`); made once. */
function documentsOf(registry: ResourceRegistry): ReadonlyMap<string, OpenApiDocument> {
  let documents = made.get(registry);
  if (documents === undefined) {
    const entries = Object.keys(registry.data.resources).map((groupVersion): [string, OpenApiDocument] => {
      const text = JSON.stringify(documentOf(registry, groupVersion));
      return [rootOf(groupVersion), { text, hash: contentHash(text) }];
    });
    documents = new Map(entries);
    made.set(registry, documents);
  }
  return documents;
}

/** `/openapi/v3`: where each group's document is. */
export function openApiIndex(registry: ResourceRegistry): string {
  const paths = [...documentsOf(registry)].map(([root, { hash }]): [string, object] => [
    root,
    { serverRelativeURL: `/openapi/v3/${root}?hash=${hash}` },
  ]);
  return JSON.stringify({ paths: Object.fromEntries(paths) });
}

/** The document at a path below `/openapi/v3`; undefined where there is none. */
export function openApiAt(registry: ResourceRegistry, path: string): OpenApiDocument | undefined {
  return documentsOf(registry).get(path.slice("/openapi/v3/".length));
}

function documentOf(registry: ResourceRegistry, groupVersion: string): object {
  const paths: Record<string, object> = {};
  for (const { group, version, kind, plural, namespaced, verbs } of registry.resources) {
    if ((group === "" ? version : `${group}/${version}`) !== groupVersion || !verbs.has("patch")) continue;
    const scope = namespaced ? "/namespaces/{namespace}" : "";
    paths[`/${rootOf(groupVersion)}${scope}/${plural}/{name}`] = {
      patch: {
        parameters: queryParameters,
        responses: {},
        "x-kubernetes-group-version-kind": { group, version, kind },
      },
    };
  }
  return { openapi: "3.0.0", info: { title: "Kubernetes", version: "v1.36.3" }, paths, components: { schemas: {} } };
}
