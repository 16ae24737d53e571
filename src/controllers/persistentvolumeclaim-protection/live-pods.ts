/**
 * Whether a pod uses a claim, according to the API server. The cache may lack a pod that has just been bound, so no claim is released by
 * the cache alone.
 */
import { messageOf } from "../../api/error-message.ts";
import { PersistentVolumeClaims, Pods } from "../../api/kinds.ts";
import { claimNamesOf, holdsClaim } from "../../api/pod-claims.ts";
import { claimProtection as finalizer } from "../../api/protection-finalizers.ts";
import type { PersistentVolumeClaim, Pod } from "../../api/types.ts";
import { type RunState, runState } from "../../controller/api/run-state.ts";
import type { SyncContext } from "../../controller/api/sync-context.ts";
import { isDeletionCandidate } from "../../controller/workload/protection.ts";

/**
 * When the API server had no pod that used a claim, by claim uid, in ms since 1970: claims that were being deleted when the check ran for
 * another one. Schedulers do not bind pods with such a claim, so it is unlikely to be used since.
 */
export const foundUnused: RunState<Map<string, number>> = runState(() => new Map<string, number>());

/** How old such a finding may be: about as long as upstream takes for the claims that share one list of pods. */
const freshMs = 5000;

/** Whether the claim was recently found unused. A finding serves one sync only. */
export function wasFoundUnused(context: SyncContext, { metadata: { uid } }: PersistentVolumeClaim): boolean {
  const found = context.state(foundUnused);
  const at = found.get(uid);
  found.delete(uid);
  return at !== undefined && context.now() - at <= freshMs;
}

/**
 * A pod that uses the claim, according to the API server. One list serves all claims of the namespace known to be deleted: many are often
 * deleted together.
 * Source: kubernetes v1.36 pkg/controller/volume/pvcprotection/pvc_protection_controller.go askAPIServer, pvcProcessingStore; differs:
 * upstream's list serves the claims whose keys are waiting at the time.
 * @throws Error if the pods cannot be listed.
 */
export async function liveHolder(context: SyncContext, claim: PersistentVolumeClaim): Promise<Pod | undefined> {
  const unused = context.state(foundUnused);
  const { namespace = "" } = claim.metadata;
  // As known before the list: a claim deleted later may have a new pod by then.
  const others = context
    .cache(PersistentVolumeClaims)
    .list(namespace)
    .filter((other) => other.metadata.uid !== claim.metadata.uid && isDeletionCandidate(other, finalizer));
  const at = context.now();
  const pods = byClaimName(await listPods(context, namespace));
  for (const other of others) if (holderIn(pods, other) === undefined) unused.set(other.metadata.uid, at);
  return holderIn(pods, claim);
}

async function listPods(context: SyncContext, namespace: string): Promise<readonly Pod[]> {
  try {
    return (await context.client.list(Pods, { namespace, signal: context.signal })).items;
  } catch (cause) {
    throw new Error(`live list of pods failed: ${messageOf(cause)}`, { cause });
  }
}

function byClaimName(pods: readonly Pod[]): ReadonlyMap<string, readonly Pod[]> {
  const found = new Map<string, Pod[]>();
  for (const pod of pods) {
    for (const name of claimNamesOf(pod)) {
      const users = found.get(name);
      if (users === undefined) found.set(name, [pod]);
      else users.push(pod);
    }
  }
  return found;
}

function holderIn(pods: ReadonlyMap<string, readonly Pod[]>, claim: PersistentVolumeClaim): Pod | undefined {
  return pods.get(claim.metadata.name)?.find((pod) => holdsClaim(pod, claim));
}
