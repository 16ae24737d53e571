/** A served resource at one version, with the behavior of its objects. */
import type { ApiData, ResourceData } from "../../api/wire/format.ts";
import type { Qualified } from "../meta/refusal.ts";
import { strategyOf } from "./kinds.ts";
import type { ObjectForm } from "./strategy/object-form.ts";
import type { RESTStrategy } from "./strategy/rest-strategy.ts";
import { storedVersionOf } from "./conversion/versions.ts";
import { schemaOf, type Schema, type Struct } from "../../api/wire/schema.ts";
import { addedTo, type AddedKind, type Served, withoutKind } from "./added-kinds.ts";

/** A resource at one version, with everything that the generic verbs need to know of it. */
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
  /** The name under which its objects are stored; two versions of a kind share one. */
  readonly storage: string;
  readonly strategy: RESTStrategy;
  /** For a resource whose objects are described by a schema: how they are read and shown. */
  readonly form?: ObjectForm;
  /** `{ group, name: plural }` and `{ group, name: kind }`, as used in messages. */
  readonly asResource: Qualified;
  readonly asKind: Qualified;
}

/** All resources that the server serves, and the schema of their kinds. Kinds come and go while it runs. */
export interface ResourceRegistry {
  /** What discovery lists. Immutable: replaced when a kind is added or removed. */
  readonly data: ApiData;
  readonly schema: Schema;
  /** By `apiVersion` and plural; undefined for what is not served. */
  find(apiVersion: string, plural: string): Resource | undefined;
  /** The resource at the version at which its objects are stored. */
  stored(resource: Resource): Resource;
  /** By `apiVersion` and kind, as in owner references and manifests. */
  ofKind(apiVersion: string, kind: string): Resource | undefined;
  readonly resources: readonly Resource[];
  /** The groups served from the start: an unknown resource in one of them is an API error, not a 404 page. */
  readonly builtInGroups: ReadonlySet<string>;
  /** Serves a kind from now on; replaces the kind served under the same name (`widgets.example.com`). */
  add(name: string, kind: AddedKind<Resource>): void;
  /** Undoes `add`; does nothing for unknown names. */
  withdraw(name: string): void;
}

/** Kinds that share one storage though two groups serve them. */
const sharedStorage: Readonly<Record<string, string>> = { "events.events.k8s.io": "events" };

function resourceOf(apiVersion: string, entry: ResourceData, all: readonly ResourceData[], schema: Schema): Resource {
  const slash = apiVersion.indexOf("/");
  const group = slash < 0 ? "" : apiVersion.slice(0, slash);
  const storage = group === "" ? entry.name : `${entry.name}.${group}`;
  return {
    group,
    version: apiVersion.slice(slash + 1),
    apiVersion,
    kind: entry.kind,
    plural: entry.name,
    namespaced: entry.namespaced,
    verbs: new Set(entry.verbs),
    data: entry,
    subresources: subresourcesOf(entry, all),
    struct: schema.kind(apiVersion, entry.kind),
    storage: sharedStorage[storage] ?? storage,
    strategy: strategyOf(storage),
    // Source: kubernetes v1.36 pkg/registry/core/componentstatus/rest.go, the only one that names its resource in the singular.
    asResource: { group, name: storage === "componentstatuses" ? "componentstatus" : entry.name },
    asKind: { group, name: entry.kind },
  };
}

/** The subresources of a resource, from the entries of its group version. */
export function subresourcesOf(
  { name }: ResourceData,
  all: readonly ResourceData[],
): ReadonlyMap<string, ResourceData> {
  const own = all.filter((other) => other.name.startsWith(`${name}/`));
  return new Map(own.map((sub) => [sub.name.slice(name.length + 1), sub]));
}

/** The resources of the API data, each with its strategy. */
export function resourceRegistryOf(data: ApiData): ResourceRegistry {
  const builtIn = schemaOf(data);
  const first = Object.entries(data.resources).flatMap(([apiVersion, entries]) =>
    entries
      .filter((entry) => !entry.name.includes("/"))
      .map((entry) => resourceOf(apiVersion, entry, entries, builtIn)),
  );
  const byPlural = new Map(first.map((resource) => [`${resource.apiVersion} ${resource.plural}`, resource]));
  const storedAt = new Map<Resource, Resource>();
  const byKind = new Map(first.map((resource) => [`${resource.apiVersion} ${resource.kind}`, resource]));
  /** By the name of the definition. */
  const added = new Map<string, AddedKind<Resource>>();
  const structs = new Map<string, Struct>();
  let served: Served<Resource> = { data, resources: first };
  const builtInGroups = new Set(data.groups.map(({ name }) => name));
  const schema: Schema = {
    // Only structs of added kinds begin with a slash; all others need no second lookup.
    struct: (name) => (name.startsWith("/") ? structs.get(name) : undefined) ?? builtIn.struct(name),
    kind: (apiVersion, kind) =>
      builtIn.kind(apiVersion, kind) ?? (added.size === 0 ? undefined : byKind.get(`${apiVersion} ${kind}`)?.struct),
  };
  const withdraw = (name: string): void => {
    const kind = added.get(name);
    if (kind === undefined) return;
    added.delete(name);
    for (const { name: struct } of kind.structs) structs.delete(struct);
    for (const resource of kind.versions) {
      byPlural.delete(`${resource.apiVersion} ${resource.plural}`);
      byKind.delete(`${resource.apiVersion} ${resource.kind}`);
      storedAt.delete(resource);
    }
    served = withoutKind(served, kind);
  };
  return {
    get data() {
      return served.data;
    },
    get resources() {
      return served.resources;
    },
    schema,
    builtInGroups,
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
    add(name, kind) {
      withdraw(name);
      added.set(name, kind);
      for (const struct of kind.structs) structs.set(struct.name, struct);
      for (const resource of kind.versions) {
        byPlural.set(`${resource.apiVersion} ${resource.plural}`, resource);
        byKind.set(`${resource.apiVersion} ${resource.kind}`, resource);
      }
      served = addedTo(served, { kind, firstGroups: builtInGroups });
    },
    withdraw,
  };
}
