/** PUT of an object or its status. Source: apiserver v0.36 registry/generic/registry/store.go Update, registry/rest/update.go. */
import { dropDisabledFields } from "../registry/core/pod/pod-spec/dropped-fields.ts";
import { deepEqual } from "../../api/field-changes.ts";
import { admitChanges, admitUpdate as mutatingAdmission } from "../admission/admit.ts";
import { admitPodSecurity } from "../admission/pod-security/admit.ts";
import { finished, written } from "../serialization/decode.ts";
import { invalid, invalidObject } from "../meta/field-errors.ts";
import { type ApiObject } from "../meta/object.ts";
import { semanticDeepEqual } from "../meta/semantic-equality.ts";
import { conflict, notFound, optimisticLock, refusal } from "../meta/refusal.ts";
import { uintProblem } from "../meta/numbers.ts";
import { checkWriteOptions } from "../options/write-options.ts";
import { manageUpdate } from "../managedfields/managed-fields.ts";
import type { RequestScope } from "../context/server.ts";
import { Entry } from "../storage/entry.ts";
import { strategyContext } from "../context/strategy-context.ts";
import { matchRequest, sentObject } from "./body.ts";
import { createObject } from "./create.ts";
import { applyDefaults } from "./defaults.ts";
import { updateErrors } from "./update-errors.ts";

export interface Updated {
  readonly entry: Entry;
  readonly created: boolean;
}

/** @throws StatusError */
export function update(scope: RequestScope): Updated {
  checkWriteOptions(scope.query, "UpdateOptions");
  const object = sentObject(scope);
  matchRequest(scope, object);
  return store(scope, object);
}

/** Puts a decoded object in the place of the stored one. */
export function store(scope: RequestScope, object: ApiObject, checksUid = true): Updated {
  const { resource, name, collection } = scope;
  const old = collection.get(scope.namespace, name);
  if (old === undefined) {
    if (!resource.behaviour.createOnUpdate || scope.subresource !== "") throw notFound(resource.asResource, name);
    if (object.metadata.uid !== undefined && object.metadata.uid !== "") throw absentUid(scope, object.metadata.uid);
    object.metadata.name ??= name;
    return { entry: createObject(scope, object), created: true };
  }
  checkPreconditions(scope, object, old, checksUid);
  return { entry: replaceObject(scope, object, old), created: false };
}

function absentUid(scope: RequestScope, uid: string): Error {
  const key = storageKey(scope);
  return conflict(
    scope.resource.asResource,
    scope.name,
    `StorageError: invalid object, Code: 4, Key: ${key}, ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: UID in precondition: ${uid}, UID in object meta: `,
  );
}

/** Where etcd would keep the object: some messages name it. */
export function storageKey({ resource, namespace, name, dryRun }: RequestScope): string {
  const scope = namespace === "" ? "" : `${namespace}/`;
  // A dry run asks before the prefix of all keys is put on.
  return `${dryRun ? "" : "/registry"}/${resource.plural}/${scope}${name}`;
}

function checkPreconditions(scope: RequestScope, { metadata }: ApiObject, old: Entry, checksUid: boolean): void {
  const { resource, name } = scope;
  if (checksUid && metadata.uid !== undefined && metadata.uid !== "" && metadata.uid !== old.object.metadata.uid) {
    throw conflict(
      resource.asResource,
      name,
      `StorageError: invalid object, Code: 4, Key: ${storageKey(scope)}, ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: UID in precondition: ${metadata.uid}, UID in object meta: ${old.object.metadata.uid}`,
    );
  }
  const version = metadata.resourceVersion ?? "";
  if (version === "" || version === "0") {
    if (resource.behaviour.unconditionalUpdate) return;
    throw invalidObject({ group: resource.group, name: resource.plural }, name, [
      invalid("metadata.resourceVersion", 0, "must be specified for an update"),
    ]);
  }
  const problem = uintProblem(version);
  if (problem !== undefined) throw refusal(500, "", problem);
  if (Number(version) !== old.revision) throw conflict(resource.asResource, name, optimisticLock);
}

