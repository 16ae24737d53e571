/**
 * The finalizers by which the garbage collector learns the propagation policy of a deletion.
 * Source: apiserver v0.36 pkg/registry/generic/registry/store.go deletionFinalizersForGarbageCollection.
 */
import type { RequestScope } from "../context/server.ts";
import type { ApiObject } from "../meta/object.ts";
import type { GarbageCollectionPolicy } from "../registry/strategy/rest-strategy.ts";
import type { DeleteOptions } from "./delete-options.ts";

/** Sets the finalizers of the garbage collector according to the options. */
export function setFinalizers(scope: RequestScope, { metadata }: ApiObject, options: DeleteOptions): void {
  const before = metadata.finalizers ?? [];
  const after = before.filter((finalizer) => finalizer !== "orphan" && finalizer !== "foregroundDeletion");
  const own = scope.resource.strategy.defaultGarbageCollectionPolicy;
  const policy = own === "unsupported" ? "" : policyOf(before, options, own);
  if (policy === "Orphan") after.push("orphan");
  if (policy === "Foreground") after.push("foregroundDeletion");
  if (after.length === before.length && after.every((finalizer) => before.includes(finalizer))) return;
  if (after.length === 0) delete metadata.finalizers;
  else metadata.finalizers = after;
}

function policyOf(
  finalizers: readonly string[],
  { orphanDependents, propagationPolicy }: DeleteOptions,
  byDefault: GarbageCollectionPolicy,
): string {
  if (orphanDependents !== undefined) return orphanDependents ? "Orphan" : "Background";
  if (propagationPolicy !== undefined) return propagationPolicy;
  const own = finalizers.find((finalizer) => finalizer === "orphan" || finalizer === "foregroundDeletion");
  if (own === undefined) return byDefault === "orphan dependents" ? "Orphan" : "Background";
  return own === "orphan" ? "Orphan" : "Foreground";
}
