/** The field manager that made a change, as far as `metadata.managedFields` shows. */
import { type ChangedNodes, changedNodes } from "./changed-nodes.ts";
import { ownersOfChange } from "./field-owners.ts";
import { hashOfFieldSet } from "./field-set-hash.ts";
import type { ManagedFieldsEntry, StoredObject } from "./object.ts";

/** An entry of managedFields with a hash in place of its field set: enough to see that it changed. */
export interface CompactEntry {
  readonly manager: string;
  /** Operation, subresource and version: what distinguishes two entries of one manager. */
  readonly part: string;
  readonly time: string;
  readonly fields: number;
}

/** managedFields in about a hundred bytes per entry, kept beside an object that is cached without them. */
export type CompactManagedFields = readonly CompactEntry[];

/** A change as observed by a watch: one write, with the previous state. */
export interface WatchedChange {
  /** Undefined for an object that the write created. */
  readonly before: StoredObject | undefined;
  readonly managedBefore: CompactManagedFields | undefined;
  readonly after: StoredObject;
  readonly managedAfter: readonly ManagedFieldsEntry[];
  /** `compactManagedFields(managedAfter)`, if already known: it takes longer than everything else. */
  readonly compactAfter?: CompactManagedFields;
}

/** What is kept of managedFields to compare with the next change. Costs a hash of each field set. */
export function compactManagedFields(entries: readonly ManagedFieldsEntry[]): CompactManagedFields {
  return entries.map((entry) => ({
    manager: entry.manager ?? "",
    part: `${entry.operation ?? ""} ${entry.subresource ?? ""} ${entry.apiVersion ?? ""}`,
    time: entry.time ?? "",
    fields: hashOfFieldSet(entry.fieldsV1),
  }));
}

/**
 * The manager that made the change; undefined unless exactly one can have made it. Neither the order of the entries nor their times
 * show it: entries are sorted by operation first, and times are whole seconds or absent. What does show it:
 *
 * - For a new object: its only manager.
 * - For changed values: the manager that writes a value owns it afterwards, and no other does. So the writer's entry owns everything
 *   that was added or changed and has an owner at all. Of several such entries, the one with a new time or field set; if all belong to
 *   one manager, also an unchanged entry, as after two writes within a second.
 * - For a change that only removed something: nothing is left to be owned, but an apply still renews the time of its entry, and
 *   a manager without an entry gets one.
 * - For a deletion, and for its first step, the deletionTimestamp: none, since deletions are not recorded.
 *
 * Pass single writes only: the difference between two lists may be many. `known`: the changed nodes, if already known.
 */
export function fieldManagerOfChange(change: WatchedChange, known?: ChangedNodes): string | undefined {
  const { before, managedBefore, after, managedAfter } = change;
  if (before === undefined) return only(managedAfter);
  if (managedBefore === undefined || deletionTimeDiffers(before, after)) return undefined;
  const now = change.compactAfter ?? compactManagedFields(managedAfter);
  // There may be several with the same manager and part: a scale adds one.
  const earlier = now.map(({ manager, part }) =>
    managedBefore.filter((old) => old.manager === manager && old.part === part),
  );
  const renewed = (index: number): boolean => {
    const time = now[index]?.time;
    // A scale removes the time from the entry that it takes the replicas from, and sets none on its own.
    return time !== "" && earlier[index]?.every((old) => old.time !== time) === true;
  };
  const changed = known ?? changedNodes(before, after);
  const sets = managedAfter.map(({ fieldsV1 }) => fieldsV1);
  const { addsOrChanges, owners } = ownersOfChange({ before, after, changed, sets });
  const entriesOf = (indexes: readonly number[]): ManagedFieldsEntry[] =>
    managedAfter.filter((_, index) => indexes.includes(index));
  // Nothing was added that could be owned; a new entry is a trace nevertheless.
  if (!addsOrChanges) return only(managedAfter.filter((_, index) => renewed(index) || earlier[index]?.length === 0));
  const hasOtherFields = (index: number): boolean =>
    earlier[index]?.every((old) => old.fields !== now[index]?.fields) === true;
  const fresh = owners.filter((index) => renewed(index) || hasOtherFields(index));
  // A second write by the same manager within one second leaves its entry unchanged; still, no other manager owns what it changed.
  return only(entriesOf(fresh.length > 0 ? fresh : owners));
}

/**
 * Names that the API server gives to fields whose manager it no longer knows: no client writes under them.
 * Source: apimachinery v0.36 util/managedfields/internal/{capmanagers,skipnonapplied}.go.
 */
const bookkeeping: ReadonlySet<string> = new Set(["ancient-changes", "before-first-apply"]);

/** The one manager of the entries, which may differ in operation and subresource. */
function only(entries: readonly ManagedFieldsEntry[]): string | undefined {
  let known: string | undefined;
  for (const { manager = "" } of entries) {
    if (bookkeeping.has(manager) || manager === known) continue;
    if (known !== undefined) return undefined;
    known = manager;
  }
  return known === "" ? undefined : known;
}

function deletionTimeDiffers(before: StoredObject, after: StoredObject): boolean {
  return before.metadata.deletionTimestamp !== after.metadata.deletionTimestamp;
}