/** The server's own fields, which no update changes. */
function keepServerFields(object: ApiObject, old: ApiObject): void {
  const { metadata } = object;
  for (const field of ["generation", "creationTimestamp"] as const) {
    if (old.metadata[field] === undefined) delete metadata[field];
    else (metadata as Record<string, unknown>)[field] = old.metadata[field];
  }
  if ((metadata.uid ?? "") === "") metadata.uid = old.metadata.uid ?? "";
  metadata.name = old.metadata.name ?? "";
}

/** What only a deletion changes. A client that sends another time manages it all the same. */
function keepDeletion({ metadata }: ApiObject, old: ApiObject): void {
  if (old.metadata.deletionTimestamp !== undefined) metadata.deletionTimestamp = old.metadata.deletionTimestamp;
  if (old.metadata.deletionGracePeriodSeconds !== undefined && metadata.deletionGracePeriodSeconds === undefined) {
    metadata.deletionGracePeriodSeconds = old.metadata.deletionGracePeriodSeconds;
  }
}

/** A subresource by which an object is written as a whole. */
export interface SubresourceWrite {
  readonly subresource: string;
  /** Sets the managed fields of the object. */
  manage(old: ApiObject, object: ApiObject): void;
}

/** An update on its way to the store. */
interface Change {
  readonly scope: RequestScope;
  readonly object: ApiObject;
  readonly old: ApiObject;
}

/**
 * Writes `sent` over `old`: keeps what is not the client's, checks, and commits; a change of nothing is none. `way` is the
 * subresource that was asked for, where the object is treated as a whole.
 */
export function replaceObject(scope: RequestScope, sent: ApiObject, old: Entry, way?: SubresourceWrite): Entry {
  applyDefaults(scope, sent);
  const object = updatedObject({ scope, object: sent, old: old.object }, way);
  const change = { scope, object, old: old.object };
  mutatingAdmission(scope, object, old.object);
  prepareForUpdate(change);
  validateUpdate(change);
  if (scope.subresource === "") scope.resource.behaviour.rules.allocate?.(object, strategyContext(scope));
  validatingAdmission(change, way);
  object.metadata.resourceVersion = String(old.revision);
  return persist(change, old);
}

/** What was sent, with the server's own fields as they are, and who manages what. */
function updatedObject({ scope, object: sent, old }: Change, way: SubresourceWrite | undefined): ApiObject {
  keepServerFields(sent, old);
  // Who manages what is seen in what was sent, before it is put right.
  if (way === undefined) manageUpdate(scope, old, sent);
  else way.manage(old, sent);
  keepDeletion(sent, old);
  return onlyPart(scope, sent, old);
}

/** A write of the object keeps its status, one of the status all else. */
function prepareForUpdate({ scope, object, old }: Change): void {
  const { resource, subresource } = scope;
  if (subresource === "status") keepAllButStatus(scope, object, old);
  else if (resource.subresources.has("status")) keepStatus(object, old);
  dropDisabledFields(object, resource.storage);
  if (subresource === "") resource.behaviour.rules.prepareUpdate?.(object, old);
  if (subresource !== "status") countGeneration(scope, object, old);
}

/** @throws StatusError 422 */
function validateUpdate({ scope, object, old }: Change): void {
  const { resource, subresource, name, warnings } = scope;
  const { rules } = resource.behaviour;
  const first = subresource === "" ? (rules.begin?.(object, old, strategyContext(scope)) ?? []) : [];
  const errors = first.length > 0 ? first : updateErrors(scope, object, old);
  if (errors.length > 0) throw invalidObject(resource.asKind, name, errors);
  if (subresource === "") warnings.push(...(rules.warnings?.(object, old) ?? []));
}

