import { ReplicaSets } from "../../api/kinds.ts";
import { isNotFound } from "../../api/status-error.ts";
import type { ReplicaSet } from "../../api/types.ts";
import { revisionAnnotation } from "../../controller/workload/revision-history.ts";
import { byRevision, sizeOf } from "./replica-sets.ts";
import type { Rollout } from "./rollout.ts";
import { history } from "./revision-rules.ts";
import { revisionHistoryLimit } from "./strategy.ts";

/**
 * Deletes old ReplicaSets in excess of `spec.revisionHistoryLimit`, lowest revision first. A ReplicaSet that still has
 * pods, or whose last change its controller has not observed yet, is kept and stays in excess of the limit.
 *
 * @throws the first refusal; NotFound is ignored.
 * Source: kubernetes v1.36 pkg/controller/deployment/sync.go cleanupDeployment.
 */
export async function cleanupDeployment({ context, deployment }: Rollout, old: readonly ReplicaSet[]): Promise<void> {
  const limit = revisionHistoryLimit(deployment);
  if (limit === undefined) return;
  const kept = old.filter(({ metadata }) => metadata.deletionTimestamp === undefined).sort(byRevision);
  for (const replicaSet of kept.slice(0, Math.max(kept.length - limit, 0))) {
    if (!isEmpty(replicaSet)) continue;
    const { namespace = "", name, annotations } = replicaSet.metadata;
    const because = context.decide(history, {
      replicaSet: name,
      revision: annotations?.[revisionAnnotation],
      old: kept.length,
      limit,
    });
    try {
      const options = { because, basedOn: replicaSet, signal: context.signal };
      await context.client.delete(ReplicaSets, { namespace, name }, options);
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
  }
}

function isEmpty(replicaSet: ReplicaSet): boolean {
  const { metadata, status } = replicaSet;
  const isObserved = (metadata.generation ?? 0) <= (status?.observedGeneration ?? 0);
  return isObserved && sizeOf(replicaSet) === 0 && (status?.replicas ?? 0) === 0;
}
