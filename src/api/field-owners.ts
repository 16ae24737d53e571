/** Who owns changed fields, by the field sets of managedFields. */
import { deepEqual } from "./deep-equal.ts";
import type { ChangedNodes } from "./changed-nodes.ts";
import { isObject } from "./json.ts";

/** The owners of the changes from one state of an object to the next. */
export interface ChangeOwners {
  /** Whether a value was added or changed; removals do not count. */
  readonly addsOrChanges: boolean;
  /**
   * The indexes of the sets that own all changed fields; fields without an owner were set by the server, and are
   * ignored.
   */
  readonly owners: readonly number[];
}

/** Two states of an object, and the field sets of the possible owners of the changes. */
export interface OwnedChange {
  readonly before: unknown;
  readonly after: unknown;
  /** The differences between the two. */
  readonly changed: ChangedNodes;
  /** The fieldsV1 of each entry after the change. */
  readonly sets: readonly unknown[];
}

/**
 * Walks the changes with all field sets side by side. A set is a tree: `f:name` is a field, `k:{…}` and `v:…` an item
 * of a list by its keys or its value, `i:n` by its index, `.` the node itself. An empty node is either a value owned as
 * a whole (atomic), or a map or list that the entry once created and whose contents it has lost. An entry alone does
 * not tell which: if another entry names parts of the same path, parts are owned individually, and the empty node owns
 * none.
 *
 * Source: structured-merge-diff v6 fieldpath/serialize.go (serialization of sets), merge/update.go Update (a writer
 * owns what it changed and added; removed fields lose their owners).
 */
export function ownersOfChange({ before, after, changed, sets }: OwnedChange): ChangeOwners {
  const search = new OwnerSearch(sets.length);
  const same: Same = (old, item) => (isObject(item) && isObject(old) ? !changed.has(item) : deepEqual(old, item));
  const claims = sets.map((set) => (isObject(set) ? set : {}));
  search.compare(before, after, { path: "", same, claims });
  return search.result();
}

type Json = Readonly<Record<string, unknown>>;

/** An entry's claim to a path: its node there; `whole`: it owns, as a unit, something that contains the path. */
type Claim = Json | "whole" | undefined;
type Claims = readonly Claim[];

/** Whether the values at the same path before and after are equal. */
type Same = (before: unknown, after: unknown) => boolean;

interface Place {
  /** Set only near the top: further down, everything has an owner. */
  readonly path: string;
  readonly same: Same;
  readonly claims: Claims;
}

/** Fields that the API server sets without an owner. */
const unowned: ReadonlySet<string> = new Set([
  ".apiVersion",
  ".kind",
  ".metadata.managedFields",
  ".metadata.resourceVersion",
  ".metadata.generation",
  ".metadata.uid",
  ".metadata.creationTimestamp",
  ".metadata.selfLink",
  ".metadata.name",
  ".metadata.namespace",
]);

class OwnerSearch {
  #addsOrChanges = false;
  /** For each set, whether it owns everything found so far. */
  #owns: boolean[];
  #hasOwner = false;

  constructor(sets: number) {
    this.#owns = Array.from({ length: sets }, () => true);
  }

  result(): ChangeOwners {
    const owners = this.#hasOwner ? this.#owns.flatMap((owns, index) => (owns ? [index] : [])) : [];
    return { addsOrChanges: this.#addsOrChanges, owners };
  }

  compare(before: unknown, after: unknown, place: Place): void {
    const { path, same, claims } = place;
    if (after === undefined || unowned.has(path) || same(before, after)) return;
    if (isObject(before) && isObject(after)) this.#fields(before, after, place);
    else if (Array.isArray(before) && Array.isArray(after)) this.#items(before, after, claims);
    // No other manager can own a part of something new, so it need not be walked: defaults in it have no owner.
    else this.#changed(claims);
  }

  /** Something that changed as a unit: owned by the sets that name it or, if none does, by those that own what contains it. */
  #changed(claims: Claims): void {
    this.#addsOrChanges = true;
    const named = claims.some(isObject);
    const owns = claims.map((claim) => (named ? isObject(claim) : claim === "whole"));
    if (!owns.includes(true)) return;
    this.#hasOwner = true;
    this.#owns = this.#owns.map((all, index) => all && owns[index] === true);
  }

  #fields(before: Json, after: Json, { path, same, claims }: Place): void {
    const isTop = path === "" || path === ".metadata";
    const parts = (name: string): boolean => name.startsWith("f:");
    // The fields of metadata are maps and lists of parts, in every kind.
    const byParts = isTop || path.startsWith(".metadata") || claims.some((claim) => hasMember(claim, parts));
    for (const key of Object.keys(after)) {
      const below = claims.map((claim) => partOf(claim, `f:${key}`, byParts));
      this.compare(before[key], after[key], { path: isTop ? `${path}.${key}` : `${path}…`, same, claims: below });
    }
  }

  #items(before: readonly unknown[], after: readonly unknown[], claims: Claims): void {
    const members = new Set(claims.flatMap((claim) => (isObject(claim) ? Object.keys(claim) : [])));
    members.delete(".");
    const isNew = (item: unknown): boolean => !before.some((old) => deepEqual(old, item));
    if (members.size === 0) {
      if (after.some(isNew) || (after.length === before.length && after.length > 0)) this.#changed(claims);
      return;
    }
    for (const [index, item] of after.entries()) {
      if (!isNew(item)) continue;
      const named = [...members].filter((member) => names(member, item, index));
      const below = claims.map((claim) => {
        const member = isObject(claim) ? named.find((name) => claim[name] !== undefined) : undefined;
        return member === undefined ? undefined : partOf(claim, member, true);
      });
      // An item is compared with the one of the same name, at any index.
      const old = before.find((other, at) => named.some((member) => names(member, other, at)));
      this.compare(old, item, { path: "…", same: deepEqual, claims: below });
    }
  }
}

/** The claim to a part of something, derived from the claim to the whole. */
function partOf(claim: Claim, member: string, byParts: boolean): Claim {
  if (claim === undefined) return undefined;
  const node = claim === "whole" ? undefined : claim[member];
  if (isObject(node)) return node;
  return !byParts && (claim === "whole" || Object.keys(claim).length === 0) ? "whole" : undefined;
}

function hasMember(claim: Claim, matches: (name: string) => boolean): boolean {
  return isObject(claim) && Object.keys(claim).some(matches);
}

/** Whether `k:{"type":"Ready"}`, `v:"a"` or `i:0` names this item of a list. */
function names(member: string, item: unknown, index: number): boolean {
  const text = member.slice(2);
  switch (member.slice(0, 2)) {
    case "k:": {
      const keys = JSON.parse(text) as Json;
      return isObject(item) && Object.keys(keys).every((key) => deepEqual(item[key], keys[key]));
    }
    case "v:":
      return deepEqual(item, JSON.parse(text));
    case "i:":
      return index === Number(text);
    default:
      return false;
  }
}
