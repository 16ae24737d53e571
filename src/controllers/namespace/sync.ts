/**
 * One sync of a Namespace. Source: kubernetes v1.36 pkg/controller/namespace/deletion/namespaced_resources_deleter.go
 * Delete.
 */
import { type ObjectKey, splitKey } from "../../api/key.ts";
import { Namespaces } from "../../api/kinds.ts";
import { isConflict, isNotFound } from "../../api/status-error.ts";
import { formatTime, parseTime } from "../../api/time.ts";
import type { Namespace } from "../../api/types.ts";
import type { Decision } from "../../controller/api/rule.ts";
import type { SyncContext, SyncResult } from "../../controller/api/sync-context.ts";
import { nextConditions } from "./conditions.ts";
import { deleteAllContent, lookAgainAfter } from "./content.ts";
import type { Outcome } from "./outcome.ts";
import { conditions as conditionsRule, finalize, finalized, notDeleted, terminate } from "./rules.ts";

/** Removed when the namespace is empty. */
const ownFinalizer = "kubernetes";

/**
 * Empties a namespace that is being deleted, reports in its conditions what is left, and finalizes it when nothing is.
 * @throws whatever kept kinds from being discovered or emptied, once the rest is done.
 */
export async function syncNamespace(key: ObjectKey, context: SyncContext): Promise<SyncResult | void> {
  if (context.cache(Namespaces).get(key) === undefined) return;
  try {
    return await empty(splitKey(key).name, context);
  } catch (error) {
    if (error instanceof NamespaceGone) return;
    throw error;
  }
}

async function empty(name: string, context: SyncContext): Promise<SyncResult | void> {
  let namespace = await read(context, name);
  if (namespace.metadata.deletionTimestamp === undefined) {
    context.decide(notDeleted, {});
    return;
  }
  namespace = await markTerminating(context, namespace);
  const { deletionTimestamp } = namespace.metadata;
  if (deletionTimestamp === undefined) return;
  if ((namespace.spec?.finalizers ?? []).length === 0) {
    context.decide(finalized, { finalizers: namespace.metadata.finalizers ?? [] });
    return;
  }
  const outcome = await deleteAllContent(context, { namespace: name, deletedAt: parseTime(deletionTimestamp) });
  await writeConditions(context, namespace, outcome);
  if (outcome.errors.length > 0) throw asOne(outcome.errors);
  const { estimateSeconds } = outcome;
  if (estimateSeconds > 0) return { requeueAfterMs: lookAgainAfter(estimateSeconds) * 1000, keepsFailures: true };
  await finalizeNamespace(context, namespace);
}

/** The namespace no longer exists: another controller has finished the work. */
class NamespaceGone extends Error {
  override readonly name = "NamespaceGone";
}

async function unlessGone<T>(request: Promise<T>): Promise<T> {
  try {
    return await request;
  } catch (error) {
    if (isNotFound(error)) throw new NamespaceGone("the namespace is gone", { cause: error });
    throw error;
  }
}

function read({ client, signal }: SyncContext, name: string): Promise<Namespace> {
  return unlessGone(client.get(Namespaces, { namespace: "", name }, { signal }));
}

/** Usually the API server has set the phase with the deletion. */
async function markTerminating(context: SyncContext, namespace: Namespace): Promise<Namespace> {
  const needed = ({ metadata, status }: Namespace): boolean =>
    metadata.deletionTimestamp !== undefined && status?.phase !== "Terminating";
  if (!needed(namespace)) return namespace;
  const because = context.decide(terminate, { phase: namespace.status?.phase ?? "" });
  return writeLatest(context, namespace, async (latest) =>
    needed(latest) ? writeStatus(context, latest, { phase: "Terminating" }, because) : latest,
  );
}

function writeStatus(
  { client, signal }: SyncContext,
  basedOn: Namespace,
  change: Partial<NonNullable<Namespace["status"]>>,
  because: Decision,
): Promise<Namespace> {
  const namespace = { ...basedOn, status: { ...basedOn.status, ...change } };
  return client.updateStatus(Namespaces, namespace, { because, basedOn, signal });
}

/** A refused write is not retried: the next sync writes the conditions as of then. */
async function writeConditions(context: SyncContext, namespace: Namespace, outcome: Outcome): Promise<void> {
  const before = namespace.status?.conditions ?? [];
  const { conditions, changes } = nextConditions(before, outcome, formatTime(context.now()));
  if (changes.length === 0) return;
  const because = context.decide(conditionsRule, { changes });
  try {
    await writeStatus(context, namespace, { conditions }, because);
  } catch {
    context.signal.throwIfAborted();
  }
}

/** Writing the conditions has made the version known here stale: after the conflict the namespace is read again. */
async function finalizeNamespace(context: SyncContext, namespace: Namespace): Promise<void> {
  const others = (of: Namespace): string[] => {
    return [...new Set(of.spec?.finalizers ?? [])].filter((finalizer) => finalizer !== ownFinalizer).sort();
  };
  const because = context.decide(finalize, { others: others(namespace) });
  await writeLatest(context, namespace, async (latest) => {
    const { status: _status, ...rest } = latest;
    const emptied = { ...rest, spec: { ...latest.spec, finalizers: others(latest) } };
    const options = { because, basedOn: latest, signal: context.signal, subresource: "finalize" };
    return context.client.update(Namespaces, emptied, options);
  });
}

/**
 * Calls `write` with the namespace and, after each conflict, with the version that the API server then has, without limit: unlike
 * `retryOnConflict`, whose caches would have to catch up first.
 *
 * @throws NamespaceGone; Error if a namespace with another uid has replaced it; any refusal except a conflict.
 * Source: namespaced_resources_deleter.go retryOnConflictError.
 */
async function writeLatest(
  context: SyncContext,
  namespace: Namespace,
  write: (latest: Namespace) => Promise<Namespace>,
): Promise<Namespace> {
  let latest = namespace;
  for (;;) {
    try {
      return await unlessGone(write(latest));
    } catch (error) {
      if (!isConflict(error)) throw error;
    }
    context.signal.throwIfAborted();
    latest = await read(context, latest.metadata.name);
    if (latest.metadata.uid !== namespace.metadata.uid) throw new Error("namespace uid has changed across retries");
  }
}

/** Aggregates errors, each message once. Source: apimachinery v0.36 util/errors. */
function asOne(errors: readonly Error[]): Error {
  const [first] = errors;
  if (errors.length === 1 && first !== undefined) return first;
  const messages = [...new Set(errors.map(({ message }) => message))];
  return new Error(messages.length === 1 ? messages[0] : `[${messages.join(", ")}]`, { cause: errors });
}
