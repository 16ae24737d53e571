/** PUT of an object or its status. Source: apiserver v0.36 registry/generic/registry/store.go Update, registry/rest/update.go. */
import { deepEqual } from "../../api/field-changes.ts";
import { ordered } from "../decode.ts";
import { invalid, invalidObject } from "../field-errors.ts";
import { copyOf, type ApiObject } from "../object.ts";
import { badRequest, conflict, notFound, optimisticLock } from "../refusal.ts";
import { metadataErrors, metadataUpdateErrors } from "../registry/metadata.ts";
import type { Call } from "../server.ts";
import { entryOf } from "../store/collection.ts";
import type { Entry } from "../store/history.ts";
import { bodyJson, objectOf } from "./body.ts";
import { createObject } from "./create.ts";

export interface Updated {
  readonly entry: Entry;
  readonly created: boolean;
}

/** @throws StatusError */
export function update(call: Call): Updated {
  const { resource } = call;
  const object = objectOf(call, bodyJson(call, resource.kind), resource.kind, resource.apiVersion, resource.struct);
  checkName(call, object);
  return store(call, object);
}

function checkName(call: Call, { metadata }: ApiObject): void {
  if (metadata.name !== undefined && metadata.name !== "" && metadata.name !== call.name) {
    throw badRequest(`the name of the object (${metadata.name}) does not match the name on the URL (${call.name})`);
  }
  if (!call.resource.namespaced) return;
  if (metadata.namespace !== undefined && metadata.namespace !== "" && metadata.namespace !== call.namespace) {
    throw badRequest("the namespace of the provided object does not match the namespace sent on the request");
  }
  metadata.namespace = call.namespace;
}

/** Puts a decoded object in the place of the stored one. */
export function store(call: Call, object: ApiObject): Updated {
  const { resource, name, collection } = call;
  const old = collection.get(call.namespace, name);
  if (old === undefined) {
    if (!resource.behaviour.createOnUpdate || call.subresource !== "") throw notFound(resource.asResource, name);
    if (object.metadata.uid !== undefined && object.metadata.uid !== "") throw absentUid(call, object.metadata.uid);
    object.metadata.name ??= name;
    return { entry: createObject(call, object), created: true };
  }
  checkPreconditions(call, object, old);
  return { entry: replace(call, object, old), created: false };
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
export function storageKey({ resource, namespace, name }: Call): string {
  const scope = namespace === "" ? "" : `${namespace}/`;
  return `/registry/${resource.plural}/${scope}${name}`;
}

function checkPreconditions(call: Call, { metadata }: ApiObject, old: Entry): void {
  const { resource, name } = call;
  if (metadata.uid !== undefined && metadata.uid !== "" && metadata.uid !== old.object.metadata.uid) {
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
  if (!/^\d+$/.test(version)) {
    throw badRequest(
      `invalid resource version: resourceVersion: Invalid value: ${JSON.stringify(version)}: strconv.ParseUint: parsing ${JSON.stringify(version)}: invalid syntax`,
    );
  }
  if (Number(version) !== old.revision) throw conflict(resource.asResource, name, optimisticLock);
}

/** The server's own fields, which no update changes. */
function keepServerFields(object: ApiObject, old: ApiObject): void {
  const { metadata } = object;
  for (const field of ["generation", "creationTimestamp"] as const) {
    if (old.metadata[field] === undefined) delete metadata[field];
    else (metadata as Record<string, unknown>)[field] = old.metadata[field];
  }
  metadata.uid = old.metadata.uid ?? "";
  metadata.name = old.metadata.name ?? "";
  if (old.metadata.deletionTimestamp !== undefined) metadata.deletionTimestamp = old.metadata.deletionTimestamp;
  if (old.metadata.deletionGracePeriodSeconds !== undefined && metadata.deletionGracePeriodSeconds === undefined) {
    metadata.deletionGracePeriodSeconds = old.metadata.deletionGracePeriodSeconds;
  }
}

/** Writes `object` over `old`: keeps what is not the client's, checks, and commits; a change of nothing is none. */
export function replace(call: Call, object: ApiObject, old: Entry): Entry {
  const { resource, server, collection } = call;
  const { behaviour } = resource;
  behaviour.rules.defaults?.(object);
  keepServerFields(object, old.object);
  if (call.subresource === "status") keepAllButStatus(call, object, old.object);
  else if (call.subresource === "" && resource.subresources.has("status")) keepStatus(object, old.object);
  if (call.subresource === "") {
    behaviour.rules.prepareUpdate?.(object, old.object);
    if (behaviour.generation && changesSpec(object, old.object)) {
      object.metadata.generation = (old.object.metadata.generation ?? 0) + 1;
    }
  }
  const errors = [
    ...metadataErrors(object, resource.namespaced, behaviour),
    ...metadataUpdateErrors(object, old.object),
    ...(call.subresource === "" ? (behaviour.rules.validate?.(object) ?? []) : []),
    ...(call.subresource === "" ? (behaviour.rules.validateUpdate?.(object, old.object) ?? []) : []),
  ];
  if (errors.length > 0) throw invalidObject(resource.asKind, call.name, errors);
  object.metadata.resourceVersion = String(old.revision);
  const whole = ordered(object);
  if (isToBeDeleted(whole, old.object)) {
    if (call.dryRun) return old;
    // The answer carries the version before the deletion: what was there last, with the finalizer gone.
    const answer = entryOf(copyOf(whole), old.revision);
    server.store.remove(collection, whole);
    return answer;
  }
  if (deepEqual(whole, old.object)) return old;
  if (call.dryRun) return entryOf(whole, old.revision);
  return server.store.put(collection, whole);
}

/** The last finalizer has gone from an object that waits for nothing else. */
function isToBeDeleted(object: ApiObject, old: ApiObject): boolean {
  const { metadata } = object;
  if ((metadata.finalizers ?? []).length > 0 || (old.metadata.finalizers ?? []).length === 0) return false;
  if (metadata.deletionTimestamp === undefined) return false;
  if (object.kind === "Namespace" && object.apiVersion === "v1") {
    const finalizers = object.spec?.["finalizers"];
    if (Array.isArray(finalizers) && finalizers.length > 0) return false;
  }
  return (metadata.deletionGracePeriodSeconds ?? 0) === 0;
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
  call.resource.behaviour.rules.prepareStatus?.(object, old);
}

const notSpec = new Set(["metadata", "status", "kind", "apiVersion"]);

function changesSpec(object: ApiObject, old: ApiObject): boolean {
  const keys = new Set([...Object.keys(object), ...Object.keys(old)]);
  for (const key of keys) if (!notSpec.has(key) && !deepEqual(object[key], old[key])) return true;
  return false;
}
