/** One sync of one DaemonSet: what its steps share. */
import { DaemonSets } from "../../api/kinds.ts";
import type { Kind } from "../../api/kind.ts";
import type { Selector } from "../../api/labels.ts";
import type { StoredObject } from "../../api/object.ts";
import type { DaemonSet, Node } from "../../api/types.ts";
import type { EventToRecord, SyncContext } from "../../controller/api/sync-context.ts";
import type { NodeFits } from "../../api/node-fit/daemon-fit.ts";

/** What the steps of a sync share. */
export interface DaemonSync {
  readonly context: SyncContext;
  /** As cached when the sync began. */
  readonly set: DaemonSet;
  readonly selector: Selector;
  /** All nodes, as cached when the sync began. */
  readonly nodes: readonly Node[];
  readonly fitOf: NodeFits;
  /** Pod versions already checked, by uid and resourceVersion, and whether they are the set's: none is adopted or released twice. */
  readonly claimed: Map<string, boolean>;
}

/** Records an Event about the set. */
export function recordEvent({ context, set }: Pick<DaemonSync, "context" | "set">, event: EventToRecord): void {
  context.event(DaemonSets, set, event);
}

/** Holds the key back until the cache contains this write. */
export function noteWrite(
  { context, set }: Pick<DaemonSync, "context" | "set">,
  { kind, written }: { readonly kind: Kind; readonly written: StoredObject },
): void {
  context.consistency.wrote({ key: context.key, uid: set.metadata.uid }, kind, written.metadata.resourceVersion);
}
