/** The kinds that the sandbox serves, in the form of discovery. */
import { apiVersionOf, type Kind } from "../../api/kind.ts";
import type { DiscoveredKind } from "../../client/api/discovery.ts";
import { loadApiData } from "../../api/wire/load.ts";

/** Every kind and version that the sandbox serves, as discovery returns them. */
export async function sandboxKinds(): Promise<readonly DiscoveredKind[]> {
  const { groups, resources } = await loadApiData();
  const preferred = new Set(["v1", ...groups.map(({ name, versions }) => `${name}/${versions[0] ?? ""}`)]);
  return Object.entries(resources).flatMap(([groupVersion, entries]) => {
    const slash = groupVersion.indexOf("/");
    return entries
      .filter(({ name }) => !name.includes("/"))
      .map((entry) => ({
        group: slash < 0 ? "" : groupVersion.slice(0, slash),
        version: groupVersion.slice(slash + 1),
        kind: entry.kind,
        plural: entry.name,
        namespaced: entry.namespaced,
        shortNames: entry.shortNames ?? [],
        singular: entry.singularName || entry.kind.toLowerCase(),
        verbs: entry.verbs,
        categories: entry.categories ?? [],
        preferred: preferred.has(groupVersion),
      }));
  });
}

/** Whether the sandbox can store objects of a kind. */
export async function servedBySandbox(): Promise<(kind: Kind) => boolean> {
  const served = new Set((await sandboxKinds()).map((kind) => `${apiVersionOf(kind)} ${kind.kind}`));
  return (kind) => served.has(`${apiVersionOf(kind)} ${kind.kind}`);
}
