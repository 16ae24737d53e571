/**
 * The revisions of a StatefulSet: the current one of its pods, and the one of its template.
 * Source: kubernetes v1.36 pkg/controller/statefulset/stateful_set_control.go getStatefulSetRevisions.
 */
import type { ControllerRevision, StatefulSet } from "../../api/types.ts";
import { changedPaths, isSameRevision, revisionData } from "../../controller/workload/controller-revision/data.ts";
import {
  type CreatedRevision,
  createRevision,
  nextRevisionOf,
  reuseRevision,
  type RevisionHistory,
} from "../../controller/workload/controller-revision/history.ts";
import { isRestoredBy } from "./defaulted.ts";
import type { Revisions } from "./members.ts";

/** The two revisions, and the count of hash collisions so far. */
export interface FoundRevisions extends Revisions {
  readonly collisionCount: number;
}

/**
 * Finds the revision of the set's template among its revisions, sorted lowest first; creates it if there is none, and makes an earlier one
 * the latest.
 * @throws the refusal of a write.
 */
export async function currentRevisions(
  history: RevisionHistory<StatefulSet>,
  revisions: readonly ControllerRevision[],
): Promise<FoundRevisions> {
  const { status } = history.owner;
  const { revision: update, collisionCount } = await updateRevision(history, revisions);
  const current = revisions.find(({ metadata }) => metadata.name === status?.currentRevision) ?? update;
  return { current, update, collisionCount };
}

async function updateRevision(
  history: RevisionHistory<StatefulSet>,
  revisions: readonly ControllerRevision[],
): Promise<CreatedRevision> {
  const { context, owner } = history;
  const { spec, status, metadata } = owner;
  const { collisionCount = 0 } = status ?? {};
  const data = revisionData(spec?.template);
  const equal = revisions.findLast((revision) => isSameRevision(revision, { data }));
  const latest = revisions.at(-1);
  if (latest !== undefined && equal !== undefined) {
    // Of several with the same data, the latest wins.
    if (equal === latest) return { revision: latest, collisionCount };
    const reused = { existing: equal, revision: nextRevisionOf(revisions) };
    return { revision: await reuseRevision(context, reused), collisionCount };
  }
  if (latest !== undefined && (await isRestoredBy(owner, latest))) return { revision: latest, collisionCount };
  return createRevision(history, {
    data,
    revision: nextRevisionOf(revisions),
    labels: spec?.template.metadata?.labels,
    annotations: metadata.annotations,
    collisionCount,
    changed: changedPaths(owner, latest),
  });
}
