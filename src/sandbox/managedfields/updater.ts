/**
 * Updates and applies: the resulting owners of fields, and what an apply merges and prunes.
 * Source: structured-merge-diff v6 merge/update.go.
 */
import { deepEqual } from "../../api/field-changes.ts";
import { compare, type Comparison } from "./compare.ts";
import { type Conflict, ConflictError } from "./conflicts.ts";
import {
  difference,
  type FieldSet,
  intersection,
  isEmptySet,
  noFields,
  recursiveDifference,
  union,
} from "./field-set.ts";
import type { Manager, Managers } from "./managers.ts";
import { merge } from "./merge.ts";
import { reconciledSet } from "./reconcile-schema.ts";
import { removeItems } from "./remove.ts";
import { fieldSetOf, withNamedFields } from "./to-field-set.ts";
import type { Typed } from "./types.ts";

/** An object at a version, with its type there. */
export interface TypedObject extends Typed {
  readonly apiVersion: string;
}

/** What an updater needs to know about a kind. */
export interface Updater {
  /** Converts the object to another version; undefined if the kind does not have it. */
  readonly convert: (object: TypedObject, apiVersion: string) => TypedObject | undefined;
  /** Fields that the request cannot change, so nobody becomes their manager. */
  readonly resetFields: FieldSet;
}

/** The writing manager: its identity, and its entry without fields and time. */
export interface Writer {
  readonly identity: string;
  readonly owner: Omit<Manager, "set" | "time">;
}

/** An object before and after a write, and its managers before. */
export interface Change {
  readonly live: TypedObject;
  readonly object: TypedObject;
  readonly managers: Managers;
}

/** The managers' sets under the current schema, without managers at versions that the kind lacks. */
function reconciled({ convert }: Updater, { live, managers }: Change): Managers {
  const kept = new Map<string, Manager>();
  for (const [identity, manager] of managers) {
    const at = convert(live, manager.apiVersion);
    if (at === undefined) continue;
    const set = reconciledSet(manager.set, at.type);
    kept.set(identity, set === manager.set ? manager : { ...manager, set });
  }
  return kept;
}

/** The change of the object at each version; each version is compared once. */
function comparisons(
  { convert, resetFields }: Updater,
  { live, object }: Omit<Change, "managers">,
): (version: string) => Comparison | undefined {
  const known = new Map<string, Comparison>();
  return (version) => {
    const there = known.get(version);
    if (there !== undefined) return there;
    const [before, after] = [convert(live, version), convert(object, version)];
    if (before === undefined || after === undefined) return undefined;
    const made = compare({ old: before.value, now: after.value, type: after.type, reset: resetFields });
    known.set(version, made);
    return made;
  };
}

/** The writer, and the differences that it makes, by version. */
interface Writing {
  /** The identity of the applying manager; undefined for an update, whose manager is treated like the others at first. */
  readonly writer: string | undefined;
  readonly force: boolean;
  readonly compared: (version: string) => Comparison | undefined;
}

/**
 * Removes changed and deleted fields from all managers except the writer.
 * @throws ConflictError without force, if changed fields have other managers.
 */
function takeFromOthers(managers: Managers, { writer, force, compared }: Writing): Map<string, Manager> {
  const kept = new Map<string, Manager>();
  const conflicts: Conflict[] = [];
  for (const [identity, manager] of managers) {
    if (identity === writer) {
      if (!isEmptySet(manager.set)) kept.set(identity, manager);
      continue;
    }
    const change = compared(manager.apiVersion);
    if (change === undefined) continue;
    const taken = intersection(manager.set, union(change.modified, change.added));
    if (!isEmptySet(taken)) conflicts.push({ identity, manager, set: taken });
    const set = difference(difference(manager.set, taken), change.removed);
    if (!isEmptySet(set)) kept.set(identity, set === manager.set ? manager : { ...manager, set });
  }
  if (conflicts.length > 0 && !force) throw new ConflictError(conflicts);
  return kept;
}

/** The managers after an update, and the fields that it adds or modifies. */
export interface Updated {
  readonly managers: Managers;
  readonly changed: FieldSet;
}

