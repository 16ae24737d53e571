/** A deleted definition is removed after its objects. Source: apiextensions-apiserver v0.36 pkg/controller/finalizer/crd_finalizer.go. */
import { runNow } from "../meta/steps.ts";
import { deleteEntry } from "../endpoints/delete.ts";
import { collectionOf, type RequestScope, type Server } from "../context/server.ts";
import type { ApiObject } from "../meta/object.ts";
import { setCondition, type DefinitionCondition } from "../registry/apiextensions/definition/conditions.ts";
import { isTrue } from "../meta/conditions.ts";
import { namesOf, definitionOf } from "../registry/apiextensions/definition/definition.ts";
import { cleanupFinalizer } from "../registry/apiextensions/definition-strategy.ts";
import { definitionNamed, writeStatus } from "./definitions.ts";

const terminating = (
  status: "True" | "False",
  why: Pick<DefinitionCondition, "reason" | "message">,
): DefinitionCondition => ({ type: "Terminating", status, ...why });

/**
 * Deletes the objects of a definition that is being deleted, then removes its finalizer; returns true if objects with finalizers are left.
 */
export function cleanUp(server: Server, name: string): boolean {
  const definition = definitionNamed(server, name);
  const finalizers = definition?.metadata.finalizers ?? [];
  if (definition?.metadata.deletionTimestamp === undefined || !finalizers.includes(cleanupFinalizer)) return false;
  const progress = terminating("True", {
    reason: "InstanceDeletionInProgress",
    message: "CustomResource deletion is in progress",
  });
  setCondition(definition, { ...progress, now: server.timeline.now() });
  const current = writeStatus(server, definition);
  if (current === undefined) return false;
  const left = isTrue(current, "Established") ? deleteObjects(server, current) : undefined;
  if (left !== undefined && left > 0) return true;
  const done =
    left === undefined
      ? terminating("False", { reason: "NeverEstablished", message: "resource was never established" })
      : terminating("False", { reason: "InstanceDeletionCompleted", message: "removed all instances" });
  setCondition(current, { ...done, now: server.timeline.now() });
  current.metadata.finalizers = (current.metadata.finalizers ?? []).filter((each) => each !== cleanupFinalizer);
  writeStatus(server, current);
  return false;
}

const plain = {
  gracePeriodSeconds: undefined,
  propagationPolicy: undefined,
  orphanDependents: undefined,
  uid: undefined,
  resourceVersion: undefined,
  dryRun: false,
} as const;

/** Deletes all objects of a kind; returns how many are left because they have finalizers. */
function deleteObjects(server: Server, definition: ApiObject): number {
  const { group, versions } = definitionOf(definition);
  const { plural } = namesOf(definition.status?.["acceptedNames"]);
  const [served] = versions.flatMap(({ name }) => server.registry.find(`${group}/${name}`, plural) ?? []);
  if (served === undefined) return 0;
  const collection = collectionOf(server, served);
  for (const entry of collection.range({})) {
    const { namespace, name } = entry;
    runNow(deleteEntry(scopeOf(server, { resource: served, namespace, name }), { entry, options: plain }));
  }
  return collection.size;
}

/** The scope of a request by the server itself. */
function scopeOf(
  server: Server,
  { resource, ...at }: Pick<RequestScope, "resource" | "namespace" | "name">,
): RequestScope {
  return {
    ...at,
    server,
    resource,
    served: resource,
    collection: collectionOf(server, resource),
    verb: "delete",
    subresource: "",
    query: [],
    headers: {},
    body: new Uint8Array(0),
    user: { name: "system:apiserver", groups: ["system:masters"] },
    dryRun: false,
    deadline: Number.POSITIVE_INFINITY,
    strict: [],
    literals: new Map(),
    warnings: [],
    audit: undefined,
  };
}
