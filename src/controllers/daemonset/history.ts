/**
 * The history of a DaemonSet's template: the revision of the current template, and earlier ones.
 * Source: kubernetes v1.36 pkg/controller/daemon/update.go constructHistory, dedupCurHistories, snapshot, cleanupHistory,
 * controlledHistories; differs: data is compared as JSON, not byte by byte.
 */
import { ControllerRevisions, DaemonSets, Pods } from "../../api/kinds.ts";
import { namespacedNameOf } from "../../api/key.ts";
import { isAlreadyExists } from "../../api/status-error.ts";
import type { ControllerRevision, DaemonSet } from "../../api/types.ts";
import { ownedAndOrphaned } from "../../controller/api/owned.ts";
import {
  changedPaths,
  isSameRevision,
  type RevisionData,
  revisionData,
} from "../../controller/workload/controller-revision/data.ts";
import {
  deleteRevisions,
  nextRevisionOf,
  revisionObject,
} from "../../controller/workload/controller-revision/history.ts";
import { newRevision, reusedRevision, revisionCollision } from "../../controller/workload/controller-revision/rules.ts";
import { podTemplateHash } from "../../controller/workload/pod-template/hash.ts";
import { claim } from "../../controller/workload/ref-manager.ts";
import { claimPods } from "./daemon-pods.ts";
import type { DaemonSync } from "./daemon-sync.ts";
import { cleanUpHistory, deleteDuplicates, labelRevision, relabelPod } from "./history-rules.ts";
import { hashLabel, targetNodeOf } from "./new-pod.ts";

/** The revisions of a set. */
export interface History {
  /** Of the current template: the label of its pods. */
  readonly hash: string;
  /** Revisions of other templates, the lowest first. */
  readonly earlier: readonly ControllerRevision[];
}

/**
 * Finds the revision of the template, creates it if there is none, and makes it the highest one.
 * @throws the refusal of a write; Error if the name is taken, after counting the collision: the next sync picks another name.
 */
export async function constructHistory(sync: DaemonSync): Promise<History> {
  const data = revisionData(sync.set.spec?.template);
  const current: ControllerRevision[] = [];
  const earlier: ControllerRevision[] = [];
  for (const revision of await claimRevisions(sync)) {
    const labelled = await withHashLabel(sync, revision);
    (isSameRevision(labelled, { data }) ? current : earlier).push(labelled);
  }
  const revision = nextRevisionOf(earlier);
  const kept = await withoutDuplicates(sync, current);
  if (kept === undefined) {
    const created = await createRevision(sync, { data, revision, latest: earlier.at(-1) });
    return { hash: hashOf(created), earlier };
  }
  if (kept.revision < revision) {
    const facts = { name: kept.metadata.name, before: kept.revision, revision };
    const because = sync.context.decide(reusedRevision, facts);
    await sync.context.client.update(
      ControllerRevisions,
      { ...kept, revision },
      {
        because,
        basedOn: kept,
        signal: sync.context.signal,
      },
    );
  }
  return { hash: hashOf(kept), earlier };
}

function hashOf({ metadata }: ControllerRevision): string {
  return metadata.labels?.[hashLabel] ?? "";
}

/** Returns the lowest first. */
async function claimRevisions({ context, set, selector }: DaemonSync): Promise<readonly ControllerRevision[]> {
  const revisions = ownedAndOrphaned(context.cache(ControllerRevisions), set, DaemonSets);
  const own = await claim<DaemonSet, ControllerRevision>(context, revisions, {
    owner: set,
    ownerKind: DaemonSets,
    kind: ControllerRevisions,
    selector,
  });
  return own.sort((a, b) => a.revision - b.revision);
}

/** Its name serves as the label as well as its hash would, without recomputing it. */
async function withHashLabel({ context }: DaemonSync, revision: ControllerRevision): Promise<ControllerRevision> {
  const { name, labels } = revision.metadata;
  if (labels?.[hashLabel] !== undefined) return revision;
  const because = context.decide(labelRevision, { name });
  const metadata = { ...revision.metadata, labels: { ...labels, [hashLabel]: name } };
  const options = { because, basedOn: revision, signal: context.signal };
  return context.client.update(ControllerRevisions, { ...revision, metadata }, options);
}

