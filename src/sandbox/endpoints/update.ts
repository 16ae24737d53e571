/** PUT of an object or its status. Source: apiserver v0.36 registry/generic/registry/store.go Update, registry/rest/update.go. */
import { dropDisabledFields } from "../registry/core/pod/pod-spec/dropped-fields.ts";
import { deepEqual } from "../../api/field-changes.ts";
import { admitChanges, admitUpdate as mutatingAdmission } from "../admission/admit.ts";
import { admitPodSecurity } from "../admission/pod-security/admit.ts";
import { finished, written } from "../serialization/decode.ts";
import { invalid, invalidObject } from "../meta/field-errors.ts";
import { type ApiObject } from "../meta/object.ts";
import { isSameInShape } from "../meta/same-spec.ts";
import { conflict, notFound, optimisticLock, refusal } from "../meta/refusal.ts";
import { uintProblem } from "../meta/numbers.ts";
import { checkWriteOptions } from "../options/write-options.ts";
import { manageUpdate } from "../managedfields/managed-fields.ts";
import type { Call } from "../context/server.ts";
import { Entry } from "../storage/entry.ts";
import { surroundingsOf } from "../context/surroundings.ts";
import { matchRequest, sentObject } from "./body.ts";
import { createObject } from "./create.ts";
import { applyDefaults } from "./defaults.ts";
import { updateErrors } from "./update-errors.ts";

export interface Updated {
  readonly entry: Entry;
  readonly created: boolean;
}

/** @throws StatusError */
export function update(call: Call): Updated {
  checkWriteOptions(call.query, "UpdateOptions");
  const object = sentObject(call);
  matchRequest(call, object);
  return store(call, object);
}

/** Puts a decoded object in the place of the stored one. */
export function store(call: Call, object: ApiObject, checksUid = true): Updated {
  const { resource, name, collection } = call;
  const old = collection.get(call.namespace, name);
  if (old === undefined) {
    if (!resource.behaviour.createOnUpdate || call.subresource !== "") throw notFound(resource.asResource, name);
    if (object.metadata.uid !== undefined && object.metadata.uid !== "") throw absentUid(call, object.metadata.uid);
    object.metadata.name ??= name;
    return { entry: createObject(call, object), created: true };
  }
  checkPreconditions(call, object, old, checksUid);
  return { entry: replaceObject(call, object, old), created: false };
}

function absentUid(call: Call, uid: string): Error {
  const key = storageKey(call);
  return conflict(
    call.resource.asResource,
    call.name,
    `StorageError: invalid object, Code: 4, Key: ${key}, ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: UID in precondition: ${uid}, UID in object meta: `,
  );
}

/** Where etcd would keep the object: some messages name it. */
export function storageKey({ resource, namespace, name, dryRun }: Call): string {
  const scope = namespace === "" ? "" : `${namespace}/`;
  // A dry run asks before the prefix of all keys is put on.
  return `${dryRun ? "" : "/registry"}/${resource.plural}/${scope}${name}`;
}

