/** Duplicate owner references. Source: apiserver v0.36 endpoints/handlers/rest.go dedupOwnerReferences. */
import { deepEqual } from "../../api/field-changes.ts";
import type { ApiObject, OwnerReference } from "../meta/object.ts";
import type { RequestScope } from "../context/server.ts";

/** Whether they came from the client, or from a patch or an admission plugin. */
export type Seen = "" | " after mutating admission happens";

/** A write whose object may have owner references. */
export interface OwnedWrite {
  readonly scope: RequestScope;
  readonly object: ApiObject;
}

/** Drops owner references that equal an earlier one, with a warning. */
export function dedupOwnerReferences({ scope, object: { metadata } }: OwnedWrite, seen: Seen): void {
  const { ownerReferences = [] } = metadata;
  if (ownerReferences.length < 2) return;
  const byUid = new Map<string, OwnerReference[]>();
  const repeated: OwnerReference[] = [];
  const kept = ownerReferences.filter((reference) => {
    const seenBefore = byUid.get(reference.uid) ?? [];
    const isRepeated = seenBefore.some((other) => deepEqual(other, reference));
    if (isRepeated) repeated.push(reference);
    else byUid.set(reference.uid, [...seenBefore, reference]);
    return !isRepeated;
  });
  if (repeated.length === 0) return;
  metadata.ownerReferences = kept;
  scope.warnings.push(
    `.metadata.ownerReferences contains duplicate entries${seen}; API server dedups owner references in 1.20+, and may reject such requests as early as 1.24; please fix your requests; duplicate UID(s) observed: ${repeated.map(({ uid }) => uid).join(", ")}`,
  );
}
