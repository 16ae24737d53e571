import { fieldChanges } from "../../api/field-changes.ts";
import { StatefulSets } from "../../api/kinds.ts";
import type { StatefulSet } from "../../api/types.ts";
import { retryOnConflict } from "../../controller/api/retry-on-conflict.ts";
import { status as statusRule } from "./rules.ts";
import { isInconsistent, type StatefulSetStatus } from "./status.ts";
import type { SyncContext } from "../../controller/api/sync-context.ts";

/**
 * Writes the status if it has changed. A conflict is retried on the set as then cached, with the same status: its observed generation stays
 * that of the set which this sync evaluated.
 *
 * Source: kubernetes v1.36 pkg/controller/statefulset/stateful_set_status_updater.go UpdateStatefulSetStatus.
 *
 * @throws the last refusal.
 */
export async function writeStatus(
  { context, set }: { readonly context: SyncContext; readonly set: StatefulSet },
  status: StatefulSetStatus,
): Promise<void> {
  if (!isInconsistent(set, status)) return;
  const because = context.decide(statusRule, { changes: fieldChanges(set.status ?? {}, status) });
  let basedOn = set;
  const write = async (): Promise<void> => {
    try {
      const options = { because, basedOn, signal: context.signal };
      const { metadata } = await context.client.updateStatus(StatefulSets, { ...basedOn, status }, options);
      context.consistency.wrote({ key: context.key, uid: metadata.uid }, StatefulSets, metadata.resourceVersion);
    } catch (error) {
      basedOn = context.cache(StatefulSets).get(context.key) ?? basedOn;
      throw error;
    }
  };
  await retryOnConflict(write, { context });
}