function checkPreconditions(call: Call, { metadata }: ApiObject, old: Entry, checksUid: boolean): void {
  const { resource, name } = call;
  if (checksUid && metadata.uid !== undefined && metadata.uid !== "" && metadata.uid !== old.object.metadata.uid) {
    throw conflict(
      resource.asResource,
      name,
      `StorageError: invalid object, Code: 4, Key: ${storageKey(call)}, ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: UID in precondition: ${metadata.uid}, UID in object meta: ${old.object.metadata.uid}`,
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
export interface Way {
  readonly subresource: string;
  /** Sets the managed fields of the object. */
  manage(old: ApiObject, object: ApiObject): void;
}

/** An update on its way to the store. */
interface Change {
  readonly call: Call;
  readonly object: ApiObject;
  readonly old: ApiObject;
}

/**
 * Writes `sent` over `old`: keeps what is not the client's, checks, and commits; a change of nothing is none. `way` is the
 * subresource that was asked for, where the object is treated as a whole.
 */
export function replaceObject(call: Call, sent: ApiObject, old: Entry, way?: Way): Entry {
  applyDefaults(call, sent);
  const object = updatedObject({ call, object: sent, old: old.object }, way);
  const change = { call, object, old: old.object };
  mutatingAdmission(call, object, old.object);
  prepareForUpdate(change);
  validateUpdate(change);
  if (call.subresource === "") call.resource.behaviour.rules.allocate?.(object, surroundingsOf(call));
  validatingAdmission(change, way);
  object.metadata.resourceVersion = String(old.revision);
  return persist(change, old);
}

/** What was sent, with the server's own fields as they are, and who manages what. */
function updatedObject({ call, object: sent, old }: Change, way: Way | undefined): ApiObject {
  keepServerFields(sent, old);
  // Who manages what is seen in what was sent, before it is put right.
  if (way === undefined) manageUpdate(call, old, sent);
  else way.manage(old, sent);
  keepDeletion(sent, old);
  return onlyPart(call, sent, old);
}

/** A write of the object keeps its status, one of the status all else. */
function prepareForUpdate({ call, object, old }: Change): void {
  const { resource, subresource } = call;
  if (subresource === "status") keepAllButStatus(call, object, old);
  else if (resource.subresources.has("status")) keepStatus(object, old);
  dropDisabledFields(object, resource.storage);
  if (subresource === "") resource.behaviour.rules.prepareUpdate?.(object, old);
  if (subresource !== "status") countGeneration(call, object, old);
}

/** @throws StatusError 422 */
function validateUpdate({ call, object, old }: Change): void {
  const { resource, subresource, name, warnings } = call;
  const { rules } = resource.behaviour;
  const first = subresource === "" ? (rules.begin?.(object, old, surroundingsOf(call)) ?? []) : [];
  const errors = first.length > 0 ? first : updateErrors(call, object, old);
  if (errors.length > 0) throw invalidObject(resource.asKind, name, errors);
  if (subresource === "") warnings.push(...(rules.warnings?.(object, old) ?? []));
}

/** @throws StatusError, mostly 403 */
function validatingAdmission({ call, object, old }: Change, way: Way | undefined): void {
  admitChanges(call, object, old);
  admitPodSecurity(way === undefined ? call : { ...call, subresource: way.subresource }, object, old);
}

function persist({ call, object }: Change, old: Entry): Entry {
  const { resource, server, collection, dryRun } = call;
  if (isToBeDeleted(object, old.object)) return removeLast(call, object, old);
  const whole = finished(object, resource.struct, server.catalogue.schema);
  if (!old.filled && sameButTimes(whole, old.object)) return old;
  return dryRun ? new Entry(whole, old.revision) : server.store.put(collection, whole);
}

/** Of a subresource that writes one part: the object that was there with that part as it was sent. */
function onlyPart({ resource, subresource }: Call, sent: ApiObject, old: ApiObject): ApiObject {
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
function removeLast({ resource, server, collection, dryRun }: Call, object: ApiObject, old: Entry): Entry {
  const answer = new Entry(written(object, resource.struct, server.catalogue.schema), old.revision);
  // What the watches are told is the object as it was stored.
  if (!dryRun) server.store.remove(collection, { ...old.object, metadata: { ...old.object.metadata } });
  return answer;
}

function countGeneration(call: Call, object: ApiObject, old: ApiObject): void {
  const { generation, fixedGeneration, generationOfAnnotations } = call.resource.behaviour;
  if (!generation || fixedGeneration) return;
  const annotated = generationOfAnnotations && !deepEqual(object.metadata.annotations, old.metadata.annotations);
  if (annotated || changesSpec(call, object, old)) object.metadata.generation = (old.metadata.generation ?? 0) + 1;
}

/** Whether nothing has changed, or only when somebody set what. */
function sameButTimes(object: ApiObject, old: ApiObject): boolean {
  if (deepEqual(object, old)) return true;
  const timeless = ({ managedFields = [], ...metadata }: ApiObject["metadata"]): object => ({
    ...metadata,
    managedFields: managedFields.map(({ time: _time, ...entry }) => entry),
  });
  return deepEqual({ ...object, metadata: timeless(object.metadata) }, { ...old, metadata: timeless(old.metadata) });
}

/** The last finalizer has gone from an object that waits for nothing else. */
function isToBeDeleted(object: ApiObject, old: ApiObject): boolean {
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
function keepAllButStatus(call: Call, object: ApiObject, old: ApiObject): void {
  for (const key of Object.keys(object)) {
    if (key !== "status" && key !== "metadata" && key !== "kind" && key !== "apiVersion") delete object[key];
  }
  for (const key of Object.keys(old)) if (key !== "status" && key !== "metadata") object[key] = old[key];
  call.resource.behaviour.rules.prepareStatus?.(object, old, surroundingsOf(call));
}

const notSpec = new Set(["metadata", "status", "kind", "apiVersion"]);

function changesSpec({ resource, server }: Call, object: ApiObject, old: ApiObject): boolean {
  const keys = new Set([...Object.keys(object), ...Object.keys(old)].filter((key) => !notSpec.has(key)));
  return [...keys].some((key) => {
    const shape = resource.struct?.fields.get(key)?.shape ?? { is: "open" as const };
    return !isSameInShape(object[key], old[key], shape, server.catalogue.schema);
  });
}
