/** What of a namespace is asked about, when the whole of it is: what nothing else in it manages. */
import { resourceOf } from "../../api/kind.ts";
import type { Selector } from "../../api/labels.ts";
import type { Item } from "../../diagnosis/diagnosis.ts";
import { isPassive } from "../../diagnosis/passive.ts";
import type { DiscoveredKind } from "../../client/discovery.ts";
import type { Unseen } from "../../verdict/verdict.ts";
import { isMeasured, listable } from "./listable.ts";
import { inParallel } from "./parallel.ts";
import type { Reading } from "./why.ts";

export interface Contents {
  readonly items: readonly Item[];
  /** The kinds that were listed. */
  readonly seen: readonly string[];
  readonly unseen: readonly Unseen[];
}

/** Kinds whose objects may wait for something. */
export function askable(kinds: readonly DiscoveredKind[]): readonly DiscoveredKind[] {
  return listable(kinds).filter((kind) => kind.namespaced && !isPassive(kind) && !isMeasured(kind.group));
}

/**
 * All objects of the kinds in the namespace that no other of them is the controller of: what those manage is seen through them.
 * @throws StatusError, TransportError.
 */
export async function readContents(
  reading: Reading,
  {
    kinds,
    namespace,
    selector,
  }: { readonly kinds: readonly DiscoveredKind[]; readonly namespace: string; readonly selector: Selector },
): Promise<Contents> {
  const lists = await inParallel(kinds, (kind) => reading.list(kind, namespace, selector));
  const all = lists.flatMap(({ items }) => items);
  const uids = new Set(all.map(({ object }) => object.metadata.uid));
  const items = all.filter(
    ({ object }) =>
      object.metadata.ownerReferences?.some(({ uid, controller }) => controller === true && uids.has(uid)) !== true,
  );
  const seen = kinds.filter((_, index) => (lists[index]?.unseen ?? []).every(({ isDecisive }) => !isDecisive));
  return { items, seen: seen.map(resourceOf), unseen: lists.flatMap(({ unseen }) => unseen) };
}
