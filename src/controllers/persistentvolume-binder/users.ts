/** The pods that use a claim. Source: kubernetes v1.36 pkg/controller/volume/persistentvolume/pv_controller.go findPodsByPVCKey. */
import { keyOf, type ObjectKey } from "../../api/key.ts";
import { Pods } from "../../api/kinds.ts";
import type { PersistentVolumeClaim, Pod } from "../../api/types.ts";
import type { SyncContext } from "../../controller/api/sync-context.ts";
import { claimIndex } from "../../controller/workload/pods-of-claim.ts";
import { hasStopped } from "../../controller/workload/pod-status.ts";

/** The cached pods that refer to the claim and have not stopped, by name. */
export function activeUsers(context: SyncContext, claim: ObjectKey): readonly Pod[] {
  return context
    .cache(Pods)
    .byIndex(claimIndex, claim)
    .filter((pod) => !hasStopped(pod))
    .toSorted((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1));
}

/** The names of those that have no node yet. */
export function unscheduledUsers(context: SyncContext, claim: PersistentVolumeClaim): readonly string[] {
  return activeUsers(context, keyOf(claim))
    .filter((pod) => (pod.spec?.nodeName ?? "") === "")
    .map((pod) => pod.metadata.name);
}
