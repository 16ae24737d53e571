import { Pods, StatefulSets } from "../../api/kinds.ts";
import type { ControllerRevision, Pod, StatefulSet } from "../../api/types.ts";
import { ownedAndOrphaned } from "../../controller/api/owned.ts";
import type { SyncContext } from "../../controller/api/sync-context.ts";
import { combinedError } from "../../controller/workload/combined-error.ts";
import { withRevision } from "../../controller/workload/controller-revision/data.ts";
import {
  adoptOrphanRevisions,
  type RevisionHistory,
  revisionsOf,
  truncateRevisions,
} from "../../controller/workload/controller-revision/history.ts";
import { nextAvailability } from "../../controller/workload/pod-status.ts";
import { podWritten } from "../../controller/workload/pod-control.ts";
import { claim } from "../../controller/workload/ref-manager.ts";
import { managePods } from "./carry-out.ts";
import { isMemberOf, revisionOf } from "./identity.ts";
import { membersOf } from "./members.ts";
import type { PlanInput } from "./plan.ts";
import { currentRevisions, type FoundRevisions } from "./revisions.ts";
import { availability, beingDeleted } from "./rules.ts";
import { cachedClaim } from "./set-sync.ts";
import { minReadySeconds, parseSelector } from "./spec.ts";
import { countPods, type PodCounts, statusOf, type StatefulSetStatus } from "./status.ts";
import { writeStatus } from "./write-status.ts";

/**
 * Brings the pods of one StatefulSet closer to its spec, and its status up to date with the pods found at the start: pods created or
 * deleted here count in the status of a later sync.
 *
 * Source: kubernetes v1.36 pkg/controller/statefulset/stateful_set.go sync, syncStatefulSet.
 */
export async function syncStatefulSet(context: SyncContext): Promise<void> {
  const { key, consistency } = context;
  consistency.ensureReady(key);
  const set = context.cache(StatefulSets).get(key);
  if (set === undefined) {
    consistency.forget(key);
    return;
  }
  const selector = parseSelector(set);
  if (selector === undefined) return;
  const history = { context, owner: set, ownerKind: StatefulSets, selector };
  await adoptOrphanRevisions(history);
  const pods = await claimPods(history);
  // The same time for the status and for the requeue that follows from it.
  const seen = { pods, now: context.now() };
  const status = await updateStatefulSet(history, seen);
  requeueForAvailability(history, { ...seen, status });
}

type History = RevisionHistory<StatefulSet>;

function claimPods({ context, owner: set, selector }: History): Promise<Pod[]> {
  return claim<StatefulSet, Pod>(context, ownedAndOrphaned(context.cache(Pods), set, StatefulSets), {
    owner: set,
    ownerKind: StatefulSets,
    kind: Pods,
    selector,
    isMember: (pod) => isMemberOf(set, pod),
    onWrite: (pod) => podWritten(context.consistency, pod),
  });
}

interface SeenPods {
  /** The pods of the set. */
  readonly pods: readonly Pod[];
  /** Milliseconds since 1970. */
  readonly now: number;
}

/**
 * Finds the revisions, acts on the pods, writes the status and truncates the history, the last even if an earlier step failed.
 * @returns the status as it should be. @throws the errors, several as one.
 */
async function updateStatefulSet(history: History, seen: SeenPods): Promise<StatefulSetStatus | undefined> {
  const revisions = revisionsOf(history);
  const errors: unknown[] = [];
  let found: FoundRevisions | undefined;
  let status: StatefulSetStatus | undefined;
  try {
    found = await currentRevisions(history, revisions);
    status = await updatePodsAndStatus(history, { ...seen, revisions: found });
  } catch (error) {
    errors.push(error);
  }
  try {
    await shortenHistory(history, { revisions, found, pods: seen.pods });
  } catch (error) {
    errors.push(error);
  }
  if (errors.length > 0) throw combinedError(errors);
  return status;
}

/** The status is written even if creating or deleting pods fails; then that failure is thrown. */
async function updatePodsAndStatus(
  { context, owner: set }: History,
  { pods, now, revisions }: SeenPods & { readonly revisions: FoundRevisions },
): Promise<StatefulSetStatus> {
  const sets = { currentSet: withRevision(set, revisions.current), updateSet: withRevision(set, revisions.update) };
  const members = membersOf(set, { pods, revisions, now });
  const { time } = members;
  const sync = { context, set, ...sets, revisions };
  if (set.metadata.deletionTimestamp !== undefined) {
    context.decide(beingDeleted, { pods: pods.length });
    const status = statusOf(set, { counts: countPods(pods, { ...revisions, time }), revisions });
    await writeStatus(sync, status);
    return status;
  }
  // As they were before this sync; pods without an ordinal do not count.
  const placed = [...members.replicas, ...members.condemned].flatMap(({ pod }) => (pod === undefined ? [] : [pod]));
  const counts = countPods(placed, { ...revisions, time });
  const updateRevision = revisions.update.metadata.name;
  const input: PlanInput = { set, members, updateRevision, claim: (name) => cachedClaim(sync, name) };
  let updates = false;
  let failure: { readonly error: unknown } | undefined;
  try {
    ({ updates } = await managePods({ ...sync, input }));
  } catch (error) {
    failure = { error };
  }
  const status = statusOf(set, { counts: updates ? withoutUpdated(counts) : counts, revisions });
  try {
    await writeStatus(sync, status);
  } catch (error) {
    failure ??= { error };
  }
  if (failure !== undefined) throw failure.error;
  return status;
}

const withoutUpdated = (counts: PodCounts): PodCounts => ({ ...counts, currentReplicas: counts.currentReplicas - 1 });

/** Revisions in use by a pod or the status stay. If the set's revisions could not be determined, only those of the pods do. */
async function shortenHistory(
  { context, owner: set }: History,
  seen: {
    readonly revisions: readonly ControllerRevision[];
    readonly found: FoundRevisions | undefined;
    readonly pods: readonly Pod[];
  },
): Promise<void> {
  const { revisions, found, pods } = seen;
  const inUse = found === undefined ? [] : [found.current.metadata.name, found.update.metadata.name];
  const live = new Set([...inUse, ...pods.map(revisionOf)]);
  await truncateRevisions(context, { revisions, live, limit: set.spec?.revisionHistoryLimit ?? 10 });
}

/** No delta arrives when a ready pod becomes available: the key is requeued for that time. */
function requeueForAvailability(
  { context, owner: set }: History,
  { pods, status, now: evaluatedAt }: SeenPods & { readonly status: StatefulSetStatus | undefined },
): void {
  const seconds = minReadySeconds(set);
  const { readyReplicas: ready = 0, availableReplicas: available = 0 } = status ?? {};
  if (seconds <= 0 || ready === available) return;
  const next = nextAvailability(pods, seconds, { evaluatedAt, now: context.now() });
  const inMs = next?.inMs ?? seconds * 1000;
  const pod = next?.pod.metadata.name;
  const decision = context.decide(availability, { ready, available, inMs, ...(pod !== undefined && { pod }) });
  context.enqueueAfter(inMs, decision.sentence);
}
