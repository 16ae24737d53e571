/**
 * Finalizers that protect storage objects while they are in use. Admission sets them on new objects; controllers add them where they are
 * missing, and remove them from unused objects that are being deleted.
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

/** Whether the object is being deleted and still has the finalizer. */
export function isDeletionCandidate({ metadata }: StoredObject, finalizer: string): boolean {
  return metadata.deletionTimestamp !== undefined && metadata.finalizers?.includes(finalizer) === true;
}

/** Whether the finalizer of the object may have to be added or removed. */
export function concernsProtection(object: StoredObject, finalizer: string): boolean {
  return lacksFinalizer(object, finalizer) || isDeletionCandidate(object, finalizer);
}

/** The facts of a rule about a finalizer. */
export interface FinalizerFacts extends Facts {
  readonly finalizer: string;
}

/** The protection of the objects of one kind. */
export interface Protection<T extends StoredObject> {
  readonly kind: Kind<T>;
  readonly finalizer: string;
  /** The rule for an object without the finalizer. */
  readonly unprotected: Rule<FinalizerFacts>;
  /** The rule for an unused object that is being deleted. */
  readonly unused: Rule<FinalizerFacts>;
  /** Whether the object, which is being deleted, is in use. If so, it makes a decision by its own rule. */
  readonly isUsed: (context: SyncContext, object: T) => boolean | Promise<boolean>;
}

/** Creates the rule for an object without the finalizer. `noun` as in `A claim that`; `source` is the upstream file. */
export function unprotectedRule(
  noun: string,
  { finalizer, source }: { readonly finalizer: string; readonly source: string },
): Rule<FinalizerFacts> {
  return rule<FinalizerFacts>({
    id: "unprotected",
    looksAt: ["metadata.finalizers", "metadata.deletionTimestamp"],
    chooses: `A ${noun} that is not being deleted gets the finalizer if it lacks it. Admission adds it to new ${pluralOf(noun)}; older ones may lack it.`,
    sentence: ({ finalizer: name }) => `it lacks the finalizer ${name} → add it`,
    example: { finalizer },
    source: `${source} addFinalizer`,
  });
}

const pluralOf = (noun: string): string => (noun.endsWith("s") ? `${noun}es` : `${noun}s`);

/** A watch that enqueues objects whose finalizer may have to be added or removed. */
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
 * Syncs one object: adds the finalizer if it is missing, and removes it if the object is being deleted and not in use.
 * @throws the refusal of a write, such as a conflict; the error of `isUsed`.
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
  /** The cached object. The write is refused if it has changed since. */
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
