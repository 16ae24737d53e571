/** The differences between two states of a cluster, object by object, in the order in which they were caused. */
import { generatedPrefix } from "../api/generated-name.ts";
import { deepEqual } from "../api/field-changes.ts";
import { type ObjectKey, objectKey } from "../api/key.ts";
import type { StoredObject } from "../api/object.ts";
import { controllerOf } from "../api/owner-references.ts";
import type { KindName } from "../trace/names.ts";
import { type DiffVisibility, normalizeForDiff } from "./normalize-for-diff.ts";
import { entryName, kindNameOf, type State, type StateEntry } from "./state.ts";
import { type Cause, joinCauses, type WriteAttribution } from "./write-attribution.ts";

/** How one object differs between two states, and why. Immutable. */
export interface ObjectChange {
  /** `replaced`: deleted, and created again under the same name. */
  readonly did: "created" | "changed" | "deleted" | "replaced";
  readonly of: KindName;
  readonly key: ObjectKey;
  /** The key with `…` for a generated suffix: `shop/web-6d5f4c-…`. */
  readonly shownKey: string;
  readonly before: StoredObject | undefined;
  readonly after: StoredObject | undefined;
  readonly causes: readonly Cause[];
  /** How many equal changes this one stands for; 1 unless folded. */
  readonly count: number;
}

/** The changes of a top-level owner and its dependents. */
export interface ChangeGroup {
  readonly of: KindName;
  readonly key: ObjectKey;
  /** The first is the object itself, if it has changed. */
  readonly changes: readonly ObjectChange[];
}

/** Which fields are compared, and whether equal changes are folded. */
export interface OutcomeOptions {
  readonly shown: DiffVisibility;
  /** Whether equal creations, and equal deletions, are folded into one. */
  readonly fold: boolean;
}

/** Kinds that are not compared. */
const ignoredKinds: ReadonlySet<string> = new Set(["Event", "Lease"]);

/** A change with the number of the object's first write, and the object's top-level owner. */
interface PlacedChange extends ObjectChange {
  readonly first: number;
  readonly root: StateEntry;
}

/** The differences of two states, grouped by top-level owner, each with its causes. Shares objects with the states. */
export function outcomeOf(
  before: State,
  after: State,
  attribution: WriteAttribution,
  options: OutcomeOptions,
): readonly ChangeGroup[] {
  const changed: PlacedChange[] = [];
  for (const [name, entry] of after) {
    const old = before.get(name);
    const change = changeOf(old, entry, options.shown);
    if (change !== undefined) changed.push(placed(change, name, entry, { before, after, attribution }));
  }
  for (const [name, entry] of before) {
    if (after.has(name) || ignoredKinds.has(entry.of.kind)) continue;
    const change = { did: "deleted", of: entry.of, key: entry.key, before: entry.object, after: undefined } as const;
    changed.push(placed(change, name, entry, { before, after, attribution }));
  }
  changed.sort((a, b) => a.first - b.first || (a.key < b.key ? -1 : 1));
  return grouped(options.fold ? folded(changed, options.shown) : changed);
}

type BareChange = Pick<ObjectChange, "did" | "of" | "key" | "before" | "after">;

function changeOf(old: StateEntry | undefined, now: StateEntry, shown: DiffVisibility): BareChange | undefined {
  const { of, key } = now;
  if (ignoredKinds.has(of.kind)) return undefined;
  if (old === undefined) return { did: "created", of, key, before: undefined, after: now.object };
  if (old.object === now.object) return undefined;
  const bare = { of, key, before: old.object, after: now.object };
  if (old.object.metadata.uid !== now.object.metadata.uid) return { did: "replaced", ...bare };
  if (old.object.metadata.resourceVersion === now.object.metadata.resourceVersion) return undefined;
  const isSame = deepEqual(comparable(old, shown), comparable(now, shown));
  return isSame ? undefined : { did: "changed", ...bare };
}

/** Includes secrets, because the result is compared and never shown. The counts of a quota follow from other changes and are ignored. */
function comparable({ of, object }: StateEntry, shown: DiffVisibility): unknown {
  const form = normalizeForDiff({ group: "", kind: "" }, object, shown);
  return of.kind === "ResourceQuota" ? { ...form, status: undefined } : form;
}

interface States {
  readonly before: State;
  readonly after: State;
}

interface ChangeContext extends States {
  readonly attribution: WriteAttribution;
}

function placed(change: BareChange, name: string, entry: StateEntry, context: ChangeContext): PlacedChange {
  return {
    ...change,
    shownKey: shownKeyOf(entry, context),
    causes: change.did === "deleted" ? context.attribution.causesOfDeleted(entry) : context.attribution.causesOf(name),
    count: 1,
    first: context.attribution.firstWrite(name) ?? Infinity,
    root: rootOf(entry, context),
  };
}

