/**
 * DELETE of an object and of a collection: grace periods, finalizers, propagation.
 * Source: apiserver v0.36 registry/generic/registry/store.go Delete, registry/rest/delete.go.
 */
import { deepEqual } from "../../api/field-changes.ts";
import { isNotFound } from "../../api/status-error.ts";
import { formatTime } from "../../api/time.ts";
import { deletionAdmission, hasAdmissionHooks } from "../admission/admit.ts";
import { admitNamespaceDeletion } from "../admission/namespace-lifecycle.ts";
import { servedEntry } from "../context/conversion.ts";
import type { RequestScope } from "../context/server.ts";
import type { ApiObject, Fields } from "../meta/object.ts";
import { notFound } from "../meta/refusal.ts";
import type { Steps } from "../meta/steps.ts";
import { written } from "../serialization/decode.ts";
import { Entry } from "../storage/entry.ts";
import { type DeleteOptions, fieldsOf } from "./delete-options.ts";
import { beGraceful, markAsDeleting } from "./grace.ts";
import { checkPreconditions } from "./preconditions.ts";
import { setFinalizers } from "./propagation.ts";
import { checkUnmoved, retried } from "./retry.ts";

/** The result of a deletion: the object is gone, or marked for deletion. */
export interface Deleted {
  readonly entry: Entry;
  readonly gone: boolean;
  /** The response is the object, even for kinds that normally respond with a Status. */
  readonly asObject?: true;
}

/** @throws StatusError */
export function* deleteOne(scope: RequestScope, options: DeleteOptions): Steps<Deleted> {
  warnOfOrphans(scope, options);
  admitNamespaceDeletion(scope, scope.name);
  return yield* deleteNamed(scope, { options, name: scope.name });
}

/** A deletion that goes through admission. */
interface AdmittedDeletion {
  readonly options: DeleteOptions;
  /** The name in the request, for admission: `""` if a collection is deleted. */
  readonly name: string;
}

/** @throws StatusError */
function* deleteNamed(scope: RequestScope, { options, name }: AdmittedDeletion): Steps<Deleted> {
  return yield* retried(scope, function* () {
    const entry = scope.collection.get(scope.namespace, scope.name);
    if (entry === undefined) throw notFound(scope.resource.asResource, scope.name);
    return yield* deleteEntry(scope, {
      entry,
      options,
      *admit(stored) {
        const completed = completedOptions(scope, { entry: stored, options });
        const shown = (yield* servedEntry(scope, hasAdmissionHooks(scope) ? stored : undefined)) ?? stored;
        yield* deletionAdmission({ scope, name, old: shown.object, options: completed, dryRun: options.dryRun });
        checkUnmoved(scope, stored);
      },
    });
  });
}

/** The options as admission sees them: completed by the kind. */
function completedOptions(
  { resource }: RequestScope,
  { entry: { object }, options }: Pick<Deletion, "entry" | "options">,
): Fields {
  const { strategy, storage } = resource;
  const isNew = object.metadata.deletionTimestamp === undefined;
  const period = isNew ? strategy.checkGracefulDelete?.(object, options.gracePeriodSeconds) : undefined;
  // A deletion in two steps must delete the same object in both.
  const isPinned = storage === "namespaces" || strategy.beginDelete !== undefined;
  return fieldsOf({
    ...options,
    ...(period === undefined ? {} : { gracePeriodSeconds: period }),
    ...(isPinned ? { uid: options.uid ?? object.metadata.uid } : {}),
  });
}

/** Warns about deleting a Job without a propagation policy. */
function warnOfOrphans(
  { resource, warnings }: RequestScope,
  { propagationPolicy, orphanDependents }: DeleteOptions,
): void {
  if (resource.storage !== "jobs.batch" || propagationPolicy !== undefined || orphanDependents !== undefined) return;
  warnings.push(jobWarning);
}

const jobWarning =
  "child pods are preserved by default when jobs are deleted; set propagationPolicy=Background to remove them or set propagationPolicy=Orphan to suppress this warning";

/** Deletes the objects one by one. */
export function* deleteAll(scope: RequestScope, entries: readonly Entry[], options: DeleteOptions): Steps<void> {
  warnOfOrphans(scope, options);
  for (const { namespace, name } of entries) {
    try {
      yield* deleteNamed({ ...scope, namespace, name }, { options, name: "" });
    } catch (error) {
      // It may have been deleted while another deletion waited.
      if (!isNotFound(error)) throw error;
    }
  }
}

