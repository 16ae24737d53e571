import { keyOf } from "../../api/key.ts";
import { Pods } from "../../api/kinds.ts";
import { matches, type Selector } from "../../api/labels.ts";
import { controllerOf } from "../../api/owner-references.ts";
import type { Pod } from "../../api/types.ts";
import { noConsistencyChecks } from "../../controller/api/consistency.ts";
import { ownedAndOrphaned } from "../../controller/api/owned.ts";
import { isPodActive, isPodTerminating, nextAvailability } from "../../controller/workload/pod-status.ts";
import { podWritten } from "../../controller/workload/pod-control.ts";
import { countsTerminatingReplicas } from "../../controller/workload/server-features.ts";
import { claim } from "../../controller/workload/ref-manager.ts";
import type { SyncContext } from "../../controller/api/sync-context.ts";
import { manageReplicas } from "./manage-replicas.ts";
import {
  desiredReplicas,
  parseSelector,
  type ReplicaControllerConfig,
  type ReplicaOwner,
  type ReplicaSync,
} from "./replica-owner.ts";
import { availability, beingDeleted, wait } from "./rules.ts";
import { calculateStatus } from "./status.ts";
import { writeStatus } from "./write-status.ts";

/**
 * Brings the pods of one object to the desired number, and its status up to date with the pods found at the start: pods created or
 * deleted here count in the status of a later sync.
 *
 * Source: kubernetes v1.36 pkg/controller/replicaset/replica_set.go syncReplicaSet.
 */
export async function syncReplicaSet<T extends ReplicaOwner>(
  context: SyncContext,
  config: ReplicaControllerConfig<T>,
): Promise<void> {
  const { key, expectations } = context;
  const consistency = config.checksConsistency ? context.consistency : noConsistencyChecks;
  consistency.ensureReady(key);
  const object = context.cache(config.kind).get(key);
  if (object === undefined) {
    consistency.forget(key);
    expectations.forget(key);
    return;
  }
  // Checked before the pods are listed: a pod observed in between may be missing from the list, but is then still expected.
  const satisfied = expectations.satisfied(key);
  const selector = parseSelector(config, object);
  if (selector === undefined) return;

  const sync: ReplicaSync<T> = { context, config, object, consistency };
  const pods = ownedAndOrphaned(context.cache(Pods), object, config.kind);
  const active = await claimActive(sync, { selector, pods });
  const terminating =
    config.countsTerminating && countsTerminatingReplicas(context.serverVersion)
      ? pods.filter((pod) => isPodTerminating(pod) && isClaimed(pod, object, selector))
      : undefined;

  // The status is written even if creating or deleting pods fails: it reports the failure.
  let failure: Error | undefined;
  if (mayManageReplicas(sync, { satisfied, active })) {
    try {
      await manageReplicas(sync, active);
    } catch (error) {
      failure = error instanceof Error ? error : new Error(String(error), { cause: error });
    }
  }
  // The same time for the status and for the requeue that follows from it.
  const now = context.now();
  const updated = await writeStatus(sync, calculateStatus(object, { active, terminating, failure, now }));
  consistency.wrote({ key, uid: object.metadata.uid }, config.kind, updated.metadata.resourceVersion);
  if (failure !== undefined) throw failure;
  requeueForAvailability(context, updated, { active, evaluatedAt: now });
}

function claimActive<T extends ReplicaOwner>(
  { context, config, object, consistency }: ReplicaSync<T>,
  { selector, pods }: { readonly selector: Selector; readonly pods: readonly Pod[] },
): Promise<Pod[]> {
  return claim<T, Pod>(context, pods.filter(isPodActive), {
    owner: object,
    ownerKind: config.kind,
    kind: Pods,
    selector,
    onWrite: (pod) => podWritten(consistency, pod),
  });
}

function isClaimed(pod: Pod, object: ReplicaOwner, selector: Selector): boolean {
  return controllerOf(pod)?.uid === object.metadata.uid && matches(selector, pod.metadata.labels);
}

/** Pods are neither created nor deleted while expected writes have not been observed, nor for an object that is being deleted. */
function mayManageReplicas<T extends ReplicaOwner>(
  { context, object }: ReplicaSync<T>,
  { satisfied, active }: { readonly satisfied: boolean; readonly active: readonly Pod[] },
): boolean {
  const counts = { desired: desiredReplicas(object), active: active.length };
  if (!satisfied) {
    const expected = context.expectations.of(keyOf(object));
    const creations = Math.max(0, expected?.creations ?? 0);
    context.decide(wait, { ...counts, creations, deletions: expected?.deletions.size ?? 0 });
    return false;
  }
  if (object.metadata.deletionTimestamp === undefined) return true;
  context.decide(beingDeleted, counts);
  return false;
}

/** No delta arrives when a ready pod becomes available: the key is requeued for that time. */
function requeueForAvailability(
  context: SyncContext,
  object: ReplicaOwner,
  { active, evaluatedAt }: { readonly active: readonly Pod[]; readonly evaluatedAt: number },
): void {
  const minReadySeconds = object.spec?.minReadySeconds ?? 0;
  const { readyReplicas: ready = 0, availableReplicas: available = 0 } = object.status ?? {};
  if (minReadySeconds <= 0 || ready === available) return;
  const next = nextAvailability(active, minReadySeconds, { evaluatedAt, now: context.now() });
  const inMs = next?.inMs ?? minReadySeconds * 1000;
  const pod = next?.pod.metadata.name;
  const decision = context.decide(availability, { ready, available, inMs, ...(pod !== undefined && { pod }) });
  context.enqueueAfter(inMs, decision.sentence);
}
