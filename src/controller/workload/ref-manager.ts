/**
 * Determines the objects of an owner: orphans that match its selector are adopted, objects that no longer match are released.
 * Source: kubernetes v1.36 pkg/controller/controller_ref_manager.go; differs: one function for every kind, and every patch
 * names its decision.
 */
import { messageOf } from "../../api/error-message.ts";
import { keyOf, namespacedNameOf } from "../../api/key.ts";
import type { Kind } from "../../api/kind.ts";
import { matches, type Selector } from "../../api/labels.ts";
import type { OwnerReference, StoredObject } from "../../api/object.ts";
import { controllerOf, controllerReference } from "../../api/owner-references.ts";
import { isInvalid, isNotFound } from "../../api/status-error.ts";
import { type Rule, rule } from "../api/rule.ts";
import type { SyncContext } from "../api/sync-context.ts";

interface ClaimFacts extends Readonly<Record<string, unknown>> {
  readonly kind: string;
  readonly name: string;
}

/** The rule for adopting an orphan. */
export const adopt: Rule<ClaimFacts> = rule<ClaimFacts>({
  id: "adopt",
  looksAt: [
    "spec.selector",
    "labels and controller reference of each object in the namespace",
    "the owner, asked live",
  ],
  chooses: "An object that matches the selector and has no controller is adopted, if the owner still exists.",
  sentence: ({ kind, name }) => `${kind} ${name} matches the selector and has no controller → adopt it`,
  example: { kind: "Pod", name: "web-x7k2p" },
  source: "controller_ref_manager.go ClaimObject, AdoptPod",
});

/** The rule for releasing an object that no longer matches. */
export const release: Rule<ClaimFacts> = rule<ClaimFacts>({
  id: "release",
  looksAt: ["spec.selector", "labels of each object that it controls"],
  chooses: "An object that no longer matches the selector loses its controller reference.",
  sentence: ({ kind, name }) => `${kind} ${name} no longer matches the selector → release it`,
  example: { kind: "Pod", name: "web-x7k2p" },
  source: "controller_ref_manager.go ClaimObject, ReleasePod",
});

/** Options of `claim`. */
export interface ClaimOptions<O extends StoredObject, T extends StoredObject> {
  readonly owner: O;
  readonly ownerKind: Kind<O>;
  readonly kind: Kind<T>;
  readonly selector: Selector;
  /** An additional condition for objects that match the selector. Default: none. */
  isMember?(object: T): boolean;
  /** Finalizers to add to adopted objects and to remove from released ones. Default: none. */
  readonly finalizers?: readonly string[];
  /** Called with the object returned by each patch. */
  onWrite?(stored: T): void;
}

/**
 * Adopts and releases objects one by one, and returns those of `objects` that the owner controls now, without objects that no longer exist.
 * An owner that is being deleted keeps its objects, and neither adopts nor releases.
 *
 * Before the first adoption, a live read checks that the owner is not being deleted, which the cache may not show yet: an adopted object
 * would stay orphaned or be deleted with the owner.
 *
 * @throws the error of the patch that failed, or an AggregateError of several, after all objects have been processed.
 */
export async function claim<O extends StoredObject, T extends StoredObject>(
  context: SyncContext,
  objects: readonly T[],
  options: ClaimOptions<O, T>,
): Promise<T[]> {
  const claimed: T[] = [];
  const errors: unknown[] = [];
  let lives: Promise<void> | undefined;
  const ownerLives = (): Promise<void> => (lives ??= ensureOwnerLives(context, options));
  for (const object of objects) {
    try {
      if (await claimOne(context, object, options, ownerLives)) claimed.push(object);
    } catch (error) {
      errors.push(error);
    }
  }
  if (errors.length === 1) throw errors[0];
  if (errors.length > 1) {
    throw new AggregateError(
      errors,
      `Cannot claim ${errors.length} objects: ${[...new Set(errors.map(messageOf))].join(", ")}`,
    );
  }
  return claimed;
}

