import { fieldChanges } from "../../api/field-changes.ts";
import type { SyncContext } from "../../controller/api/sync-context.ts";
import type { Flavour, Replicated, ReplicaStatus } from "./replicated.ts";
import { replicaFailure, status as statusRule } from "./rules.ts";
import { findCondition } from "../../controller/workload/conditions.ts";
import { isStatusCurrent, replicaFailureCondition, statusOf } from "./status.ts";

/**
 * Writes the status if it differs, and answers the object as it is then. A write that fails, for whatever reason, is tried once
 * more on the object as the API server has it; the observed generation stays that of the object which was looked at.
 *
 * Source: kubernetes v1.36 pkg/controller/replicaset/replica_set_utils.go updateReplicaSetStatus.
 *
 * @throws the refusal of the second write, or of the get before it.
 */
export async function writeStatus<T extends Replicated>(
  context: SyncContext,
  flavour: Flavour<T>,
  object: T,
  wanted: ReplicaStatus,
): Promise<T> {
  if (isStatusCurrent(object, wanted)) return object;
  const status = statusOf({ ...wanted, observedGeneration: object.metadata.generation ?? 0 });
  decideOnFailure(context, object, status);
  const because = context.decide(statusRule, { changes: fieldChanges(object.status ?? {}, status) });
  const write = (basedOn: T): Promise<T> =>
    context.client.updateStatus(flavour.kind, { ...basedOn, status }, { because, basedOn, signal: context.signal });
  try {
    return await write(object);
  } catch {
    const { namespace = "", name } = object.metadata;
    return write(await context.client.get(flavour.kind, { namespace, name }, { signal: context.signal }));
  }
}

/** Says why the condition ReplicaFailure comes or goes. */
function decideOnFailure(context: SyncContext, object: Replicated, status: ReplicaStatus): void {
  const before = findCondition(object.status?.conditions, replicaFailureCondition);
  const after = findCondition(status.conditions, replicaFailureCondition);
  if ((before === undefined) === (after === undefined)) return;
  context.decide(replicaFailure, { reason: after && (after.reason ?? ""), message: after?.message ?? "" });
}
