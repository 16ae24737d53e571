/** Discovers the kinds that a server has, for TYPE arguments and for controllers that watch every kind. */
import type { Kind } from "../../api/kind.ts";
import { fromAggregated, isAggregated } from "./aggregated-discovery.ts";
import type { DiscoveredKind, Discovery } from "./discovered.ts";
import type { Client, ReadOptions } from "./verbs.ts";

export type { DiscoveredKind, Discovery } from "./discovered.ts";

interface GroupVersion {
  readonly group: string;
  readonly version: string;
  readonly preferred: boolean;
}

interface ApiResource {
  readonly name: string;
  readonly singularName?: string;
  readonly namespaced: boolean;
  readonly kind: string;
  readonly verbs: readonly string[];
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
}

interface CoreVersions {
  readonly versions?: readonly string[];
}

interface GroupList {
  readonly groups?: readonly ApiGroup[];
}

interface ApiGroup {
  readonly name: string;
  readonly versions: readonly { readonly version: string }[];
  readonly preferredVersion?: { readonly version: string };
}

/** Requests all resources of all groups in two documents. An older server responds with the names of its groups. */
const aggregated = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json";

/** The part of a client that discovery needs. */
export type RawClient = Pick<Client, "raw">;

/**
 * Discovers all kinds: with two requests or, if the server has no aggregated discovery, with one for each group
 * version.
 *
 * Source: client-go v0.36 discovery/discovery_client.go GroupsAndMaybeResources, aggregated_discovery.go.
 *
 * @throws StatusError, TransportError if the groups themselves cannot be read.
 */
export async function discover(client: RawClient, options: ReadOptions = {}): Promise<Discovery> {
  const aggregatedOptions = { ...options, accept: aggregated };
  const [core, named] = await Promise.all([
    client.raw("/api", aggregatedOptions),
    client.raw("/apis", aggregatedOptions),
  ]);
  if (isAggregated(core) && isAggregated(named)) return fromAggregated([...core.items, ...named.items]);
  return oneByOne(client, groupVersions(core as CoreVersions, named as GroupList), options);
}

/** Requests the group versions one by one, concurrently. */
async function oneByOne(
  client: RawClient,
  versions: readonly GroupVersion[],
  options: ReadOptions,
): Promise<Discovery> {
  const unavailable: { readonly groupVersion: string; readonly error: unknown }[] = [];
  const kinds = await Promise.all(
    versions.map(async (groupVersion) => {
      const { group, version } = groupVersion;
      try {
        const path = group === "" ? `/api/${version}` : `/apis/${group}/${version}`;
        const list = (await client.raw(path, options)) as { readonly resources?: readonly ApiResource[] };
        return (list.resources ?? []).filter(({ name }) => !name.includes("/")).map((r) => kindFrom(groupVersion, r));
      } catch (error) {
        options.signal?.throwIfAborted();
        unavailable.push({ groupVersion: group === "" ? version : `${group}/${version}`, error });
        return [];
      }
    }),
  );
  return { kinds: kinds.flat(), unavailable };
}

function groupVersions(core: CoreVersions, named: GroupList): GroupVersion[] {
  const ofCore = (core.versions ?? []).map((version, index) => ({ group: "", version, preferred: index === 0 }));
  const ofGroups = (named.groups ?? []).flatMap(({ name, versions, preferredVersion }) => {
    const first = preferredVersion?.version ?? versions[0]?.version;
    const all = versions.map(({ version }) => ({ group: name, version, preferred: version === first }));
    return [...all.filter(({ preferred }) => preferred), ...all.filter(({ preferred }) => !preferred)];
  });
  return [...ofCore, ...ofGroups];
}

function kindFrom({ group, version, preferred }: GroupVersion, resource: ApiResource): DiscoveredKind {
  return {
    group,
    version,
    kind: resource.kind,
    plural: resource.name,
    namespaced: resource.namespaced,
    shortNames: resource.shortNames ?? [],
    singular: resource.singularName || resource.kind.toLowerCase(),
    verbs: resource.verbs,
    categories: resource.categories ?? [],
    preferred,
  };
}

/**
 * Whether a word is a name of the kind, in any form that kubectl accepts and prints: `rs`, `replicaset`, `replicasets`,
 * `ReplicaSet`, each alone, with its group (`replicaset.apps`) or with version and group (`replicasets.v1.apps`,
 * `pods.v1.`).
 */
export function isNameOf(kind: Kind & { readonly singular?: string }, word: string): boolean {
  const [name = "", ...rest] = word.toLowerCase().split(".");
  const names = [kind.plural, kind.singular, kind.kind.toLowerCase(), ...(kind.shortNames ?? [])];
  if (!names.includes(name)) return false;
  const suffix = rest.join(".");
  return suffix === "" || suffix === kind.group || suffix === `${kind.version}.${kind.group}`;
}

/** The kind that a TYPE argument of kubectl means; if several groups have it, the first one. */
export function findKind(kinds: readonly DiscoveredKind[], type: string): DiscoveredKind | undefined {
  return kinds.find((kind) => isNameOf(kind, type));
}
