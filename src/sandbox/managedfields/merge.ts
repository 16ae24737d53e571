/**
 * Merges an applied configuration into an object: applied values replace live ones, all others are kept. Source: structured-merge-diff v6
 * typed/merge.go.
 */
import { isFields, listIn, type Fields } from "../meta/object.ts";
import {
  atomOf,
  deducedType,
  itemElement,
  type ListType,
  type MapType,
  type Type,
  typeAt,
  type Typed,
} from "./types.ts";

/**
 * Merges `applied` into `live`; neither is changed, and the result may share values with them. Items keep their order, unless the
 * configuration has another: then they follow it.
 */
export function merge({ value: live, type }: Typed, applied: Fields): Fields {
  const merged = mergeValues({ live, applied, type });
  return isFields(merged) ? merged : {};
}

/** A place in both objects. Undefined means missing; null is a value that fits any type. */
interface Place {
  readonly live: unknown;
  readonly applied: unknown;
  readonly type: Type;
}

function mergeValues({ live, applied, type }: Place): unknown {
  const atom = atomOf(type, applied ?? live);
  const leaf = applied === undefined ? live : applied;
  switch (atom.is) {
    case "scalar":
      return leaf;
    case "map": {
      const [ours, theirs] = [isFields(live) ? live : {}, isFields(applied) ? applied : {}];
      if (atom.atomic || (Object.keys(ours).length === 0 && Object.keys(theirs).length === 0)) return leaf;
      return mergeFields({ live: ours, applied: theirs, type: atom });
    }
    case "list": {
      const [ours, theirs] = [listIn(live), listIn(applied)];
      if (!atom.associative || (ours.length === 0 && theirs.length === 0)) return leaf;
      return mergeItems({ live: indexed(ours, atom), applied: indexed(theirs, atom), type: atom.of() });
    }
  }
}

interface FieldsPlace {
  readonly live: Fields;
  readonly applied: Fields;
  readonly type: MapType;
}

function mergeFields({ live, applied, type }: FieldsPlace): Fields {
  const merged: Fields = {};
  // A key may have the name of an inherited property.
  const own = (fields: Fields, key: string): unknown => (Object.hasOwn(fields, key) ? fields[key] : undefined);
  const mergeField = (key: string): void => {
    const at = typeAt(type, key) ?? deducedType;
    const value = mergeValues({ live: own(live, key), applied: own(applied, key), type: at });
    Object.defineProperty(merged, key, { value, enumerable: true, configurable: true, writable: true });
  };
  for (const key of Object.keys(live)) mergeField(key);
  for (const key of Object.keys(applied)) if (!Object.hasOwn(live, key)) mergeField(key);
  return merged;
}

/** The items of a list in order, each with its path element. */
interface Indexed {
  readonly elements: readonly string[];
  readonly items: readonly unknown[];
  /** By path element; null for duplicates, which are not merged. */
  readonly byElement: ReadonlyMap<string, unknown>;
}

function indexed(items: readonly unknown[], type: ListType): Indexed {
  const elements = items.map((item) => itemElement(item, type));
  const byElement = new Map<string, unknown>();
  for (const [index, element] of elements.entries())
    byElement.set(element, byElement.has(element) ? null : items[index]);
  return { elements, items, byElement };
}

interface ItemsPlace {
  readonly live: Indexed;
  readonly applied: Indexed;
  /** The type of an item. */
  readonly type: Type;
}

/**
 * Walks both lists in parallel. Live-only items stay in place; common items follow the applied order, and a live item that comes too early
 * for it waits for its turn.
 */
function mergeItems({ live, applied, type }: ItemsPlace): unknown[] {
  const merged: unknown[] = [];
  const taken = new Set<string>();
  const shared = applied.elements.filter((element) => live.byElement.has(element));
  let nextShared = 0;
  let [ours, theirs] = [0, 0];
  const takeApplied = (element: string): void => {
    taken.add(element);
    const place = { live: live.byElement.get(element), applied: applied.byElement.get(element), type };
    merged.push(mergeValues(place));
    theirs++;
  };
  while (ours < live.elements.length || theirs < applied.elements.length) {
    const [own, other] = [live.elements[ours], applied.elements[theirs]];
    if (own !== undefined && own === other) {
      takeApplied(own);
      ours++;
      nextShared++;
      continue;
    }
    if (own !== undefined) {
      const isShared = applied.byElement.has(own);
      if (other !== undefined && isShared && nextShared < shared.length && shared[nextShared] !== own) {
        ours++;
        continue;
      }
      if (!isShared) {
        merged.push(live.items[ours]);
        ours++;
        continue;
      }
      if (taken.has(own)) ours++;
    }
    if (other === undefined) continue;
    if (shared[nextShared] === other) nextShared++;
    takeApplied(other);
  }
  return merged;
}
