/** What of a namespace, or of the whole cluster, is asked about when all of it is: what nothing else in it manages. */
import { resourceOf } from "../../api/kind.ts";
import type { Selector } from "../../api/labels.ts";
import type { Item } from "../../diagnosis/diagnosis.ts";
import { isPassive } from "../../diagnosis/passive.ts";
import type { DiscoveredKind } from "../../client/api/discovery.ts";
import type { Unseen } from "../../verdict/verdict.ts";
import { isMetrics, listable } from "./listable.ts";
import { inParallel } from "./parallel.ts";
import type { Reading } from "./why.ts";

export interface Contents {
  readonly items: readonly Item[];
  /** The kinds that were listed. */
  readonly seen: readonly string[];
  readonly unseen: readonly Unseen[];
}

/** No objects but probes of ports on the API server's own machine, which is seldom where those listen; deprecated since 1.19. */
const probes = "componentstatuses";

/** Kinds whose objects may wait for something; in one namespace only those that are in namespaces. */
export function askable(kinds: readonly DiscoveredKind[], namespace: string): readonly DiscoveredKind[] {
  return listable(kinds).filter(
    (kind) =>
      (namespace === "" || kind.namespaced) &&
      !isPassive(kind) &&
      !isMetrics(kind.group) &&
      resourceOf(kind) !== probes,
  );
}

/**
 * All objects of the kinds in the namespace, or in the cluster where it is empty, that no other of them is the controller of: what those manage is seen through them.
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
