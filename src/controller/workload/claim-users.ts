/** Pods by the claims that they refer to. Controllers that read one cache share its index. */
import { objectKey, type ObjectKey } from "../../api/key.ts";
import { claimNamesOf } from "../../api/pod-claims.ts";
import type { Pod } from "../../api/types.ts";

/** The name of the index of pods by the keys of the claims that they refer to. */
export const claimIndex = "claim";

/**
 * The keys of the claims that a pod refers to, whether they exist or not.
 * Source: kubernetes v1.36 pkg/controller/volume/common/common.go PodPVCIndexFunc.
 */
export function claimKeysOf(pod: Pod): readonly ObjectKey[] {
  return claimNamesOf(pod).map((name) => objectKey(pod.metadata.namespace, name));
}
