/**
 * Fields that no request of a kind and subresource can change, and metadata without owners: neither is tracked in managed fields.
 * Source: apiserver v0.36 registry/rest/update.go ResetFieldsStrategy, endpoints/installer.go.
 */
import type { RequestScope } from "../context/server.ts";
import { difference, type FieldSet, noFields, setOfPaths, union } from "./field-set.ts";

/** Metadata that no manager owns. Source: apimachinery v0.36 util/managedfields/internal/stripmeta.go. */
const unownedMetadata = [
  "name",
  "namespace",
  "creationTimestamp",
  "selfLink",
  "uid",
  "clusterName",
  "generation",
  "managedFields",
  "resourceVersion",
].map((key) => ["metadata", key]);

const unownedPlaces = setOfPaths([["apiVersion"], ["kind"], ...unownedMetadata]);
const unowned = setOfPaths([["apiVersion"], ["kind"], ["metadata"], ...unownedMetadata]);

/** The set without the fields that have no owners. */
export function ownable(set: FieldSet): FieldSet {
  return difference(set, unowned);
}

const objectFields = [["status"]] as const;
const statusFields = [["spec"]] as const;
const sets = new WeakMap<readonly (readonly string[])[], { readonly reset: FieldSet; readonly left: FieldSet }>();
const nothing = { reset: noFields, left: unownedPlaces };

function setsOf({ resource, served, subresource }: RequestScope): {
  readonly reset: FieldSet;
  readonly left: FieldSet;
} {
  const strategy = subresource === "" ? resource.strategy : resource.strategy.subresources[subresource];
  const usual = subresource === "status" ? statusFields : objectFields;
  const hasUsual = subresource === "status" || (subresource === "" && served.subresources.has("status"));
  const paths = strategy?.resetFields ?? (hasUsual ? usual : undefined);
  if (paths === undefined) return nothing;
  let made = sets.get(paths);
  if (made === undefined) {
    const reset = setOfPaths(paths);
    made = { reset, left: union(unownedPlaces, reset) };
    sets.set(paths, made);
  }
  return made;
}

/** The fields that the request cannot change: the strategy's `resetFields`. Default: the status, or the spec for the status subresource. */
export function resetFieldsOf(scope: RequestScope): FieldSet {
  return setsOf(scope).reset;
}

/** The fields that the manager of a new object does not own: reset fields, and metadata without owners. */
export function unownedOnCreate(scope: RequestScope): FieldSet {
  return setsOf(scope).left;
}
