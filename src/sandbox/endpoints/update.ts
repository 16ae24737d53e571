/** PUT of an object or its status. Source: apiserver v0.36 registry/generic/registry/store.go Update, registry/rest/update.go. */
import { dropDisabledFields } from "../registry/core/pod/pod-spec/dropped-fields.ts";
import { deepEqual } from "../../api/field-changes.ts";
import { mutatingAdmission, validatingAdmission } from "../admission/admit.ts";
import { checkEscalation } from "../access/escalation.ts";
import { written } from "../serialization/decode.ts";
import { invalid, invalidObject } from "../meta/field-errors.ts";
import { type ApiObject } from "../meta/object.ts";
import { semanticDeepEqual } from "../meta/semantic-equality.ts";
import { conflict, notFound, optimisticLock, refusal } from "../meta/refusal.ts";
import { uintProblem } from "../meta/numbers.ts";
import type { Steps } from "../meta/steps.ts";
import { checkWriteOptions } from "../options/write-options.ts";
import { manageUpdate, managing, type ManagedUpdate, type ManagedWrite } from "../managedfields/managed-fields.ts";
import type { RequestScope } from "../context/server.ts";
import type { UpdateStrategy } from "../registry/strategy/rest-strategy.ts";
import { Entry } from "../storage/entry.ts";
import { servedEntry, storableObject } from "../context/conversion.ts";
import { strategyContext } from "../context/strategy-context.ts";
import { matchRequest, sentObject } from "./body.ts";
import { commit, storedForm } from "./commit.ts";
import { createObject } from "./create.ts";
import { applyDefaults } from "../context/defaults.ts";
import { dedupOwnerReferences } from "./owner-references.ts";
import { checkNotOutrun, checkUnmoved } from "./retry.ts";
import { type ObjectUpdate, validateUpdate } from "./validation.ts";

/** The result of an update. */
export interface UpdateResult {
  readonly entry: Entry;
  readonly created: boolean;
}

/** @throws StatusError */
export function* update(scope: RequestScope): Steps<UpdateResult> {
  checkWriteOptions(scope.query, "UpdateOptions");
  const object = sentObject(scope);
  matchRequest(scope, object);
  dedupOwnerReferences({ scope, object }, "");
  return yield* updateObject(scope, object);
}

/** Options of a write. */
export interface WriteOptions {
  /** Requires the object to have the uid that was sent. Default true. */
  readonly checksUid?: boolean;
  /** Creates a missing object, even if the kind does not allow it. */
  readonly createsMissing?: boolean;
  /** Sets the managed fields. Default: as for an update or a create. */
  readonly manage?: (write: ManagedUpdate | ManagedWrite) => void;
}

/** Replaces the stored object with a decoded one, or creates it if that is allowed. @throws StatusError. */
export function* updateObject(scope: RequestScope, object: ApiObject, options: WriteOptions = {}): Steps<UpdateResult> {
  const { resource, name, collection } = scope;
  const { checksUid = true, createsMissing = resource.strategy.allowCreateOnUpdate, manage } = options;
  const old = yield* servedEntry(scope, collection.get(scope.namespace, name));
  if (old === undefined) {
    if (!createsMissing || scope.subresource !== "") throw notFound(resource.asResource, name);
    const { uid = "", resourceVersion = "" } = object.metadata;
    if (uid !== "") throw absentUid(scope, uid);
    const problem = resourceVersion === "" ? undefined : uintProblem(resourceVersion);
    if (problem !== undefined) throw refusal(500, "", problem);
    object.metadata.name ??= name;
    return { entry: yield* createObject(scope, object, { manage, byUpdate: true }), created: true };
  }
  if (checksUid) checkUid(scope, { object, old });
  const version = object.metadata.resourceVersion ?? "";
  return { entry: yield* replaceObject(scope, object, { old, manage, version }), created: false };
}

function absentUid(scope: RequestScope, uid: string): Error {
  const key = storageKey(scope);
  return conflict(
    scope.resource.asResource,
    scope.name,
    `StorageError: invalid object, Code: 4, Key: ${key}, ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: UID in precondition: ${uid}, UID in object meta: `,
  );
}

/** The object's key in etcd, which some messages name. */
export function storageKey({ resource, namespace, name, dryRun }: RequestScope): string {
  const scope = namespace === "" ? "" : `${namespace}/`;
  // A dry run checks before the prefix of all keys is added.
  return `${dryRun ? "" : "/registry"}/${resource.plural}/${scope}${name}`;
}

/** @throws StatusError 409 if the uid differs. */
function checkUid(
  scope: RequestScope,
  { object: { metadata }, old }: { readonly object: ApiObject; readonly old: Entry },
): void {
  const { resource, name } = scope;
  if (metadata.uid !== undefined && metadata.uid !== "" && metadata.uid !== old.object.metadata.uid) {
    throw conflict(
      resource.asResource,
      name,
      `StorageError: invalid object, Code: 4, Key: ${storageKey(scope)}, ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: UID in precondition: ${metadata.uid}, UID in object meta: ${old.object.metadata.uid}`,
    );
  }
}

