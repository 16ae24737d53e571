/** One sync of a claim. Source: kubernetes v1.36 pkg/controller/volume/pvcprotection/pvc_protection_controller.go processPVC. */
import { keyOf } from "../../api/key.ts";
import { PersistentVolumeClaims, Pods } from "../../api/kinds.ts";
import { holdsClaim } from "../../api/pod-claims.ts";
import { claimProtection as finalizer } from "../../api/protection-finalizers.ts";
import type { PersistentVolumeClaim, Pod } from "../../api/types.ts";
import type { SyncContext } from "../../controller/api/sync-context.ts";
import { claimIndex } from "../../controller/workload/pods-of-claim.ts";
import { syncProtection } from "../../controller/workload/protection.ts";
import { liveHolder, wasFoundUnused } from "./live-pods.ts";
import { inUse, unprotected, unused } from "./rules.ts";

/** Source: pvc_protection_controller.go processPVC. @throws the API server's refusal; Error if the pods cannot be listed. */
export function syncClaim(context: SyncContext): Promise<void> {
  return syncProtection(context, { kind: PersistentVolumeClaims, finalizer, unprotected, unused, isUsed });
}

/** A cached pod suffices to keep it; only the absence of one is verified with the API server. */
async function isUsed(context: SyncContext, claim: PersistentVolumeClaim): Promise<boolean> {
  const isKnownUnused = wasFoundUnused(context, claim);
  const cached = context
    .cache(Pods)
    .byIndex(claimIndex, keyOf(claim))
    .find((pod) => holdsClaim(pod, claim));
  const holder: Pod | undefined = cached ?? (isKnownUnused ? undefined : await liveHolder(context, claim));
  if (holder === undefined) return false;
  context.decide(inUse, {
    pod: holder.metadata.name,
    node: holder.spec?.nodeName ?? "",
    listedLive: cached === undefined,
  });
  return true;
}