/** The highest of the revisions with the template, after relabelling the pods and deleting the other revisions. */
async function withoutDuplicates(
  sync: DaemonSync,
  current: readonly ControllerRevision[],
): Promise<ControllerRevision | undefined> {
  const { context } = sync;
  const kept = current.at(-1);
  if (kept === undefined || current.length === 1) return kept;
  const hash = hashOf(kept);
  for (const pod of await claimPods(sync)) {
    if (pod.metadata.labels?.[hashLabel] === hash) continue;
    const because = context.decide(relabelPod, { pod: pod.metadata.name, hash });
    const body = { metadata: { labels: { [hashLabel]: hash } } };
    const options = { because, basedOn: pod, signal: context.signal };
    await context.client.patch(Pods, namespacedNameOf(pod), { type: "merge", body }, options);
  }
  const duplicates = current.slice(0, -1);
  const names = duplicates.map(({ metadata }) => metadata.name);
  const because = context.decide(deleteDuplicates, { names, kept: kept.metadata.name });
  await deleteRevisions(context, { revisions: duplicates, because });
  return kept;
}

/** The parts of a revision to be created. */
interface WantedRevision {
  readonly data: RevisionData;
  readonly revision: number;
  readonly latest: ControllerRevision | undefined;
}

async function createRevision(sync: DaemonSync, wanted: WantedRevision): Promise<ControllerRevision> {
  const { context, set } = sync;
  const { spec, status, metadata } = set;
  const { data, revision, latest } = wanted;
  const hash = podTemplateHash(spec?.template, { collisionCount: status?.collisionCount });
  const { namespace = "", annotations } = metadata;
  const name = `${metadata.name}-${hash}`;
  const because = context.decide(newRevision, { name, revision, changed: changedPaths(set, latest) });
  const labels = { ...spec?.template.metadata?.labels, [hashLabel]: hash };
  const body = revisionObject({ owner: set, ownerKind: DaemonSets }, { name, labels, annotations, data, revision });
  try {
    return await context.client.create(ControllerRevisions, body, { because, signal: context.signal });
  } catch (error) {
    if (!isAlreadyExists(error)) throw error;
    const existing = await context.client.get(ControllerRevisions, { namespace, name }, { signal: context.signal });
    if (isSameRevision(existing, { data })) return existing;
    await countCollision(sync, name);
    throw error;
  }
}

/** Counts a name collision with another revision. @throws Error if it is already counted and the cache does not show that yet. */
async function countCollision({ context, set }: DaemonSync, name: string): Promise<void> {
  const live = await context.client.get(DaemonSets, namespacedNameOf(set), { signal: context.signal });
  const [known, counted] = [set.status?.collisionCount, live.status?.collisionCount];
  if (known !== counted) {
    throw new Error(
      `found a stale collision count (${known ?? 0}, expected ${counted ?? 0}) of DaemonSet "${set.metadata.name}" while processing; will retry until it is updated`,
    );
  }
  const collisionCount = (counted ?? 0) + 1;
  const because = context.decide(revisionCollision, { name, after: collisionCount });
  // Read from the server, which always has a status.
  const status = { ...live.status, collisionCount } as NonNullable<DaemonSet["status"]>;
  const options = { because, basedOn: live, signal: context.signal };
  await context.client.updateStatus(DaemonSets, { ...live, status }, options);
}

/** Deletes the lowest earlier revisions that no pod uses, down to the history limit. @throws the first refusal */
export async function cleanUp(sync: DaemonSync, { earlier }: History): Promise<void> {
  const limit = sync.set.spec?.revisionHistoryLimit ?? 10;
  const tooMany = earlier.length - limit;
  if (tooMany <= 0) return;
  const pods = (await claimPods(sync)).filter((pod) => targetNodeOf(pod) !== undefined);
  const live = new Set(pods.map(({ metadata }) => metadata.labels?.[hashLabel] ?? ""));
  const revisions = earlier
    .filter((revision) => !(hashOf(revision) !== "" && live.has(hashOf(revision))))
    .slice(0, tooMany);
  if (revisions.length === 0) return;
  const names = revisions.map(({ metadata }) => metadata.name);
  const because = sync.context.decide(cleanUpHistory, { names, limit, earlier: earlier.length });
  await deleteRevisions(sync.context, { revisions, because });
}