/** The managers after an update; the fields that it sets have no owner yet. @throws ItemProblem */
export function update(updater: Updater, change: Change): Updated {
  const compared = comparisons(updater, change);
  const kept = takeFromOthers(reconciled(updater, change), { writer: undefined, force: true, compared });
  const { modified, added } = compared(change.object.apiVersion) ?? { modified: noFields, added: noFields };
  return { managers: kept, changed: union(modified, added) };
}

/** The result of an apply. */
export interface Applied {
  /** Undefined if nothing changes. */
  readonly object: TypedObject | undefined;
  readonly managers: Managers;
}

/** An apply: `object` is the configuration. */
export interface Application extends Change {
  readonly writer: Writer;
  readonly force: boolean;
}

/** Merges a configuration and prunes fields that its manager gives up. @throws ConflictError, ItemProblem */
export function apply(updater: Updater, application: Application): Applied {
  const { live, object, writer, force } = application;
  const known = new Map(reconciled(updater, application));
  const last = known.get(writer.identity);
  const merged: TypedObject = { ...live, value: merge(live, object.value) };
  const set = recursiveDifference(fieldSetOf(object), updater.resetFields);
  known.set(writer.identity, { ...writer.owner, set, time: last?.time });
  const pruned = prune(updater, { merged, managers: known, last });
  const compared = comparisons(updater, { live, object: pruned });
  const kept = takeFromOthers(known, { writer: writer.identity, force, compared });
  return { object: deepEqual(live.value, pruned.value) ? undefined : pruned, managers: kept };
}

/** The managers involved in pruning an object. */
interface Pruning {
  readonly merged: TypedObject;
  /** Including the current apply. */
  readonly managers: Managers;
  /** The manager with its last applied fields. */
  readonly last: Manager | undefined;
}

/** Removes fields that the manager applied last time but not now, unless another manager owns them. */
function prune(updater: Updater, { merged, managers, last }: Pruning): TypedObject {
  if (last === undefined || isEmptySet(last.set)) return merged;
  const before = updater.convert(merged, last.apiVersion);
  if (before === undefined) return merged;
  const removed = without(before, withNamedFields(last.set, before.type));
  const owned = addBackOwned(updater, { merged: before, pruned: removed, managers });
  const pruned = addBackDangling(updater, { merged: before, pruned: owned, last: last.set });
  return updater.convert(pruned, merged.apiVersion) ?? merged;
}

/** A merged object, and what is left of it so far. */
interface Pruned {
  readonly merged: TypedObject;
  readonly pruned: TypedObject;
}

const without = (object: TypedObject, set: FieldSet): TypedObject => ({
  ...object,
  value: removeItems(object, set),
});

const namedFieldsOf = (object: TypedObject): FieldSet => withNamedFields(fieldSetOf(object), object.type);

/** Adds back fields that any manager owns, version by version; first at the pruned version. */
function addBackOwned(updater: Updater, { merged, pruned, managers }: Pruned & Pick<Pruning, "managers">): TypedObject {
  const byVersion = new Map<string, FieldSet>();
  const first = pruned.apiVersion;
  for (const { apiVersion, set } of managers.values())
    byVersion.set(apiVersion, union(byVersion.get(apiVersion) ?? noFields, set));
  const versions = [...byVersion.keys()].sort((a, b) => Number(b === first) - Number(a === first));
  let left = pruned;
  for (const version of versions) {
    const [whole, rest] = [updater.convert(merged, version), updater.convert(left, version)];
    if (whole === undefined || rest === undefined) continue;
    const managed = withNamedFields(byVersion.get(version) ?? noFields, whole.type);
    left = without(whole, difference(namedFieldsOf(whole), union(namedFieldsOf(rest), managed)));
  }
  return left;
}

/** Adds back fields that the manager had not applied itself: those without owner, or owned by an updater. */
function addBackDangling(
  updater: Updater,
  { merged, pruned, last }: Pruned & { readonly last: FieldSet },
): TypedObject {
  const rest = updater.convert(pruned, merged.apiVersion);
  if (rest === undefined) return merged;
  const gone = difference(namedFieldsOf(merged), namedFieldsOf(rest));
  return without(merged, intersection(gone, withNamedFields(last, merged.type)));
}
