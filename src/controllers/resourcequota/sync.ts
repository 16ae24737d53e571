/**
 * One sync of a ResourceQuota. Source: kubernetes v1.36 pkg/controller/resourcequota/resource_quota_controller.go
 * syncResourceQuota.
 */
import type { ObjectKey } from "../../api/key.ts";
import { resourceOf } from "../../api/kind.ts";
import { ResourceQuotas } from "../../api/kinds.ts";
import type { ResourceQuota } from "../../api/types.ts";
import type { SyncContext } from "../../controller/api/sync-context.ts";
import { memory } from "./counted-kinds.ts";
import { notCounted, usage } from "./rules.ts";
import { amountChanges, type Counted, countedStatus, isOutdated, sameAmounts } from "./status.ts";

/** kube-controller-manager's `--resource-quota-sync-period`. */
const recountMs = 5 * 60_000;

/**
 * The API server charges nothing against limits that the status does not have yet, and this count may not have seen what it admitted: caches
 * show it after this time. Differs: upstream finds it with the next recount.
 */
const admittedMs = 1000;

/**
 * Counts what the quota limits, and writes the status if it has changed.
 * @throws StatusError, TransportError; Error, once the rest is written, if objects of a kind have not been listed yet.
 */
export async function syncQuota(key: ObjectKey, context: SyncContext): Promise<void> {
  const quota = context.cache(ResourceQuotas).get(key);
  if (quota === undefined) return;
  context.enqueueAfter(recountMs, "all quotas are recounted every 5 minutes", { background: true });
  const counted = countedStatus(quota, {
    kinds: context.state(memory).all,
    objects(kind) {
      const lister = context.cache(kind);
      return lister.appliedResourceVersion() === "" ? undefined : lister.list(quota.metadata.namespace);
    },
    now: context.now(),
  });
  if (counted.uncounted.length > 0) context.decide(notCounted, { names: counted.uncounted });
  if (isOutdated(quota, counted)) {
    await write(quota, counted, context);
    if (!sameAmounts(counted.hard, quota.status?.hard))
      context.enqueueAfter(admittedMs, "objects may have been admitted before its limits applied");
  }
  if (counted.unlisted.length > 0) {
    const names = counted.unlisted.map(resourceOf).join(", ");
    throw new Error(`Cannot count ${names}: they have not been listed yet`);
  }
}

function write(quota: ResourceQuota, counted: Counted, context: SyncContext): Promise<ResourceQuota> {
  const { hard, used } = counted;
  const gone = Object.keys(quota.status?.hard ?? {}).filter((name) => hard[name] === undefined);
  const because = context.decide(usage, { changes: amountChanges(quota, counted), gone });
  const after = { ...quota, status: { hard, used } };
  return context.client.updateStatus(ResourceQuotas, after, { because, basedOn: quota, signal: context.signal });
}