/** A deletion of a stored object. */
export interface Deletion {
  readonly entry: Entry;
  readonly options: DeleteOptions;
  /** Called before each write with the stored object; by default there is no admission. */
  readonly admit?: (stored: Entry) => Steps<void>;
}

/** Deletes a stored object, or marks it for deletion. @throws StatusError 409, and errors of `admit`. */
export function* deleteEntry(scope: RequestScope, { entry, options, admit }: Deletion): Steps<Deleted> {
  checkPreconditions(scope, entry, options);
  if (isEnding(scope, { entry, options })) return { entry, gone: false };
  if (admit !== undefined) yield* admit(entry);
  const object = copyOfStored(entry);
  if (scope.resource.storage === "namespaces" && object.metadata.deletionTimestamp === undefined)
    return { entry: endNamespace(scope, entry, object, options), gone: false };
  const { strategy } = scope.resource;
  if (strategy.beginDelete !== undefined && object.metadata.deletionTimestamp === undefined) {
    strategy.beginDelete(object, scope.server.timeline.now());
    return { entry: mark(scope, object, entry, options), gone: false };
  }
  const graceful = beGraceful(scope, object, options);
  setFinalizers(scope, object, options);
  const waits = (object.metadata.finalizers ?? []).length > 0;
  // An object that is deleted immediately is deleted as stored, without finalizer changes.
  if (graceful === "no" && !waits) {
    const had = (entry.object.metadata.finalizers ?? []).length > 0;
    return had && options.dryRun ? emptyResult(scope) : remove(scope, copyOfStored(entry), options);
  }
  if (graceful === "no") markAsDeleting(scope, object);
  const marked = mark(scope, object, entry, options);
  if (waits || (object.metadata.deletionGracePeriodSeconds ?? 0) > 0) return { entry: marked, gone: false };
  if (options.dryRun) return { entry: marked, gone: true };
  if (admit !== undefined) yield* admit(marked);
  return remove(scope, { ...object, metadata: { ...object.metadata } }, options);
}

/** True if the object is already being deleted and this deletion would change nothing. */
function isEnding(scope: RequestScope, { entry, options }: Pick<Deletion, "entry" | "options">): boolean {
  const { object } = entry;
  if (scope.resource.storage === "namespaces")
    return object.metadata.deletionTimestamp !== undefined && keptBySpec(object);
  return beGraceful(scope, copyOfStored(entry), options) === "pending";
}

/** Marks a namespace for deletion; it stays until its spec has no finalizers. */
function endNamespace(scope: RequestScope, entry: Entry, object: ApiObject, options: DeleteOptions): Entry {
  object.metadata.deletionTimestamp = formatTime(scope.server.timeline.now());
  object.status = { ...object.status, phase: "Terminating" };
  setFinalizers(scope, object, options);
  return mark(scope, object, entry, options);
}

/** A copy whose top-level fields and metadata may be changed. */
function copyOfStored({ object }: Entry): ApiObject {
  return { ...object, metadata: { ...object.metadata } };
}

function mark(scope: RequestScope, object: ApiObject, entry: Entry, options: DeleteOptions): Entry {
  if (deepEqual(object, entry.object)) return entry;
  return options.dryRun ? new Entry(object, entry.revision) : scope.server.store.put(scope.collection, object);
}

function remove(scope: RequestScope, object: ApiObject, options: DeleteOptions): Deleted {
  if (options.dryRun) return { entry: new Entry(object, Number(object.metadata.resourceVersion)), gone: true };
  return { entry: scope.server.store.remove(scope.collection, object), gone: true };
}

/** The dry run of a deletion that drops finalizers and deletes immediately: the real server responds with an empty object. */
function emptyResult({ resource, server }: RequestScope): Deleted {
  const { kind, apiVersion, struct } = resource;
  const object: ApiObject = { kind, apiVersion, metadata: {} };
  return { entry: new Entry(written(object, struct, server.registry.schema), 0), gone: true, asObject: true };
}

/** True if finalizers in the spec of a namespace keep it. */
function keptBySpec(object: ApiObject): boolean {
  if (object.kind !== "Namespace" || object.apiVersion !== "v1") return false;
  const finalizers = object.spec?.["finalizers"];
  return Array.isArray(finalizers) && finalizers.length > 0;
}