/** The name of the claim of a pod's volume begins with the generated name of the pod. */
function shownKeyOf(entry: StateEntry, states: States): string {
  const { key, object } = entry;
  const { namespace, name } = object.metadata;
  const prefix = generatedPrefix(object.metadata);
  const own = prefix === undefined ? name : `${prefix}…`;
  const owner = controllerIn(entry, states)?.object.metadata;
  const ownerPrefix = owner === undefined ? undefined : generatedPrefix(owner);
  if (owner !== undefined && ownerPrefix !== undefined && own.startsWith(owner.name)) {
    return objectKey(namespace, `${ownerPrefix}…${own.slice(owner.name.length)}`);
  }
  return prefix === undefined ? key : objectKey(namespace, own);
}

const maxOwnerDepth = 8;

/** The top-level owner of an object, as far as its owners are known. */
function rootOf(entry: StateEntry, states: States): StateEntry {
  let top = entry;
  for (let depth = 0; depth < maxOwnerDepth; depth++) {
    const owner = controllerIn(top, states);
    if (owner === undefined) return top;
    top = owner;
  }
  return top;
}

/** The owner that controls the object, if one of the states has it. */
function controllerIn({ object }: StateEntry, { before, after }: States): StateEntry | undefined {
  const owner = controllerOf(object);
  if (owner === undefined) return undefined;
  const name = entryName(kindNameOf(owner.apiVersion, owner.kind), objectKey(object.metadata.namespace, owner.name));
  return [after.get(name), before.get(name)].find((each) => each?.object.metadata.uid === owner.uid);
}

/** Folds creations, and deletions, of objects with the same top-level owner that are equal apart from their generated names. */
function folded(changes: readonly PlacedChange[], shown: DiffVisibility): PlacedChange[] {
  const kept: PlacedChange[] = [];
  const places = new Map<string, number>();
  for (const change of changes) {
    const object = change.did === "created" ? change.after : change.did === "deleted" ? change.before : undefined;
    if (object === undefined || controllerOf(object) === undefined || change.shownKey === change.key) {
      kept.push(change);
      continue;
    }
    const { spec, labels, annotations } = contentOf(change.of, object, shown);
    const name = JSON.stringify([
      change.did,
      change.of,
      change.shownKey,
      change.root.object.metadata.uid,
      spec,
      labels,
      annotations,
    ]);
    const place = places.get(name);
    if (place === undefined) {
      places.set(name, kept.length);
      kept.push(change);
    } else {
      const first = kept[place] as PlacedChange;
      kept[place] = { ...first, count: first.count + 1, causes: joinedCauses(first.causes, change.causes) };
    }
  }
  return kept;
}

function contentOf(
  of: KindName,
  object: StoredObject,
  shown: DiffVisibility,
): Record<"spec" | "labels" | "annotations", unknown> {
  // The status differs from pod to pod, and would take most of the time to compare.
  const { status: _status, ...rest } = object as StoredObject & { readonly status?: unknown };
  const form = normalizeForDiff(of, rest, { ...shown, ids: false, times: false });
  const metadata = form["metadata"] as Record<string, unknown>;
  return { spec: form["spec"], labels: metadata["labels"], annotations: metadata["annotations"] };
}

/** The causes of two equal changes, without duplicates: one decision may create several pods. */
function joinedCauses(a: readonly Cause[], b: readonly Cause[]): readonly Cause[] {
  const causes = [...a];
  for (const cause of b) {
    const place = causes.findIndex((each) => each.controller === cause.controller && each.rule === cause.rule);
    const there = causes[place];
    if (there === undefined) causes.push(cause);
    else if (there.sentence !== cause.sentence) causes[place] = joinCauses(there, cause);
  }
  return causes;
}

function grouped(changes: readonly PlacedChange[]): readonly ChangeGroup[] {
  const groups = new Map<string, { of: KindName; key: ObjectKey; changes: ObjectChange[] }>();
  for (const { root, first: _first, ...change } of changes) {
    const name = entryName(root.of, root.key);
    const group = groups.get(name) ?? { of: root.of, key: root.key, changes: [] };
    group.changes.push(change);
    groups.set(name, group);
  }
  for (const group of groups.values()) {
    const own = group.changes.findIndex(({ of, key }) => key === group.key && of.kind === group.of.kind);
    if (own > 0) group.changes.unshift(...group.changes.splice(own, 1));
  }
  return [...groups.values()];
}
