/** Finds the pods that refer to a PersistentVolumeClaim. Source: kubernetes v1.36 pkg/controller/volume/common/common.go PodPVCIndex. */
import { objectKey, type ObjectKey } from "../../api/key.ts";
import { claimNamesOf } from "../../api/pod-claims.ts";
import type { Pod } from "../../api/types.ts";

/** The index of pods by the keys of the claims that they refer to. */
export const claimIndex = "claim";

/** The values of a pod in `claimIndex`: the claims that it names, and those of its ephemeral volumes, whether they exist or not. */
export function claimKeysOf(pod: Pod): readonly ObjectKey[] {
  return claimNamesOf(pod).map((name) => objectKey(pod.metadata.namespace, name));
}
