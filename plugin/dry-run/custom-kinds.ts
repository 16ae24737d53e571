/** Kinds that the sandbox does not serve: those of a cluster, those that manifests define, and those that they name. */
import { apiVersionOf, type Kind } from "../../src/api/kind.ts";
import type { StoredObject } from "../../src/api/object.ts";
import { type DiscoveredKind, findKind } from "../../src/client/discovery.ts";
import type { CustomTarget } from "../../src/modes/dry-run/custom-objects.ts";
import type { Manifest } from "../manifests.ts";
import type { WishWords } from "./wishes.ts";

interface DefinitionLike {
  readonly spec?: {
    readonly group?: string;
    readonly scope?: string;
    readonly names?: { readonly kind?: string; readonly plural?: string; readonly shortNames?: readonly string[] };
    readonly versions?: readonly { readonly name?: string }[];
  };
}

/** What a CustomResourceDefinition brings, a kind for each version; nothing for any other object. */
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

/** A kind of which nothing but its name is known. */
function assumedKind(apiVersion: string, kind: string): DiscoveredKind {
  const slash = apiVersion.indexOf("/");
  const singular = kind.toLowerCase();
  return {
    group: apiVersion.slice(0, Math.max(0, slash)),
    version: apiVersion.slice(slash + 1),
    kind,
    plural: `${singular}s`,
    singular,
    namespaced: true,
    verbs: [],
    categories: [],
    preferred: true,
  };
}

/** Kinds of objects among the manifests that are not among `kinds`: as a definition among them says, or taken to have a namespace. */
export function kindsBeside(kinds: readonly DiscoveredKind[], { manifests, baseline }: WishWords): DiscoveredKind[] {
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

export interface CustomSearch {
  readonly kinds: readonly DiscoveredKind[];
  readonly isServed: (kind: Kind) => boolean;
  /** Where objects are that name none. */
  readonly namespace: string;
}

/** The objects of such kinds that are applied or deleted: what is to be read of them. */
export function customTargets(words: WishWords, { kinds, isServed, namespace }: CustomSearch): readonly CustomTarget[] {
  const customs = kinds.filter((kind) => !isServed(kind));
  const targets = new Map<string, CustomTarget>();
  const add = (kind: Kind, within: string, name: string, hasStatus: boolean): void => {
    const at = kind.namespaced ? within : "";
    const id = `${apiVersionOf(kind)} ${kind.kind} ${at}/${name}`;
    targets.set(id, { kind, namespace: at, name, hasStatus: hasStatus || targets.get(id)?.hasStatus === true });
  };
  for (const { object } of [...words.baseline, ...words.manifests]) {
    const kind = customs.find((each) => each.kind === object.kind && apiVersionOf(each) === object.apiVersion);
    const { name, namespace: own = namespace } = object.metadata;
    if (kind !== undefined && name !== undefined) add(kind, own, name, "status" in object);
  }
  for (const text of words.deletes) {
    const [type = "", name = ""] = text.split("/");
    const kind = findKind(kinds, type);
    if (kind !== undefined && !isServed(kind)) add(kind, namespace, name, false);
  }
  return [...targets.values()];
}

/** Saved objects of such kinds, apart from the others. */
export function customsApart(
  saved: readonly StoredObject[],
  isServed: (object: StoredObject) => boolean,
): { readonly served: readonly StoredObject[]; readonly customs: readonly StoredObject[] } {
  return { served: saved.filter(isServed), customs: saved.filter((object) => !isServed(object)) };
}
