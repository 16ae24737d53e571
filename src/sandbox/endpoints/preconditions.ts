/** The uid and the version that a deletion requires of its object. */
import type { RequestScope } from "../context/server.ts";
import { conflict } from "../meta/refusal.ts";
import type { Entry } from "../storage/entry.ts";
import type { DeleteOptions } from "./delete-options.ts";

/** @throws StatusError 409 */
export function checkPreconditions(
  scope: RequestScope,
  { object }: Entry,
  { uid, resourceVersion }: DeleteOptions,
): void {
  const { metadata } = object;
  const { asKind, asResource, storage } = scope.resource;
  if (storage === "namespaces") {
    const pairs = [
      ["UID", uid, metadata.uid],
      ["ResourceVersion", resourceVersion, metadata.resourceVersion],
    ] as const;
    for (const [what, expected, is] of pairs) {
      if (expected === undefined || expected === is) continue;
      const why = `Precondition failed: ${what} in precondition: ${expected}, ${what} in object meta: ${is}`;
      throw conflict(asResource, metadata.name ?? "", why);
    }
  }
  if (uid !== undefined && uid !== metadata.uid) {
    throw conflict(
      asKind,
      metadata.name ?? "",
      `the UID in the precondition (${uid}) does not match the UID in record (${metadata.uid}). The object might have been deleted and then recreated`,
    );
  }
  if (resourceVersion !== undefined && resourceVersion !== metadata.resourceVersion) {
    throw conflict(
      asKind,
      metadata.name ?? "",
      `the ResourceVersion in the precondition (${resourceVersion}) does not match the ResourceVersion in record (${metadata.resourceVersion}). The object might have been modified`,
    );
  }
}