/** @throws StatusError, mostly 403 */
function validatingAdmission({ scope, object, old }: Change, way: SubresourceWrite | undefined): void {
  admitChanges(scope, object, old);
  admitPodSecurity(way === undefined ? scope : { ...scope, subresource: way.subresource }, object, old);
}

function persist({ scope, object }: Change, old: Entry): Entry {
  const { resource, server, collection, dryRun } = scope;
  if (shouldDeleteDuringUpdate(object, old.object)) return deleteAfterLastFinalizer(scope, object, old);
  const whole = finished(object, resource.struct, server.registry.schema);
  if (!old.filled && isNoOpUpdate(whole, old.object)) return old;
  return dryRun ? new Entry(whole, old.revision) : server.store.put(collection, whole);
}

/** Of a subresource that writes one part: the object that was there with that part as it was sent. */
function onlyPart({ resource, subresource }: RequestScope, sent: ApiObject, old: ApiObject): ApiObject {
  const part = resource.behaviour.rules.parts?.[subresource];
  if (part === undefined) return sent;
  const { managedFields: _before, ...metadata } = old.metadata;
  const { managedFields } = sent.metadata;
  return {
    ...old,
    metadata: { ...metadata, ...(managedFields === undefined ? {} : { managedFields }) },
    spec: part.spec(sent, old),
  };
}

/** Removes what has lost its last finalizer; the answer is what was sent, at the version before, as it has not been stored. */
function deleteAfterLastFinalizer(
  { resource, server, collection, dryRun }: RequestScope,
  object: ApiObject,
  old: Entry,
): Entry {
  const answer = new Entry(written(object, resource.struct, server.registry.schema), old.revision);
  // What the watches are told is the object as it was stored.
  if (!dryRun) server.store.remove(collection, { ...old.object, metadata: { ...old.object.metadata } });
  return answer;
}

function countGeneration(scope: RequestScope, object: ApiObject, old: ApiObject): void {
  const { generation, fixedGeneration, generationOfAnnotations } = scope.resource.behaviour;
  if (!generation || fixedGeneration) return;
  const annotated = generationOfAnnotations && !deepEqual(object.metadata.annotations, old.metadata.annotations);
  if (annotated || changesSpec(scope, object, old)) object.metadata.generation = (old.metadata.generation ?? 0) + 1;
}

/** Whether nothing has changed, or only when somebody set what. */
function isNoOpUpdate(object: ApiObject, old: ApiObject): boolean {
  if (deepEqual(object, old)) return true;
  const timeless = ({ managedFields = [], ...metadata }: ApiObject["metadata"]): object => ({
    ...metadata,
    managedFields: managedFields.map(({ time: _time, ...entry }) => entry),
  });
  return deepEqual({ ...object, metadata: timeless(object.metadata) }, { ...old, metadata: timeless(old.metadata) });
}

/** The last finalizer has gone from an object that waits for nothing else. */
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

/** An update of the status changes nothing else, but for the metadata that controllers keep there. */
function keepAllButStatus(scope: RequestScope, object: ApiObject, old: ApiObject): void {
  for (const key of Object.keys(object)) {
    if (key !== "status" && key !== "metadata" && key !== "kind" && key !== "apiVersion") delete object[key];
  }
  for (const key of Object.keys(old)) if (key !== "status" && key !== "metadata") object[key] = old[key];
  scope.resource.behaviour.rules.prepareStatus?.(object, old, strategyContext(scope));
}

const notSpec = new Set(["metadata", "status", "kind", "apiVersion"]);

function changesSpec({ resource, server }: RequestScope, object: ApiObject, old: ApiObject): boolean {
  const keys = new Set([...Object.keys(object), ...Object.keys(old)].filter((key) => !notSpec.has(key)));
  return [...keys].some((key) => {
    const shape = resource.struct?.fields.get(key)?.shape ?? { is: "open" as const };
    return !semanticDeepEqual(object[key], old[key], shape, server.registry.schema);
  });
}
