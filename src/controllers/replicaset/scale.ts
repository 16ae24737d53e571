/**
 * Creating and deleting pods.
 * Source: kubernetes v1.36 pkg/controller/replicaset/replica_set.go manageReplicas.
 */
import { keyOf } from "../../api/key.ts";
import { Pods } from "../../api/kind.ts";
import { isNamespaceTerminating, isNotFound } from "../../api/status-error.ts";
import type { Pod } from "../../api/types.ts";
import { createPod, deletePod, podFromTemplate } from "../../controller/workload/pod-control.ts";
import { podsToDelete } from "../../controller/workload/pod-ranking.ts";
import { slowStart } from "../../controller/workload/slow-start.ts";
import type { SyncContext } from "../../controller/api/sync-context.ts";
import { planReplicas } from "./plan.ts";
import { relatedPods } from "./related.ts";
import { consistencyOf, desiredReplicas, type Flavour, type Replicated } from "./replicated.ts";
import { scaleDown, scaleUp, steady } from "./rules.ts";

const namedInFacts = 8;

/**
 * Creates the pods that are missing or deletes those in excess.
 * @throws the first error; the other writes that were started have been answered by then.
 */
export async function scale<T extends Replicated>(
  context: SyncContext,
  flavour: Flavour<T>,
  object: T,
  active: readonly Pod[],
): Promise<void> {
  const counts = { desired: desiredReplicas(object), active: active.length };
  const plan = planReplicas(counts.desired, counts.active);
  switch (plan.do) {
    case "nothing":
      context.decide(steady, counts);
      return;
    case "create":
      return createPods(context, flavour, object, { ...counts, create: plan.count });
    case "delete":
      return deletePods(context, flavour, object, active, plan.count);
  }
}

async function createPods<T extends Replicated>(
  context: SyncContext,
  flavour: Flavour<T>,
  object: T,
  facts: { readonly desired: number; readonly active: number; readonly create: number },
): Promise<void> {
  const { key, expectations } = context;
  const owner = { kind: flavour.kind, object };
  const because = context.decide(scaleUp, facts);
  // Before the first request, since the pod may be seen before its answer comes.
  expectations.expectCreations(key, facts.create);
  const pod = podFromTemplate(object.spec?.template, owner);
  const { successes, failed, error } = await slowStart(facts.create, 1, async () => {
    try {
      const created = await createPod(context, pod, { owner, because });
      const { resourceVersion } = created.metadata;
      consistencyOf(context, flavour).wrote({ key, uid: object.metadata.uid }, Pods, resourceVersion);
    } catch (error) {
      // Nothing can be created in a namespace that is being deleted, and nothing needs to be: it counts as done.
      if (!isNamespaceTerminating(error)) throw error;
    }
  });
  // Those that failed and those never tried will not be seen.
  for (let unseen = facts.create - successes; unseen > 0; unseen--) expectations.creationObserved(key);
  if (failed) throw error;
}

async function deletePods<T extends Replicated>(
  context: SyncContext,
  flavour: Flavour<T>,
  object: T,
  active: readonly Pod[],
  count: number,
): Promise<void> {
  const { key, expectations } = context;
  const owner = { kind: flavour.kind, object };
  const related = flavour.ranksWithRelated ? relatedPods(context, flavour, object) : [];
  const { pods, by } = podsToDelete(active, count, { related, now: context.now() });
  const because = context.decide(scaleDown, {
    desired: desiredReplicas(object),
    active: active.length,
    delete: count,
    by,
    chosen: pods.slice(0, namedInFacts).map((pod) => pod.metadata.name),
  });
  expectations.expectDeletions(key, pods.map(keyOf));
  let failure: { readonly error: unknown } | undefined;
  const remove = async (pod: Pod): Promise<void> => {
    try {
      await deletePod(context, pod, { owner, because });
    } catch (error) {
      // This deletion will not be seen.
      expectations.deletionObserved(key, keyOf(pod));
      if (!isNotFound(error)) failure ??= { error };
    }
  };
  await Promise.all(pods.map(remove));
  if (failure !== undefined) throw failure.error;
}
