/** From a claim to the pods that refer to it. Source: kubernetes v1.36 pkg/controller/volume/common/common.go PodPVCIndex. */
import { objectKey, type ObjectKey } from "../../api/key.ts";
import { claimNamesOf } from "../../api/pod-claims.ts";
import type { Pod } from "../../api/types.ts";

/** The index of pods by the keys of the claims that they refer to. */
export const claimIndex = "claim";

/** What a pod is found by in `claimIndex`: the claims that it names, and those that its ephemeral volumes have, whether they exist or not. */
export function claimKeysOf(pod: Pod): readonly ObjectKey[] {
  return claimNamesOf(pod).map((name) => objectKey(pod.metadata.namespace, name));
}
