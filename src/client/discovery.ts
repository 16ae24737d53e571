/** Which kinds a server has: for TYPE arguments, and for controllers that watch whatever there is. */
import type { Kind } from "../api/kind.ts";
import type { Client, ReadOptions } from "./verbs.ts";

export interface DiscoveredKind extends Kind {
  readonly singular: string;
  readonly verbs: readonly string[];
  readonly categories: readonly string[];
  /** Of its group's versions, the one that the server prefers. */
  readonly preferred: boolean;
}

export interface Discovery {
  /** Core first, then the groups in the server's order; of each group the preferred version first. No subresources. */
  readonly kinds: readonly DiscoveredKind[];
  /** Group versions that could not be read: the server behind an aggregated API may be down. */
  readonly unavailable: readonly { readonly groupVersion: string; readonly error: unknown }[];
}

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

interface ApiGroup {
  readonly name: string;
  readonly versions: readonly { readonly version: string }[];
  readonly preferredVersion?: { readonly version: string };
}

/** Asks for every group version, all at once. @throws StatusError, TransportError when the groups themselves cannot be read. */
export async function discover(client: Client, options: ReadOptions = {}): Promise<Discovery> {
  const versions = await groupVersions(client, options);
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

async function groupVersions(client: Client, options: ReadOptions): Promise<GroupVersion[]> {
  const [core, named] = (await Promise.all([client.raw("/api", options), client.raw("/apis", options)])) as [
    { readonly versions?: readonly string[] },
    { readonly groups?: readonly ApiGroup[] },
  ];
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
 * The kind that a TYPE argument of kubectl means: `pods`, `pod`, `po`, `Pod`, `replicasets.apps`, `deployments.v1.apps`. Where
 * several groups have it, the first one counts.
 */
export function findKind(kinds: readonly DiscoveredKind[], type: string): DiscoveredKind | undefined {
  const [name = "", ...rest] = type.toLowerCase().split(".");
  const suffix = rest.join(".");
  return kinds.find((kind) => {
    const names = [kind.plural, kind.singular, kind.kind.toLowerCase(), ...(kind.shortNames ?? [])];
    if (!names.includes(name)) return false;
    return suffix === "" || suffix === kind.group || suffix === `${kind.version}.${kind.group}`;
  });
}
