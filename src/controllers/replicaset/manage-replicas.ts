/**
 * Creating and deleting pods.
 * Source: kubernetes v1.36 pkg/controller/replicaset/replica_set.go manageReplicas.
 */
import { keyOf } from "../../api/key.ts";
import { Pods } from "../../api/kinds.ts";
import { isNamespaceTerminating, isNotFound } from "../../api/status-error.ts";
import type { Pod } from "../../api/types.ts";
import { createPod, deletePod, podFromTemplate } from "../../controller/workload/pod-control.ts";
import { podsToDelete } from "../../controller/workload/pod-ranking.ts";
import { slowStart } from "../../controller/workload/slow-start.ts";
import { planReplicas } from "./plan.ts";
import { relatedPods } from "./related.ts";
import { desiredReplicas, type ReplicaOwner, type ReplicaSync } from "./replica-owner.ts";
import { scaleDown, scaleUp, steady } from "./rules.ts";

const namedInFacts = 8;

/**
 * Creates missing pods or deletes excess ones.
 * @throws the first error; all other requests that were started have completed by then.
 */
export async function manageReplicas<T extends ReplicaOwner>(
  sync: ReplicaSync<T>,
  active: readonly Pod[],
): Promise<void> {
  const counts = { desired: desiredReplicas(sync.object), active: active.length };
  const plan = planReplicas(counts.desired, counts.active);
  switch (plan.do) {
    case "nothing":
      sync.context.decide(steady, counts);
      return;
    case "create":
      return createPods(sync, { ...counts, create: plan.count });
    case "delete":
      return deletePods(sync, active, plan.count);
  }
}

async function createPods<T extends ReplicaOwner>(
  { context, config, object, consistency }: ReplicaSync<T>,
  facts: { readonly desired: number; readonly active: number; readonly create: number },
): Promise<void> {
  const { key, expectations } = context;
  const owner = { kind: config.kind, object };
  const because = context.decide(scaleUp, facts);
  // Before the first request: a watch may show the pod before the response arrives.
  expectations.expectCreations(key, facts.create);
  const pod = podFromTemplate(object.spec?.template, owner);
  // In growing batches, because creations tend to fail all for the same reason: if a quota leaves no room for 500 pods, one request finds
  // out and one Event reports it, instead of 500.
  const { successes, failed, error } = await slowStart(facts.create, 1, async () => {
    try {
      const created = await createPod(context, pod, { owner, because });
      consistency.wrote({ key, uid: object.metadata.uid }, Pods, created.metadata.resourceVersion);
    } catch (error) {
      // A terminating namespace accepts no pods and needs none: the creation counts as done.
      if (!isNamespaceTerminating(error)) throw error;
    }
  });
  // Creations that failed or were never tried will not be observed. A later sync starts again with a batch of one.
  for (let unseen = facts.create - successes; unseen > 0; unseen--) expectations.creationObserved(key);
  if (failed) throw error;
}

async function deletePods<T extends ReplicaOwner>(
  sync: ReplicaSync<T>,
  active: readonly Pod[],
  count: number,
): Promise<void> {
  const { context, config, object } = sync;
  const { key, expectations } = context;
  const owner = { kind: config.kind, object };
  const related = config.ranksWithRelated ? relatedPods(sync) : [];
  const { pods, by } = podsToDelete(active, count, { related, now: context.now() });
  const because = context.decide(scaleDown, {
    desired: desiredReplicas(object),
    active: active.length,
    delete: count,
    by,
    chosen: pods.slice(0, namedInFacts).map((pod) => pod.metadata.name),
  });
  // By name, so that a deletion counts once: first seen as a deletionTimestamp, then as a delete. If the labels of a chosen pod change so
  // that it no longer has this owner, its deletion is not attributed to this key: the key then creates and deletes nothing until the
  // expectations expire, whatever happens to the other pods.
  expectations.expectDeletions(key, pods.map(keyOf));
  let failure: { readonly error: unknown } | undefined;
  const remove = async (pod: Pod): Promise<void> => {
    try {
      await deletePod(context, pod, { owner, because });
    } catch (error) {
      // This deletion will not be observed.
      expectations.deletionObserved(key, keyOf(pod));
      if (!isNotFound(error)) failure ??= { error };
    }
  };
  await Promise.all(pods.map(remove));
  if (failure !== undefined) throw failure.error;
}
