/** Number of pods created for each owner, from the audit log of the API server. */
import type { AuditEvent } from "../../support/audit-log.ts";

interface Owned {
  readonly metadata?: { readonly ownerReferences?: readonly { readonly controller?: boolean; readonly uid: string }[] };
}

/** Pods created in the namespace, including those gone by now, without adopted ones; keyed by the owner's uid. */
export function podsCreatedFor(events: readonly AuditEvent[], namespace: string): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { stage, verb, objectRef, responseStatus, responseObject } of events) {
    if (stage !== "ResponseComplete" || verb !== "create" || objectRef?.resource !== "pods") continue;
    if (objectRef.namespace !== namespace || objectRef.subresource !== undefined) continue;
    if (responseStatus?.code !== 201) continue;
    const { ownerReferences = [] } = ((responseObject ?? {}) as Owned).metadata ?? {};
    const owner = ownerReferences.find(({ controller }) => controller === true)?.uid;
    if (owner !== undefined) counts.set(owner, (counts.get(owner) ?? 0) + 1);
  }
  return counts;
}
