/** How long a pod may stay on a node. Pure. Source: kubernetes v1.36 pkg/controller/tainteviction/taint_eviction.go. */
import { tolerates } from "../../api/taints.ts";
import type { Node, Taint, Toleration } from "../../api/types.ts";

/** How tolerations respond to the NoExecute taints of a node. */
export type Tolerance =
  | { readonly is: "none"; readonly taint: Taint }
  | { readonly is: "for ever" }
  | { readonly is: "limited"; readonly seconds: number };

/** The node's taints with the effect NoExecute. */
export function evictingTaints({ spec }: Node): readonly Taint[] {
  return (spec?.taints ?? []).filter(({ effect }) => effect === "NoExecute");
}

/**
 * For each taint, the first matching toleration counts, and of these the shortest time; 0 s or less means at once.
 * Source: GetMatchingTolerations, getMinTolerationTime.
 */
export function toleranceOf(taints: readonly Taint[], tolerations: readonly Toleration[]): Tolerance {
  let seconds = Infinity;
  for (const taint of taints) {
    const used = tolerations.find((toleration) => tolerates(toleration, taint));
    if (used === undefined) return { is: "none", taint };
    seconds = Math.min(seconds, used.tolerationSeconds ?? Infinity);
  }
  return seconds === Infinity ? { is: "for ever" } : { is: "limited", seconds: Math.max(0, seconds) };
}
