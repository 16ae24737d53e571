/** What the response to a write says about what was written. */
import type { ObjectMeta } from "./object.ts";
import type { Status } from "./status-error.ts";

/** The object of a response to a write; strings are empty if the response does not say. */
export interface WriteResult {
  readonly name: string;
  readonly uid: string;
  readonly resourceVersion: string;
  /** The object is gone. */
  readonly deletes: boolean;
}

/**
 * What a response says about its object. The object is gone if it has a deletionTimestamp and no finalizers or grace period left, or if the
 * server responds to a delete with a Status instead of the object.
 *
 * Source: apiserver v0.36 pkg/registry/generic/registry/store.go (ShouldDeleteDuringUpdate, finalizeDelete).
 */
export function resultOfWrite(body: unknown): WriteResult {
  const object = body as { readonly kind?: string; readonly metadata?: ObjectMeta } | undefined;
  if (object?.kind === "Status") {
    const { details, status } = object as Status;
    const uid = details?.uid ?? "";
    return { name: details?.name ?? "", uid, resourceVersion: "", deletes: status === "Success" && uid !== "" };
  }
  const meta = object?.metadata;
  return {
    name: meta?.name ?? "",
    uid: meta?.uid ?? "",
    resourceVersion: meta?.resourceVersion ?? "",
    deletes:
      meta?.deletionTimestamp !== undefined &&
      (meta.finalizers?.length ?? 0) === 0 &&
      (meta.deletionGracePeriodSeconds ?? 0) === 0,
  };
}

/** How many objects the response to a deletecollection lists; nothing if it is not a list. */
export function objectsIn(body: unknown): { readonly objects?: number } {
  const items = (body as { readonly items?: unknown } | undefined)?.items;
  return Array.isArray(items) ? { objects: items.length } : {};
}
