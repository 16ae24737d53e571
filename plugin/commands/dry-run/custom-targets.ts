/** Handles objects of kinds that the sandbox does not serve. */
import { apiVersionOf, type Kind } from "../../../src/api/kind.ts";
import type { StoredObject } from "../../../src/api/object.ts";
import { type DiscoveredKind, findKind } from "../../../src/client/api/discovery.ts";
import type { CustomTarget } from "../../../src/modes/dry-run/custom-objects.ts";
import type { ChangeFlags } from "./requested-changes.ts";

/** The context of the search for custom resources: the kinds that the cluster serves and the sandbox does not. */
export interface CustomSearch {
  readonly kinds: readonly DiscoveredKind[];
  readonly isServed: (kind: Kind) => boolean;
  /** The namespace of objects that name none. */
  readonly namespace: string;
}

/** The objects of such kinds that are applied or deleted, and must be read from the cluster. */
export function customTargets(
  words: ChangeFlags,
  { kinds, isServed, namespace }: CustomSearch,
): readonly CustomTarget[] {
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

/** Separates saved objects of such kinds from the others. */
export function customsApart(
  saved: readonly StoredObject[],
  isServed: (object: StoredObject) => boolean,
): { readonly served: readonly StoredObject[]; readonly customs: readonly StoredObject[] } {
  return { served: saved.filter(isServed), customs: saved.filter((object) => !isServed(object)) };
}
