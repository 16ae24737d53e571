/**
 * The ControllerRevisions of an owner: reads and changes the history of its templates.
 * Source: kubernetes v1.36 pkg/controller/history/controller_history.go.
 */
import { compareAsGo } from "../../../api/go-json.ts";
import { apiVersionOf, type Kind } from "../../../api/kind.ts";
import { ControllerRevisions } from "../../../api/kinds.ts";
import { matches, type Selector } from "../../../api/labels.ts";
import { namespacedNameOf } from "../../../api/key.ts";
import type { CreateInput, StoredObject } from "../../../api/object.ts";
import { controllerOf, controllerReference } from "../../../api/owner-references.ts";
import { isAlreadyExists } from "../../../api/status-error.ts";
import type { ControllerRevision } from "../../../api/types.ts";
import { type Watch, watch } from "../../api/definition.ts";
import { controllerIndex, indexByController, ownedAndOrphaned } from "../../api/owned.ts";
import { conflictBackoff, retryOnConflict } from "../../api/retry-on-conflict.ts";
import type { Decision } from "../../api/rule.ts";
import type { SyncContext } from "../../api/sync-context.ts";
import { adopt, adoptionPatch, ensureOwnerLives } from "../ref-manager.ts";
import { isSameRevision, type RevisionData } from "./data.ts";
import { revisionHash, revisionHashLabel, revisionName } from "./name.ts";
import { newRevision, reusedRevision, revisionCollision, truncateHistory } from "./rules.ts";

/** The revisions of one owner, in one sync. */
export interface RevisionHistory<O extends StoredObject> {
  readonly context: SyncContext;
  readonly owner: O;
  readonly ownerKind: Kind<O>;
  /** The owner's pod selector, which also selects its revisions. */
  readonly selector: Selector;
}

/** A watch of revisions, which only caches them and enqueues nothing. */
export function watchRevisions(): Watch {
  return watch<ControllerRevision>({
    kind: ControllerRevisions,
    owned: true,
    indexes: { [controllerIndex]: indexByController },
    on: () => undefined,
  });
}

/** The revisions of the owner, and orphans that its selector matches, the lowest first. */
export function revisionsOf<O extends StoredObject>(history: RevisionHistory<O>): ControllerRevision[] {
  const { context, owner, ownerKind, selector } = history;
  return ownedAndOrphaned(context.cache(ControllerRevisions), owner, ownerKind)
    .filter(({ metadata }) => matches(selector, metadata.labels))
    .sort(byRevision);
}

function byRevision(a: ControllerRevision, b: ControllerRevision): number {
  if (a.revision !== b.revision) return a.revision - b.revision;
  const [made, madeToo] = [a.metadata.creationTimestamp, b.metadata.creationTimestamp];
  // The times have the same format, so they can be compared as text.
  return made === madeToo ? compareAsGo(a.metadata.name, b.metadata.name) : made < madeToo ? -1 : 1;
}

/** The next revision number: one more than the highest, or 1. */
export function nextRevisionOf(sorted: readonly ControllerRevision[]): number {
  return (sorted.at(-1)?.revision ?? 0) + 1;
}

/**
 * Adopts orphaned revisions that the owner's selector matches.
 * @throws Error if a live read shows that the owner no longer exists or is being deleted; the refusal of a patch.
 */
export async function adoptOrphanRevisions<O extends StoredObject>(history: RevisionHistory<O>): Promise<void> {
  const { context, owner, ownerKind } = history;
  const orphans = revisionsOf(history).filter((revision) => controllerOf(revision) === undefined);
  if (orphans.length === 0) return;
  await ensureOwnerLives(context, history);
  for (const orphan of orphans) {
    const because = context.decide(adopt, { kind: ControllerRevisions.kind, name: orphan.metadata.name });
    const body = adoptionPatch(orphan, controllerReference(ownerKind, owner));
    await context.client.patch(
      ControllerRevisions,
      namespacedNameOf(orphan),
      { type: "strategic", body },
      { because, basedOn: orphan, signal: context.signal },
    );
  }
}

/** A revision to create. */
export interface RevisionToCreate {
  readonly data: RevisionData;
  readonly revision: number;
  /** The labels of the template. */
  readonly labels: Readonly<Record<string, string>> | undefined;
  /** The annotations of the owner. */
  readonly annotations: Readonly<Record<string, string>> | undefined;
  readonly collisionCount: number;
  /** Paths at which the template differs from that of the latest revision. */
  readonly changed: readonly string[];
}

