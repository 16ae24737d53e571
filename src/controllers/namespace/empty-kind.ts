/**
 * Empties one kind in a namespace. Source: kubernetes v1.36
 * pkg/controller/namespace/deletion/namespaced_resources_deleter.go.
 */
import { Pods } from "../../api/kinds.ts";
import type { StoredObject } from "../../api/object.ts";
import { isMethodNotSupported, isNotFound } from "../../api/status-error.ts";
import type { DiscoveredKind } from "../../client/api/discovery.ts";
import type { Decision } from "../../controller/api/rule.ts";
import type { SyncContext } from "../../controller/api/sync-context.ts";

/** The result of emptying one kind. */
export interface Emptied {
  /** How long deleting the rest may take; 0 if unknown, or if nothing is left. */
  readonly estimateSeconds: number;
  readonly remaining: number;
  /** How many of the remaining objects have each finalizer. */
  readonly finalizers: ReadonlyMap<string, number>;
  readonly error?: Error;
}

/** The namespace to be emptied. */
export interface Place {
  readonly namespace: string;
  /** When the namespace was deleted, in ms since 1970. */
  readonly deletedAt: number;
}

/** The estimate for objects with finalizers, if there is no other. */
const finalizerSeconds = 15;
const none: ReadonlyMap<string, number> = new Map();

/**
 * Deletes all objects of a kind and counts what is left. A failure is part of the result; it throws only the signal's
 * reason.
 */
export async function emptyKind(
  context: SyncContext,
  kind: DiscoveredKind,
  place: Place,
  because: Decision,
): Promise<Emptied> {
  let estimateSeconds = 0;
  try {
    if (isPods(kind)) estimateSeconds = await graceLeft(context, place);
    await deleteAll(context, kind, place.namespace, because);
    return countRemaining(kind, place, estimateSeconds, await listed(context, kind, place.namespace));
  } catch (error) {
    context.signal.throwIfAborted();
    return { estimateSeconds, remaining: 0, finalizers: none, error: asError(error) };
  }
}

/** Whether it is the kind Pod, which is deleted first. */
export function isPods({ group, version, plural }: DiscoveredKind): boolean {
  return group === Pods.group && version === Pods.version && plural === Pods.plural;
}

/** The longest grace period, in seconds, of the pods that are not terminal; 0 once that time has passed since the deletion. */
async function graceLeft(context: SyncContext, { namespace, deletedAt }: Place): Promise<number> {
  const { items } = await context.client.list(Pods, { namespace, signal: context.signal });
  const running = items.filter(({ status }) => status?.phase !== "Succeeded" && status?.phase !== "Failed");
  const longest = Math.max(0, ...running.map(({ spec }) => spec?.terminationGracePeriodSeconds ?? 0));
  return context.now() - deletedAt >= longest * 1000 ? 0 : longest;
}

/** As a collection, or one by one if the server does not support that; in the background, so that nothing is orphaned. */
async function deleteAll(
  context: SyncContext,
  kind: DiscoveredKind,
  namespace: string,
  because: Decision,
): Promise<void> {
  const { client, signal } = context;
  const options = { propagationPolicy: "Background", because, signal } as const;
  if (kind.verbs.includes("deletecollection")) {
    const deletion = client.deleteCollection(kind, { ...options, namespace });
    if ((await unlessUnserved(deletion.then(() => true))) === true) return;
  }
  for (const { metadata } of (await listed(context, kind, namespace)) ?? []) {
    await unlessUnserved(client.delete(kind, { namespace, name: metadata.name }, options));
  }
}

/** The remaining objects; undefined if the kind cannot be listed or is no longer served. */
function listed(
  { client, signal }: SyncContext,
  kind: DiscoveredKind,
  namespace: string,
): Promise<readonly StoredObject[] | undefined> {
  if (!kind.verbs.includes("list")) return Promise.resolve(undefined);
  return unlessUnserved(client.listMetadata(kind, { namespace, signal }).then(({ items }) => items));
}

/** Undefined if the server does not know the path or the verb: the kind may have been removed since discovery. */
async function unlessUnserved<T>(request: Promise<T>): Promise<T | undefined> {
  try {
    return await request;
  } catch (error) {
    if (isNotFound(error) || isMethodNotSupported(error)) return undefined;
    throw error;
  }
}

function countRemaining(
  kind: DiscoveredKind,
  { namespace }: Place,
  estimateSeconds: number,
  left: readonly StoredObject[] | undefined,
): Emptied {
  if (left === undefined) return { estimateSeconds, remaining: 0, finalizers: none };
  if (left.length === 0) return { estimateSeconds: 0, remaining: 0, finalizers: none };
  const finalizers = new Map<string, number>();
  for (const finalizer of left.flatMap(({ metadata }) => metadata.finalizers ?? [])) {
    finalizers.set(finalizer, (finalizers.get(finalizer) ?? 0) + 1);
  }
  const remaining = left.length;
  if (estimateSeconds > 0) return { estimateSeconds, remaining, finalizers };
  if (finalizers.size > 0) return { estimateSeconds: finalizerSeconds, remaining, finalizers };
  const resource = `${kind.group}/${kind.version}, Resource=${kind.plural}`;
  const error = new Error(`unexpected items still remain in namespace: ${namespace} for gvr: ${resource}`);
  return { estimateSeconds: 0, remaining, finalizers, error };
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}
