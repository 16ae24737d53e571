/**
 * All groups of the server with all their resources in one document: the first thing that clients request. Guarantees: the same bytes and
 * ETag as the real server's, so a client's cached copy of one is valid for the other.
 * Source: apiserver v0.36 endpoints/discovery/aggregated, endpoints/installer.go ConvertGroupVersionIntoToDiscovery.
 */
import { contentHash } from "../../platform/content-hash.ts";
import type { ResourceData } from "../../api/wire/format.ts";
import type { ResourceRegistry } from "../registry/resource.ts";

/** The media type parameters, in the request and the response. */
export const aggregatedForm = "g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";

/** A document of aggregated discovery. */
export interface Aggregated {
  readonly json: string;
  /** The same as a value. */
  readonly content: object;
  /** Quoted, as in the header. */
  readonly etag: string;
}

const made = new WeakMap<ResourceRegistry["data"], Map<"api" | "apis", Aggregated>>();

/** The document at `/api` or `/apis`; cached until kinds are added or removed. */
export function aggregatedAt(registry: ResourceRegistry, root: "api" | "apis"): Aggregated {
  const known = made.get(registry.data) ?? new Map<"api" | "apis", Aggregated>();
  made.set(registry.data, known);
  const there = known.get(root);
  if (there !== undefined) return there;
  const content = { metadata: {}, items: itemsOf(registry, root) };
  const head = { kind: "APIGroupDiscoveryList", apiVersion: "apidiscovery.k8s.io/v2" };
  const whole = { ...head, ...content };
  const document: Aggregated = {
    json: JSON.stringify(whole),
    content: whole,
    etag: `"${contentHash(JSON.stringify(content))}"`,
  };
  known.set(root, document);
  return document;
}

function itemsOf({ data }: ResourceRegistry, root: "api" | "apis"): object[] {
  const versionOf = (version: string, groupVersion: string): object => ({
    version,
    resources: resourcesOf(data.resources[groupVersion] ?? []),
    freshness: "Current",
  });
  if (root === "api") return [{ metadata: {}, versions: [versionOf("v1", "v1")] }];
  return data.groups.map(({ name, versions }) => ({
    metadata: { name },
    versions: versions.map((version) => versionOf(version, `${name}/${version}`)),
  }));
}

/** Resources with their subresources, whose resources are always in the list. */
function resourcesOf(list: readonly ResourceData[]): object[] {
  const subresources = new Map<string, ResourceData[]>();
  for (const resource of list) {
    const [parent = "", sub] = resource.name.split("/");
    if (sub !== undefined) subresources.set(parent, [...(subresources.get(parent) ?? []), resource]);
  }
  const parents = list.filter(({ name }) => !name.includes("/"));
  return parents.map((parent) => ({
    resource: parent.name,
    responseKind: kindOf(parent),
    scope: parent.namespaced ? "Namespaced" : "Cluster",
    singularResource: parent.singularName,
    verbs: parent.verbs,
    ...(parent.shortNames === undefined ? {} : { shortNames: parent.shortNames }),
    ...(parent.categories === undefined ? {} : { categories: parent.categories }),
    ...subresourcesOf(subresources.get(parent.name)),
  }));
}

/** Group and version are included only if they differ from those of the list. */
const kindOf = ({ group = "", version = "", kind }: ResourceData): object => ({ group, version, kind });

function subresourcesOf(list: readonly ResourceData[] | undefined): object {
  if (list === undefined) return {};
  return {
    subresources: list.map((resource) => ({
      subresource: resource.name.slice(resource.name.indexOf("/") + 1),
      responseKind: kindOf(resource),
      verbs: resource.verbs,
    })),
  };
}