async function claimOne<O extends StoredObject, T extends StoredObject>(
  context: SyncContext,
  object: T,
  options: ClaimOptions<O, T>,
  ownerLives: () => Promise<void>,
): Promise<boolean> {
  const { owner, selector } = options;
  const ownerIsBeingDeleted = owner.metadata.deletionTimestamp !== undefined;
  const controller = controllerOf(object);
  const isMatch = matches(selector, object.metadata.labels) && options.isMember?.(object) !== false;
  if (controller !== undefined) {
    if (controller.uid !== owner.metadata.uid) return false;
    if (!isMatch && !ownerIsBeingDeleted) await releaseOne(context, object, options);
    return isMatch;
  }
  if (!isMatch || ownerIsBeingDeleted || object.metadata.deletionTimestamp !== undefined) return false;
  const { namespace } = owner.metadata;
  if (namespace !== undefined && namespace !== object.metadata.namespace) return false;
  return adoptOne(context, object, options, ownerLives);
}

/** @returns false if the object no longer exists. */
async function adoptOne<O extends StoredObject, T extends StoredObject>(
  context: SyncContext,
  object: T,
  options: ClaimOptions<O, T>,
  ownerLives: () => Promise<void>,
): Promise<boolean> {
  const { kind, owner, ownerKind, finalizers = [] } = options;
  try {
    await ownerLives();
  } catch (cause) {
    throw new Error(`Cannot adopt ${kind.kind} ${keyOf(object)}: ${messageOf(cause)}`, { cause });
  }
  const because = context.decide(adopt, { kind: kind.kind, name: object.metadata.name });
  const patch = adoptionPatch(object, controllerReference(ownerKind, owner));
  const metadata = { ...patch.metadata, ...(finalizers.length > 0 && { finalizers }) };
  return patchOwner(context, object, options, { because, body: { metadata } });
}

/** A strategic merge patch that adds the controller reference. Its uid makes the server refuse it for another object with the same name. */
export function adoptionPatch(
  object: StoredObject,
  controller: OwnerReference,
): { readonly metadata: { readonly ownerReferences: readonly OwnerReference[]; readonly uid: string } } {
  return { metadata: { ownerReferences: [controller], uid: object.metadata.uid } };
}

async function releaseOne<O extends StoredObject, T extends StoredObject>(
  context: SyncContext,
  object: T,
  options: ClaimOptions<O, T>,
): Promise<void> {
  const { kind, owner, finalizers = [] } = options;
  const because = context.decide(release, { kind: kind.kind, name: object.metadata.name });
  const metadata = {
    uid: object.metadata.uid,
    ownerReferences: [{ $patch: "delete", uid: owner.metadata.uid }],
    ...(finalizers.length > 0 && { "$deleteFromPrimitiveList/finalizers": finalizers }),
  };
  try {
    await patchOwner(context, object, options, { because, body: { metadata } });
  } catch (error) {
    // 422 Invalid: it no longer has owner references, or another object has its name. Either way it is released.
    if (!isInvalid(error)) throw error;
  }
}

/** @returns false if the object no longer exists. */
async function patchOwner<O extends StoredObject, T extends StoredObject>(
  context: SyncContext,
  object: T,
  options: ClaimOptions<O, T>,
  patch: { readonly because: ReturnType<SyncContext["decide"]>; readonly body: unknown },
): Promise<boolean> {
  const { because, body } = patch;
  try {
    const stored = await context.client.patch(
      options.kind,
      namespacedNameOf(object),
      { type: "strategic", body },
      { because, basedOn: object, signal: context.signal },
    );
    options.onWrite?.(stored);
    return true;
  } catch (error) {
    if (isNotFound(error)) return false;
    throw error;
  }
}

/**
 * Checks with a live read that the cached owner still exists and is not being deleted, before it adopts an object.
 * @throws Error if the owner does not exist, has another uid, is being deleted, or could not be read.
 */
export async function ensureOwnerLives<O extends StoredObject>(
  context: SyncContext,
  { owner, ownerKind: kind }: { readonly owner: O; readonly ownerKind: Kind<O> },
): Promise<void> {
  const what = `${kind.kind} ${keyOf(owner)}`;
  let live: O;
  try {
    live = await context.client.get(kind, namespacedNameOf(owner), { signal: context.signal });
  } catch (cause) {
    throw new Error(`cannot ask whether ${what} still lives: ${messageOf(cause)}`, { cause });
  }
  const { uid, deletionTimestamp } = live.metadata;
  if (uid !== owner.metadata.uid) {
    throw new Error(`${what} with uid ${owner.metadata.uid} is gone, its name now belongs to uid ${uid}`);
  }
  if (deletionTimestamp !== undefined) throw new Error(`${what} is being deleted since ${deletionTimestamp}`);
}
