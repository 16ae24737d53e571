/** The objects that are diagnosed when a whole namespace or cluster is: those not managed by others in it. */
import { resourceOf } from "../../api/kind.ts";
import type { Selector } from "../../api/labels.ts";
import type { Item } from "../../diagnosis/diagnosis.ts";
import { isPassive } from "../../diagnosis/passive.ts";
import type { DiscoveredKind } from "../../client/api/discovery.ts";
import type { Unseen } from "../../verdict/verdict.ts";
import { isMetrics, listable } from "./listable.ts";
import { inParallel } from "./parallel.ts";
import type { Reading } from "./why.ts";

/** The objects to be diagnosed. */
export interface Contents {
  readonly items: readonly Item[];
  /** The kinds that were listed. */
  readonly seen: readonly string[];
  readonly unseen: readonly Unseen[];
}

/** Not objects, but probes of ports on the API server's machine, where those components rarely listen; deprecated since 1.19. */
const probes = "componentstatuses";

/** Kinds whose objects may wait for something; for one namespace, only namespaced kinds. */
export function diagnosable(kinds: readonly DiscoveredKind[], namespace: string): readonly DiscoveredKind[] {
  return listable(kinds).filter(
    (kind) =>
      (namespace === "" || kind.namespaced) &&
      !isPassive(kind) &&
      !isMetrics(kind.group) &&
      resourceOf(kind) !== probes,
  );
}

/**
 * All objects of the kinds in the namespace (or in the cluster, if it is empty) whose controller is not among them:
 * managed objects are diagnosed through their controllers.
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
