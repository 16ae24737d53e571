/** Kinds that the sandbox does not serve: those of a cluster, those that manifests define, and those of their objects. */
import { apiVersionOf, type Kind } from "../../src/api/kind.ts";
import { assumedKind, type DiscoveredKind } from "../../src/client/api/discovered.ts";
import type { BothSides, Manifest } from "./manifests.ts";

interface DefinitionLike {
  readonly spec?: {
    readonly group?: string;
    readonly scope?: string;
    readonly names?: { readonly kind?: string; readonly plural?: string; readonly shortNames?: readonly string[] };
    readonly versions?: readonly { readonly name?: string }[];
  };
}

/** The kinds of a CustomResourceDefinition, one per version; none for any other object. */
export function definedKinds(object: Manifest["object"]): readonly DiscoveredKind[] {
  if (object.kind !== "CustomResourceDefinition") return [];
  const { group = "", scope, names = {}, versions = [] } = (object as DefinitionLike).spec ?? {};
  const { kind = "", plural = "", shortNames = [] } = names;
  return versions.map(({ name = "" }, index) => ({
    ...assumedKind(`${group}/${name}`, kind),
    namespaced: scope !== "Cluster",
    shortNames,
    ...(plural !== "" && { plural }),
    preferred: index === 0,
  }));
}

/** The kinds of manifest objects that are not in `kinds`: as defined by a manifest, or else assumed to be namespaced. */
export function kindsBeside(kinds: readonly DiscoveredKind[], { manifests, baseline }: BothSides): DiscoveredKind[] {
  const objects = [...baseline, ...manifests].map(({ object }) => object);
  const found = objects.flatMap(definedKinds).filter((kind) => !kinds.some((each) => isSame(each, kind)));
  for (const { apiVersion, kind } of objects) {
    const named = assumedKind(apiVersion, kind);
    if (![...kinds, ...found].some((each) => isSame(each, named))) found.push(named);
  }
  return found;
}

function isSame(a: Kind, b: Kind): boolean {
  return a.kind === b.kind && apiVersionOf(a) === apiVersionOf(b);
}
