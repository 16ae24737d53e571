/** Kinds that a server begins to serve while it runs, and what discovery lists with them and without them. */
import type { ApiData, ResourceData } from "../../api/wire/format.ts";
import type { Struct } from "../../api/wire/schema.ts";
import { compareKubeAwareVersions } from "../meta/kube-version.ts";

/** A kind with all versions at which it is served. */
export interface AddedKind<Resource> {
  readonly group: string;
  /** One for each version that is served. */
  readonly versions: readonly Resource[];
  /** What discovery lists, by `apiVersion`: the resource first, its subresources after it. */
  readonly entries: ReadonlyMap<string, readonly ResourceData[]>;
  /** The structs that the fields of its objects refer to; their names begin with a slash. */
  readonly structs: readonly Struct[];
}

/** What is served at a moment. */
export interface Served<Resource> {
  readonly data: ApiData;
  readonly resources: readonly Resource[];
}

type Group = ApiData["groups"][number];

/** With a kind added; its group follows the first ones, by name. Source: apiextensions-apiserver v0.36 pkg/apiserver/customresource_discovery_controller.go. */
export function addedTo<Resource extends { readonly version: string }>(
  { data, resources }: Served<Resource>,
  { kind, firstGroups }: { readonly kind: AddedKind<Resource>; readonly firstGroups: ReadonlySet<string> },
): Served<Resource> {
  const lists: Record<string, readonly ResourceData[]> = { ...data.resources };
  for (const [apiVersion, entries] of kind.entries) {
    // By the name of the resource, each followed by its subresources.
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
  // The status comes before the scale.
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

/** With a kind taken away: a version that has nothing else goes with it, and so does a group. */
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
