/** Pods by the node that they are bound to. Source: kubernetes v1.36 pkg/controller/controller_utils.go AddPodNodeNameIndexer. */
import type { Pod } from "../../api/types.ts";
import type { Lister } from "../../cache/lister.ts";

/** The index of pods by their node; those without one are not in it. */
export const nodeNameIndex = "nodeName";

/** The values of a pod in `nodeNameIndex`. */
export function indexByNodeName({ spec }: Pod): readonly string[] {
  const { nodeName = "" } = spec ?? {};
  return nodeName === "" ? [] : [nodeName];
}

/** The pods bound to a node. @throws RangeError for a cache without the index. */
export function podsOfNode(pods: Lister<Pod>, node: string): readonly Pod[] {
  return pods.byIndex(nodeNameIndex, node);
}