/** @throws StatusError 409 if the resourceVersion is not the stored one; 422 if it is missing but the kind requires it; 500. */
function checkVersion(
  { resource, name }: RequestScope,
  { version, old }: { readonly version: string; readonly old: Entry },
): void {
  if (version === "" || version === "0") {
    if (resource.strategy.allowUnconditionalUpdate) return;
    throw invalidObject({ group: resource.group, name: resource.plural }, name, [
      invalid("metadata.resourceVersion", 0, "must be specified for an update"),
    ]);
  }
  const problem = uintProblem(version);
  if (problem !== undefined) throw refusal(500, "", problem);
  if (Number(version) !== old.revision) throw conflict(resource.asResource, name, optimisticLock);
}

/** Keeps system fields, which no update changes. */
function keepServerFields(object: ApiObject, old: ApiObject): void {
  const { metadata } = object;
  for (const field of ["generation", "creationTimestamp"] as const) {
    if (old.metadata[field] === undefined) delete metadata[field];
    else (metadata as Record<string, unknown>)[field] = old.metadata[field];
  }
  if ((metadata.uid ?? "") === "") metadata.uid = old.metadata.uid ?? "";
  metadata.name = old.metadata.name ?? "";
}

/** Keeps fields that only a deletion changes. A client that sends another time becomes its manager all the same. */
function keepDeletion({ metadata }: ApiObject, old: ApiObject): void {
  if (old.metadata.deletionTimestamp !== undefined) metadata.deletionTimestamp = old.metadata.deletionTimestamp;
  if (old.metadata.deletionGracePeriodSeconds !== undefined && metadata.deletionGracePeriodSeconds === undefined) {
    metadata.deletionGracePeriodSeconds = old.metadata.deletionGracePeriodSeconds;
  }
}

/** What `replaceObject` replaces, and how. */
export interface Replacement {
  readonly old: Entry;
  /** Sets the managed fields. Default: as for an update. */
  readonly manage?: ((update: ManagedUpdate) => void) | undefined;
  /** The sent resourceVersion: must be that of `old`, or empty if the kind allows that. Default: not checked. */
  readonly version?: string;
  /** The object that webhooks and policies see, if mutating ones have already seen another form. */
  readonly shownAs?: ((object: ApiObject) => ApiObject) | undefined;
}

/**
 * Writes `sent` over `old`: resets fields that the client cannot change, validates, and commits; an update without changes is a no-op.
 * Subresources with a separate strategy use it; all others (`scale`) use the object's.
 * @throws StatusError
 */
export function* replaceObject(
  scope: RequestScope,
  sent: ApiObject,
  { old, manage = manageUpdate, version, shownAs }: Replacement,
): Steps<Entry> {
  const strategy = scope.resource.strategy.subresources[scope.subresource] ?? scope.resource.strategy;
  const context = strategyContext(scope);
  const { managedFields } = sent.metadata;
  applyDefaults(scope, sent);
  // A client manages the fields that it sent, even if they are reset below.
  yield* managing(manage, { scope, live: old.object, object: sent, sent: managedFields });
  const object = updatedObject(strategy, sent, old.object);
  const update = { scope, object, old: old.object, strategy, context, shownAs };
  yield* mutatingAdmission(update);
  dedupOwnerReferences(update, " after mutating admission happens");
  keepServerFields(object, old.object);
  keepDeletion(object, old.object);
  if (version !== undefined) checkVersion(scope, { version, old });
  checkEscalation(update);
  prepareForUpdate(update);
  validateUpdate(update);
  strategy.allocate?.(object, context);
  const { revision } = scope.server.store;
  object.metadata.resourceVersion = String(old.revision);
  const stored = yield* storableObject(scope, object);
  const charge = yield* validatingAdmission(update);
  checkUnmoved(scope, old);
  checkNotOutrun(scope, { object, old: old.object, revision });
  charge();
  return store(scope, stored, old);
}

/** A write of the object keeps its status, one of the status keeps everything else. */
function prepareForUpdate({ scope, object, old, strategy, context }: ObjectUpdate): void {
  const { resource, subresource } = scope;
  if (subresource === "status") {
    keepAllButStatus(object, old);
    keepMetadata(object, old, strategy.resetFields ?? []);
  } else if (resource.subresources.has("status") && strategy.writesStatus !== true) keepStatus(object, old);
  dropDisabledFields(object, resource.storage);
  strategy.prepareForUpdate?.(object, old, context);
  if (subresource !== "status") countGeneration(scope, object, old);
}

/** `shown` is the entry at the version of the request. */
function store(scope: RequestScope, object: ApiObject, shown: Entry): Entry {
  const old = scope.collection.get(shown.namespace, shown.name) ?? shown;
  if (shouldDeleteDuringUpdate(object, old.object)) return deleteAfterLastFinalizer(scope, object, old);
  const whole = storedForm(scope, object);
  if (!old.isDefaultedOnRead && isNoOpUpdate(whole, old.object)) return old;
  return commit(scope, { object: whole, dryRunRevision: old.revision });
}

