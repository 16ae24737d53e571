/** `namespaces/finalize`: takes finalizers out of a namespace's spec. Source: kubernetes v1.36 pkg/registry/core/namespace/storage. */
import { deepEqual } from "../../api/field-changes.ts";
import type { ApiObject } from "../object.ts";
import { conflict, notFound, optimisticLock } from "../refusal.ts";
import type { Call } from "../server.ts";
import { Entry } from "../store/entry.ts";
import { bodyJson, objectOf } from "./body.ts";

/** @throws StatusError 404, 409. */
export function finalize(call: Call): { status: number; entry: Entry } {
  const { resource, collection, server } = call;
  const sent = objectOf(call, bodyJson(call, resource.kind), resource.kind, resource.apiVersion, resource.struct);
  const entry = collection.get("", call.name);
  if (entry === undefined) throw notFound(resource.asResource, call.name);
  const version = sent.metadata.resourceVersion ?? "";
  if (version !== "" && Number(version) !== entry.revision)
    throw conflict(resource.asResource, call.name, optimisticLock);
  const { finalizers: _before, ...spec } = entry.object.spec ?? {};
  const asked = sent.spec?.["finalizers"];
  const kept = Array.isArray(asked) && asked.length > 0;
  const object: ApiObject = {
    ...entry.object,
    metadata: { ...entry.object.metadata },
    spec: kept ? { ...spec, finalizers: asked } : spec,
  };
  if (deepEqual(object, entry.object)) return { status: 200, entry };
  const going =
    object.metadata.deletionTimestamp !== undefined && !kept && (object.metadata.finalizers ?? []).length === 0;
  if (!going) return { status: 200, entry: call.dryRun ? entry : server.store.put(collection, object) };
  // The answer has the version from before, as with every last finalizer.
  if (!call.dryRun) server.store.remove(collection, { ...entry.object, metadata: { ...entry.object.metadata } });
  return { status: 200, entry: new Entry(object, entry.revision) };
}
