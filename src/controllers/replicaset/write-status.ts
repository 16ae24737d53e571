import { fieldChanges } from "../../api/field-changes.ts";
import type { SyncContext } from "../../controller/api/sync-context.ts";
import type { ReplicaOwner, ReplicaStatus, ReplicaSync } from "./replica-owner.ts";
import { replicaFailure, status as statusRule } from "./rules.ts";
import { findCondition } from "../../controller/workload/conditions.ts";
import { isStatusCurrent, replicaFailureCondition, statusOf } from "./status.ts";

/**
 * Writes the status if it has changed, and returns the object as the API server then has it. If the write fails for any reason, it
 * is retried once on a fresh copy of the object; the observed generation stays that of the object that this sync evaluated.
 *
 * Source: kubernetes v1.36 pkg/controller/replicaset/replica_set_utils.go updateReplicaSetStatus.
 *
 * @throws the error of the second write, or of the get before it.
 */
export async function writeStatus<T extends ReplicaOwner>(
  { context, config, object }: ReplicaSync<T>,
  wanted: ReplicaStatus,
): Promise<T> {
  if (isStatusCurrent(object, wanted)) return object;
  const status = statusOf({ ...wanted, observedGeneration: object.metadata.generation ?? 0 });
  decideOnFailure(context, object, status);
  const because = context.decide(statusRule, { changes: fieldChanges(object.status ?? {}, status) });
  const write = (basedOn: T): Promise<T> =>
    context.client.updateStatus(config.kind, { ...basedOn, status }, { because, basedOn, signal: context.signal });
  try {
    return await write(object);
  } catch {
    const { namespace = "", name } = object.metadata;
    return write(await context.client.get(config.kind, { namespace, name }, { signal: context.signal }));
  }
}

/** Decides on setting or removing the condition ReplicaFailure, if it changes. */
function decideOnFailure(context: SyncContext, object: ReplicaOwner, status: ReplicaStatus): void {
  const before = findCondition(object.status?.conditions, replicaFailureCondition);
  const after = findCondition(status.conditions, replicaFailureCondition);
  if ((before === undefined) === (after === undefined)) return;
  context.decide(replicaFailure, { reason: after && (after.reason ?? ""), message: after?.message ?? "" });
}