/** The object to write: for a subresource of one part of the spec, `old` with that part. */
function updatedObject(strategy: UpdateStrategy, sent: ApiObject, old: ApiObject): ApiObject {
  if (strategy.updatedSpec === undefined) return sent;
  const { managedFields: _before, ...metadata } = old.metadata;
  const { managedFields } = sent.metadata;
  return {
    ...old,
    metadata: { ...metadata, ...(managedFields === undefined ? {} : { managedFields }) },
    spec: strategy.updatedSpec(sent, old),
  };
}

/** Deletes an object whose last finalizer was removed. Responds with the sent object, at the old resourceVersion: it was never stored. */
function deleteAfterLastFinalizer(
  { resource, server, collection, dryRun }: RequestScope,
  object: ApiObject,
  old: Entry,
): Entry {
  const response = new Entry(written(object, resource.struct, server.registry.schema), old.revision);
  // Watches receive the object as it was stored.
  if (!dryRun) server.store.remove(collection, { ...old.object, metadata: { ...old.object.metadata } });
  return response;
}

function countGeneration(scope: RequestScope, object: ApiObject, old: ApiObject): void {
  const { generation } = scope.resource.strategy;
  if (generation === "none" || generation === "fixed") return;
  const { labels, annotations } = old.metadata;
  const isMarked =
    (generation === "spec and annotations" && !deepEqual(object.metadata.annotations, annotations)) ||
    (generation === "spec and labels" && !deepEqual(object.metadata.labels, labels));
  const changes = generation === "all" ? changesAny(object, old) : changesSpec(scope, object, old);
  if (isMarked || changes) object.metadata.generation = (old.metadata.generation ?? 0) + 1;
}

/** True if nothing has changed except times of managed fields. */
function isNoOpUpdate(object: ApiObject, old: ApiObject): boolean {
  if (deepEqual(object, old)) return true;
  const timeless = ({ managedFields = [], ...metadata }: ApiObject["metadata"]): object => ({
    ...metadata,
    managedFields: managedFields.map(({ time: _time, ...entry }) => entry),
  });
  return deepEqual({ ...object, metadata: timeless(object.metadata) }, { ...old, metadata: timeless(old.metadata) });
}

/** True if the update removes the last finalizer of an object that is being deleted with no grace period left. */
function shouldDeleteDuringUpdate(object: ApiObject, old: ApiObject): boolean {
  if ((object.metadata.finalizers ?? []).length > 0 || old.metadata.deletionTimestamp === undefined) return false;
  if (object.kind === "Namespace" && object.apiVersion === "v1") {
    const finalizers = object.spec?.["finalizers"];
    if (Array.isArray(finalizers) && finalizers.length > 0) return false;
  }
  return (old.metadata.deletionGracePeriodSeconds ?? 0) === 0;
}

function keepStatus(object: ApiObject, old: ApiObject): void {
  if (old.status === undefined) delete object.status;
  else object.status = old.status;
}

/** A status update changes nothing else, except metadata that controllers keep. */
function keepAllButStatus(object: ApiObject, old: ApiObject): void {
  for (const key of Object.keys(object)) {
    if (key !== "status" && key !== "metadata" && key !== "kind" && key !== "apiVersion") delete object[key];
  }
  for (const key of Object.keys(old)) if (key !== "status" && key !== "metadata") object[key] = old[key];
}

const clientMetadata = ["labels", "annotations", "finalizers", "ownerReferences", "deletionTimestamp"] as const;

/**
 * Metadata that a status update resets: all of the client's, or parts of it. Source: apimachinery v0.36 meta/v1/helpers.go
 * ResetObjectMetaForStatus.
 */
function keepMetadata(
  { metadata }: ApiObject,
  { metadata: before }: ApiObject,
  resetFields: readonly (readonly string[])[],
): void {
  for (const [place, name] of resetFields) {
    if (place !== "metadata") continue;
    for (const key of clientMetadata) {
      if (name !== undefined && name !== key) continue;
      if (before[key] === undefined) delete metadata[key];
      else Object.assign(metadata, { [key]: before[key] });
    }
  }
}

/** True if anything except the metadata has changed. */
function changesAny(object: ApiObject, old: ApiObject): boolean {
  return !deepEqual({ ...object, metadata: {}, apiVersion: "" }, { ...old, metadata: {}, apiVersion: "" });
}

const notSpec = new Set(["metadata", "status", "kind", "apiVersion"]);

function changesSpec({ resource, server }: RequestScope, object: ApiObject, old: ApiObject): boolean {
  const keys = new Set([...Object.keys(object), ...Object.keys(old)].filter((key) => !notSpec.has(key)));
  return [...keys].some((key) => {
    const shape = resource.struct?.fields.get(key)?.shape ?? { is: "open" as const };
    return !semanticDeepEqual(object[key], old[key], shape, server.registry.schema);
  });
}
