/** What the server serves: a resource at one version, with how its objects behave. */
import type { ApiData, ResourceData } from "../../api/wire/format.ts";
import type { Qualified } from "../meta/refusal.ts";
import { strategyOf } from "./kinds.ts";
import type { RESTStrategy } from "./strategy/rest-strategy.ts";
import { storedVersionOf } from "../conversion/versions.ts";
import { schemaOf, type Schema, type Struct } from "../../api/wire/schema.ts";

/** A resource at one version, with all that the generic verbs need to know of it. */
export interface Resource {
  readonly group: string;
  readonly version: string;
  /** `v1`, `apps/v1`. */
  readonly apiVersion: string;
  readonly kind: string;
  readonly plural: string;
  readonly namespaced: boolean;
  readonly verbs: ReadonlySet<string>;
  readonly data: ResourceData;
  readonly subresources: ReadonlyMap<string, ResourceData>;
  readonly struct: Struct | undefined;
  /** Under which name its objects are stored; two versions of a kind share one. */
  readonly storage: string;
  readonly strategy: RESTStrategy;
  /** `{ group, name: plural }` and `{ group, name: kind }`, as messages name them. */
  readonly asResource: Qualified;
  readonly asKind: Qualified;
}

/** All resources that the server serves, and the schema of their kinds. */
export interface ResourceRegistry {
  readonly data: ApiData;
  readonly schema: Schema;
  /** By `apiVersion` and plural; undefined for what is not served. */
  find(apiVersion: string, plural: string): Resource | undefined;
  /** The resource at the version at which its objects are stored. */
  stored(resource: Resource): Resource;
  /** By `apiVersion` and kind: of owner references and manifests. */
  ofKind(apiVersion: string, kind: string): Resource | undefined;
  readonly resources: readonly Resource[];
}

/** Kinds that are one in the store though two groups serve them. */
const sharedStorage: Readonly<Record<string, string>> = { "events.events.k8s.io": "events" };

function resourceOf(apiVersion: string, entry: ResourceData, all: readonly ResourceData[], schema: Schema): Resource {
  const slash = apiVersion.indexOf("/");
  const group = slash < 0 ? "" : apiVersion.slice(0, slash);
  const storage = group === "" ? entry.name : `${entry.name}.${group}`;
  const subresources = all.filter((other) => other.name.startsWith(`${entry.name}/`));
  return {
    group,
    version: apiVersion.slice(slash + 1),
    apiVersion,
    kind: entry.kind,
    plural: entry.name,
    namespaced: entry.namespaced,
    verbs: new Set(entry.verbs),
    data: entry,
    subresources: new Map(subresources.map((sub) => [sub.name.slice(entry.name.length + 1), sub])),
    struct: schema.kind(apiVersion, entry.kind),
    storage: sharedStorage[storage] ?? storage,
    strategy: strategyOf(storage),
    asResource: { group, name: entry.name },
    asKind: { group, name: entry.kind },
  };
}

/** The resources of the API data, each with its strategy. */
export function resourceRegistryOf(data: ApiData): ResourceRegistry {
  const schema = schemaOf(data);
  const resources = Object.entries(data.resources).flatMap(([apiVersion, entries]) =>
    entries.filter((entry) => !entry.name.includes("/")).map((entry) => resourceOf(apiVersion, entry, entries, schema)),
  );
  const byPlural = new Map(resources.map((resource) => [`${resource.apiVersion} ${resource.plural}`, resource]));
  const storedAt = new Map<Resource, Resource>();
  const byKind = new Map(resources.map((resource) => [`${resource.apiVersion} ${resource.kind}`, resource]));
  return {
    data,
    schema,
    find: (apiVersion, plural) => byPlural.get(`${apiVersion} ${plural}`),
    ofKind: (apiVersion, kind) => byKind.get(`${apiVersion} ${kind}`),
    stored(resource) {
      const known = storedAt.get(resource);
      if (known !== undefined) return known;
      const version = storedVersionOf(resource.apiVersion, resource.kind);
      const other = version === undefined ? undefined : byPlural.get(`${version} ${resource.plural}`);
      // Messages name the resource as the request does.
      const made = other === undefined ? resource : { ...other, asResource: resource.asResource };
      storedAt.set(resource, made);
      return made;
    },
    resources,
  };
}
