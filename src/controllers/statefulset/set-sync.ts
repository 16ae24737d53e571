/** One sync of one StatefulSet: what its steps share. */
import { PersistentVolumeClaims, StatefulSets } from "../../api/kinds.ts";
import type { Kind } from "../../api/kind.ts";
import type { PersistentVolumeClaim, StatefulSet } from "../../api/types.ts";
import type { EventToRecord, SyncContext } from "../../controller/api/sync-context.ts";
import type { Revisions } from "./members.ts";

/** What the steps of a sync share once the revisions are known. */
export interface SetSync {
  readonly context: SyncContext;
  /** As cached. */
  readonly set: StatefulSet;
  /** With the template of the current revision. */
  readonly currentSet: StatefulSet;
  /** With the template of the update revision: the set's own, except for defaults added since. */
  readonly updateSet: StatefulSet;
  readonly revisions: Revisions;
}

/** A claim in the set's namespace, as cached. */
export function cachedClaim(
  { context, set }: Pick<SetSync, "context" | "set">,
  name: string,
): PersistentVolumeClaim | undefined {
  return context.cache(PersistentVolumeClaims).getNamespaced(set.metadata.namespace ?? "", name);
}

/** Records an Event about the set. */
export function recordEvent({ context, set }: Pick<SetSync, "context" | "set">, event: EventToRecord): void {
  context.event(StatefulSets, set, event);
}

/** What the response to a write contains about its object. */
interface WrittenObject {
  readonly metadata: { readonly resourceVersion: string };
}

/** Holds the key back until the cache contains this write. */
export function noteWrite(
  { context, set }: Pick<SetSync, "context" | "set">,
  { kind, written }: { readonly kind: Kind; readonly written: WrittenObject },
): void {
  context.consistency.wrote({ key: context.key, uid: set.metadata.uid }, kind, written.metadata.resourceVersion);
}