/** The request body for a revision, without empty annotations. */
export function revisionObject<O extends StoredObject>(
  { owner, ownerKind }: Pick<RevisionHistory<O>, "owner" | "ownerKind">,
  wanted: Pick<RevisionToCreate, "data" | "revision" | "labels" | "annotations"> & { readonly name: string },
): CreateInput<ControllerRevision> {
  const { name, labels, annotations = {}, data, revision } = wanted;
  const metadata = {
    name,
    namespace: owner.metadata.namespace ?? "",
    ...(labels !== undefined && { labels }),
    ...(Object.keys(annotations).length > 0 && { annotations }),
    ownerReferences: [controllerReference(ownerKind, owner)],
  };
  return { apiVersion: apiVersionOf(ControllerRevisions), kind: ControllerRevisions.kind, metadata, data, revision };
}

/** The result of `createRevision`. */
export interface CreatedRevision {
  readonly revision: ControllerRevision;
  /** The previous count plus the collisions encountered. */
  readonly collisionCount: number;
}

/**
 * Creates a revision, named after the hash of its data. If a revision of that name exists with the same data, the cache was stale and that
 * one is used. If it has other data, the collision is counted and the next name is tried.
 * @throws the refusal of the create.
 */
export async function createRevision<O extends StoredObject>(
  { context, owner, ownerKind }: RevisionHistory<O>,
  wanted: RevisionToCreate,
): Promise<CreatedRevision> {
  const { data, revision, changed } = wanted;
  const { name: ownerName, namespace = "" } = owner.metadata;
  // The label keeps the hash of the first attempt.
  const labels = { ...wanted.labels, [revisionHashLabel]: revisionHash(data, wanted.collisionCount) };
  for (let { collisionCount } = wanted; ; collisionCount++) {
    const name = revisionName(ownerName, revisionHash(data, collisionCount));
    const because = context.decide(newRevision, { name, revision, changed });
    const object = revisionObject({ owner, ownerKind }, { ...wanted, name, labels });
    try {
      const created = await context.client.create(ControllerRevisions, object, { because, signal: context.signal });
      return { revision: created, collisionCount };
    } catch (error) {
      if (!isAlreadyExists(error)) throw error;
    }
    const existing = await context.client.get(ControllerRevisions, { namespace, name }, { signal: context.signal });
    if (isSameRevision(existing, { data })) return { revision: existing, collisionCount };
    context.decide(revisionCollision, { name, after: collisionCount + 1 });
  }
}

/**
 * Makes an earlier revision the latest one; retries on conflicts with the cached object.
 * @returns the revision with its new number.
 * @throws the refusal of the update.
 */
export async function reuseRevision(
  context: SyncContext,
  { existing, revision }: { readonly existing: ControllerRevision; readonly revision: number },
): Promise<ControllerRevision> {
  const because = context.decide(reusedRevision, { name: existing.metadata.name, before: existing.revision, revision });
  let latest = existing;
  const write = async (): Promise<ControllerRevision> => {
    const changed = { ...latest, revision };
    if (latest.revision === revision) return changed;
    try {
      await context.client.update(ControllerRevisions, changed, { because, basedOn: latest, signal: context.signal });
      return changed;
    } catch (error) {
      const { namespace = "", name } = existing.metadata;
      latest = context.cache(ControllerRevisions).getNamespaced(namespace, name) ?? latest;
      throw error;
    }
  };
  return retryOnConflict(write, { context, backoff: conflictBackoff });
}

/** Options of `truncateRevisions`. */
export interface Truncation {
  /** The lowest first. */
  readonly revisions: readonly ControllerRevision[];
  /** The names of the revisions in use. */
  readonly live: ReadonlySet<string>;
  /** How many of the others to keep; negative to keep all. */
  readonly limit: number;
}

/** Deletes the lowest unused revisions beyond the limit. @throws the first refusal */
export async function truncateRevisions(context: SyncContext, truncation: Truncation): Promise<void> {
  const { revisions, live, limit } = truncation;
  const historic = revisions.filter(({ metadata }) => !live.has(metadata.name));
  if (limit < 0 || historic.length <= limit) return;
  const excess = historic.slice(0, historic.length - limit);
  const names = excess.map(({ metadata }) => metadata.name);
  const because = context.decide(truncateHistory, { names, limit, historic: historic.length });
  await deleteRevisions(context, { revisions: excess, because });
}

/** Deletes revisions, one after the other. @throws the first refusal */
export async function deleteRevisions(
  context: SyncContext,
  { revisions, because }: { readonly revisions: readonly ControllerRevision[]; readonly because: Decision },
): Promise<void> {
  for (const revision of revisions) {
    const options = { because, basedOn: revision, metadataSuffices: true, signal: context.signal } as const;
    await context.client.delete(ControllerRevisions, namespacedNameOf(revision), options);
  }
}
