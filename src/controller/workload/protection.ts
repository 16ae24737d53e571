/**
 * Finalizers that keep objects of storage until nothing uses them. Admission sets them on new objects; controllers set them on objects
 * that lack them, and remove them from those that are being deleted and are not used.
 * Source: kubernetes v1.36 pkg/controller/util/protectionutil/utils.go.
 */
import { keyOf } from "../../api/key.ts";
import type { Kind } from "../../api/kind.ts";
import type { StoredObject } from "../../api/object.ts";
import { type Watch, watch } from "../api/definition.ts";
import { type Decision, type Facts, type Rule, rule } from "../api/rule.ts";
import type { SyncContext } from "../api/sync-context.ts";

/** Whether the object lacks the finalizer, and is not being deleted. */
export function lacksFinalizer({ metadata }: StoredObject, finalizer: string): boolean {
  return metadata.deletionTimestamp === undefined && metadata.finalizers?.includes(finalizer) !== true;
}

/** Whether the object is being deleted, and has the finalizer still. */
export function isDeletionCandidate({ metadata }: StoredObject, finalizer: string): boolean {
  return metadata.deletionTimestamp !== undefined && metadata.finalizers?.includes(finalizer) === true;
}

/** Whether a sync has a reason to look at the object. */
export function concernsProtection(object: StoredObject, finalizer: string): boolean {
  return lacksFinalizer(object, finalizer) || isDeletionCandidate(object, finalizer);
}

/** What a rule about a finalizer looked at. */
export interface FinalizerFacts extends Facts {
  readonly finalizer: string;
}

/** How the objects of one kind are protected. */
export interface Protection<T extends StoredObject> {
  readonly kind: Kind<T>;
  readonly finalizer: string;
  /** Decides that an object lacks the finalizer. */
  readonly unprotected: Rule<FinalizerFacts>;
  /** Decides that an object which is being deleted is not used. */
  readonly unused: Rule<FinalizerFacts>;
  /** Whether something uses the object, which is being deleted; decides so by a rule of its own. */
  readonly isUsed: (context: SyncContext, object: T) => boolean | Promise<boolean>;
}

/** The rule by which an object is protected from its deletion; `noun` as in `A claim that`, `source` names the file. */
export function unprotectedRule(
  noun: string,
  { finalizer, source }: { readonly finalizer: string; readonly source: string },
): Rule<FinalizerFacts> {
  return rule<FinalizerFacts>({
    id: "unprotected",
    looksAt: ["metadata.finalizers", "metadata.deletionTimestamp"],
    chooses: `A ${noun} that is not being deleted gets the finalizer if it lacks it. Admission sets it on new ${pluralOf(noun)}; others are older than that, or have lost it.`,
    sentence: ({ finalizer: name }) => `it lacks the finalizer ${name} → add it`,
    example: { finalizer },
    source: `${source} addFinalizer`,
  });
}

const pluralOf = (noun: string): string => (noun.endsWith("s") ? `${noun}es` : `${noun}s`);

/** Objects of the kind are enqueued when a sync has a reason to look at them. */
export function watchProtected<T extends StoredObject>({
  kind,
  finalizer,
}: Pick<Protection<T>, "kind" | "finalizer">): Watch {
  return watch<T>({
    kind,
    on({ type, object }, context) {
      if (type !== "deleted" && concernsProtection(object, finalizer)) context.enqueue(keyOf(object));
    },
  });
}

/**
 * One sync of an object: adds the finalizer if it lacks it, removes it if the object is being deleted and is not used; the last one
 * gone, the object goes.
 * @throws what the API server refuses, a conflict for one; what `isUsed` throws.
 */
export async function syncProtection<T extends StoredObject>(
  context: SyncContext,
  { kind, finalizer, unprotected, unused, isUsed }: Protection<T>,
): Promise<void> {
  const object = context.cache(kind).get(context.key);
  if (object === undefined) return;
  const { finalizers = [] } = object.metadata;
  if (isDeletionCandidate(object, finalizer)) {
    if (await isUsed(context, object)) return;
    const because = context.decide(unused, { finalizer });
    await writeFinalizers(context, {
      kind,
      object,
      because,
      finalizers: finalizers.filter((each) => each !== finalizer),
    });
  } else if (lacksFinalizer(object, finalizer)) {
    const because = context.decide(unprotected, { finalizer });
    await writeFinalizers(context, { kind, object, because, finalizers: [...finalizers, finalizer] });
  }
}

interface FinalizerChange<T extends StoredObject> {
  readonly kind: Kind<T>;
  /** As cached: it is not written if it has changed since. */
  readonly object: T;
  readonly because: Decision;
  readonly finalizers: readonly string[];
}

async function writeFinalizers<T extends StoredObject>(
  context: SyncContext,
  { kind, object, because, finalizers }: FinalizerChange<T>,
): Promise<void> {
  const { finalizers: _before, ...metadata } = object.metadata;
  const next = { ...object, metadata: finalizers.length === 0 ? metadata : { ...metadata, finalizers } };
  await context.client.update(kind, next, { because, basedOn: object, signal: context.signal });
}
