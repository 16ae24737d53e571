/** Kinds added or removed while the server runs, and what discovery lists with and without them. */
import type { ApiData, ResourceData } from "../../api/wire/format.ts";
import type { Struct } from "../../api/wire/schema.ts";
import { compareKubeAwareVersions } from "../meta/kube-version.ts";

/** A kind with all versions at which it is served. */
export interface AddedKind<Resource> {
  readonly group: string;
  /** One per served version. */
  readonly versions: readonly Resource[];
  /** Discovery entries by `apiVersion`: the resource first, then its subresources. */
  readonly entries: ReadonlyMap<string, readonly ResourceData[]>;
  /** The structs that the fields of its objects refer to; their names begin with a slash. */
  readonly structs: readonly Struct[];
}

/** What the server serves at one moment. */
export interface Served<Resource> {
  readonly data: ApiData;
  readonly resources: readonly Resource[];
}

type Group = ApiData["groups"][number];

/**
 * Adds a kind; its group comes after the first groups, sorted by name. Source: apiextensions-apiserver v0.36
 * pkg/apiserver/customresource_discovery_controller.go.
 */
export function addedTo<Resource extends { readonly version: string }>(
  { data, resources }: Served<Resource>,
  { kind, firstGroups }: { readonly kind: AddedKind<Resource>; readonly firstGroups: ReadonlySet<string> },
): Served<Resource> {
  const lists: Record<string, readonly ResourceData[]> = { ...data.resources };
  for (const [apiVersion, entries] of kind.entries) {
    // Sorted by the name of the resource, each followed by its subresources.
    lists[apiVersion] = [...(lists[apiVersion] ?? []), ...entries].sort((a, b) => order(a.name, b.name));
  }
  return {
    data: { ...data, resources: lists, groups: groupsWith(data.groups, { kind, firstGroups }) },
    resources: [...resources, ...kind.versions],
  };
}

const order = (a: string, b: string): number => {
  const [one = "", oneSub = ""] = a.split("/");
  const [other = "", otherSub = ""] = b.split("/");
  if (one !== other) return one < other ? -1 : 1;
  // `status` comes before `scale`.
  return oneSub === "" ? -1 : otherSub === "" ? 1 : oneSub > otherSub ? -1 : 1;
};

function groupsWith(
  groups: readonly Group[],
  {
    kind,
    firstGroups: first,
  }: { readonly kind: AddedKind<{ readonly version: string }>; readonly firstGroups: ReadonlySet<string> },
): readonly Group[] {
  const known = groups.find(({ name }) => name === kind.group);
  const added = [...kind.entries.keys()].map((apiVersion) => apiVersion.slice(apiVersion.indexOf("/") + 1));
  const own = [...new Set([...(known?.versions ?? []), ...added])];
  const group: Group = { name: kind.group, versions: own.sort((a, b) => compareKubeAwareVersions(b, a)) };
  if (known !== undefined) return groups.map((each) => (each === known ? group : each));
  const later = [...groups.filter(({ name }) => !first.has(name)), group];
  return [...groups.filter(({ name }) => first.has(name)), ...later.sort((a, b) => (a.name < b.name ? -1 : 1))];
}

/** Removes a kind, along with its version and its group if nothing else is in them. */
export function withoutKind<Resource>(
  { data, resources }: Served<Resource>,
  kind: AddedKind<Resource>,
): Served<Resource> {
  const lists: Record<string, readonly ResourceData[]> = { ...data.resources };
  for (const [apiVersion, entries] of kind.entries) {
    const left = (lists[apiVersion] ?? []).filter((entry) => !entries.includes(entry));
    if (left.length === 0) delete lists[apiVersion];
    else lists[apiVersion] = left;
  }
  const groups = data.groups.flatMap((group) => {
    if (group.name !== kind.group) return [group];
    const versions = group.versions.filter((version) => lists[`${group.name}/${version}`] !== undefined);
    return versions.length === 0 ? [] : [{ name: group.name, versions }];
  });
  const gone = new Set(kind.versions);
  return { data: { ...data, resources: lists, groups }, resources: resources.filter((each) => !gone.has(each)) };
}
