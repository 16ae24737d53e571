import { keyOf, objectKey } from "../../api/key.ts";
import { Pods } from "../../api/kind.ts";
import { matches, type Selector } from "../../api/labels.ts";
import { controllerOf } from "../../api/owner-references.ts";
import type { Pod } from "../../api/types.ts";
import { ownedAndOrphaned } from "../../controller/api/owned.ts";
import { isPodActive, isPodTerminating, nextAvailability } from "../../controller/workload/pod-status.ts";
import { claim } from "../../controller/workload/ref-manager.ts";
import type { SyncContext } from "../../controller/api/sync-context.ts";
import { consistencyOf, desiredReplicas, type Flavour, type Replicated, usableSelector } from "./replicated.ts";
import { availability, beingDeleted, wait } from "./rules.ts";
import { scale } from "./scale.ts";
import { calculateStatus } from "./status.ts";
import { writeStatus } from "./write-status.ts";

/**
 * Brings the pods of one object to the number desired, and its status to the pods as they were found: the pods created or
 * deleted here show in the status of a later sync.
 *
 * Source: kubernetes v1.36 pkg/controller/replicaset/replica_set.go syncReplicaSet.
 */
export async function syncReplicated<T extends Replicated>(context: SyncContext, flavour: Flavour<T>): Promise<void> {
  const { key, expectations } = context;
  const consistency = consistencyOf(context, flavour);
  consistency.ensureReady(key);
  const object = context.cache(flavour.kind).get(key);
  if (object === undefined) {
    consistency.forget(key);
    expectations.forget(key);
    return;
  }
  // Asked before the pods are listed: a pod seen in between may be missing from the list, but is then still expected.
  const satisfied = expectations.satisfied(key);
  const selector = usableSelector(flavour, object);
  if (selector === undefined) return;

  const pods = ownedAndOrphaned(context.cache(Pods), object, flavour.kind);
  const active = await claimActive(context, flavour, object, { selector, pods });
  const terminating = flavour.countsTerminating
    ? pods.filter((pod) => isPodTerminating(pod) && isClaimed(pod, object, selector))
    : undefined;

  const failure = await scaleIfFree(context, flavour, object, { satisfied, active });
  // One time for the status and for the wait that follows from it.
  const now = context.now();
  const status = calculateStatus(object, { active, terminating, failure, now });
  const updated = await writeStatus(context, flavour, object, status);
  consistency.wrote({ key, uid: object.metadata.uid }, flavour.kind, updated.metadata.resourceVersion);
  if (failure !== undefined) throw failure;
  comeAgainForAvailability(context, updated, { active, evaluatedAt: now });
}

function claimActive<T extends Replicated>(
  context: SyncContext,
  flavour: Flavour<T>,
  object: T,
  { selector, pods }: { readonly selector: Selector; readonly pods: readonly Pod[] },
): Promise<Pod[]> {
  return claim<T, Pod>(context, pods.filter(isPodActive), {
    owner: object,
    ownerKind: flavour.kind,
    kind: Pods,
    selector,
    onWrite(pod) {
      // Owed to whoever controls the pod now: a pod that was released is nobody's.
      const controller = controllerOf(pod);
      if (controller === undefined) return;
      const writer = { key: objectKey(pod.metadata.namespace, controller.name), uid: controller.uid };
      consistencyOf(context, flavour).wrote(writer, Pods, pod.metadata.resourceVersion);
    },
  });
}

function isClaimed(pod: Pod, object: Replicated, selector: Selector): boolean {
  return controllerOf(pod)?.uid === object.metadata.uid && matches(selector, pod.metadata.labels);
}

/** Creates or deletes pods unless the cache is known to be behind, or the object is going. Answers the error instead of throwing it. */
async function scaleIfFree<T extends Replicated>(
  context: SyncContext,
  flavour: Flavour<T>,
  object: T,
  { satisfied, active }: { readonly satisfied: boolean; readonly active: readonly Pod[] },
): Promise<Error | undefined> {
  const counts = { desired: desiredReplicas(object), active: active.length };
  if (!satisfied) {
    const expected = context.expectations.of(keyOf(object));
    const creations = Math.max(0, expected?.creations ?? 0);
    context.decide(wait, { ...counts, creations, deletions: expected?.deletions.size ?? 0 });
    return undefined;
  }
  if (object.metadata.deletionTimestamp !== undefined) {
    context.decide(beingDeleted, counts);
    return undefined;
  }
  try {
    await scale(context, flavour, object, active);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error), { cause: error });
  }
}

function comeAgainForAvailability(
  context: SyncContext,
  object: Replicated,
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
