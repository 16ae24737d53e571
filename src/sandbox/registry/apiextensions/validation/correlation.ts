/**
 * A value of an update paired with its old value: unchanged values need not be valid.
 * Source: apiserver v0.36 pkg/cel/common/equality.go CorrelatedObject.
 */
import { deepEqual } from "../../../../api/field-changes.ts";
import { derived } from "../../../meta/derived.ts";
import { isFields, type Fields } from "../../../meta/object.ts";
import { fieldOf, type Structural } from "../schema/structural.ts";

/** A value with its old value and the structure of both. */
export interface Correlation {
  readonly now: unknown;
  readonly old: unknown;
  readonly structural: Structural | undefined;
}

/** The field in both values; undefined if either lacks it or it has no schema. */
export function fieldIn({ now, old, structural }: Correlation, name: string): Correlation | undefined {
  if (!isFields(now) || !isFields(old) || !Object.hasOwn(now, name) || !Object.hasOwn(old, name)) return undefined;
  const field = fieldOf(structural, name);
  return field === undefined ? undefined : { now: now[name], old: old[name], structural: field };
}

/** The item of a list of type `map`, paired with the old item of the same keys; undefined for other lists. */
export function itemIn({ now, old, structural }: Correlation, index: number): Correlation | undefined {
  if (structural?.listType !== "map" || structural.items === undefined) return undefined;
  if (!Array.isArray(now) || !Array.isArray(old)) return undefined;
  const item: unknown = now[index];
  if (!isFields(item)) return undefined;
  const before = oldItems(structural)(old).get(keysOf(item, structural.listMapKeys));
  return before === undefined ? undefined : { now: item, old: before, structural: structural.items };
}

/** The items of a stored list by the values of their keys; of duplicates, the first. */
const oldItems = derived(({ listMapKeys }: Structural) =>
  derived((list: readonly unknown[]): ReadonlyMap<string, Fields> => {
    const byKeys = new Map<string, Fields>();
    for (const item of list.filter(isFields)) {
      const keys = keysOf(item, listMapKeys);
      if (!byKeys.has(keys)) byKeys.set(keys, item);
    }
    return byKeys;
  }),
);

const keysOf = (item: Fields, names: readonly string[]): string => JSON.stringify(names.map((name) => item[name]));

/** True if nothing has changed. Fields without a schema count as changed. */
export function isUnchanged(correlation: Correlation): boolean {
  const { now, old } = correlation;
  if (Array.isArray(now) && Array.isArray(old)) {
    if (correlation.structural?.listType !== "map") return deepEqual(now, old);
    return now.length === old.length && now.every((_item, index) => isSame(itemIn(correlation, index)));
  }
  if (!isFields(now) || !isFields(old)) return deepEqual(now, old);
  const names = Object.keys(now);
  return names.length === Object.keys(old).length && names.every((name) => isSame(fieldIn(correlation, name)));
}

const isSame = (part: Correlation | undefined): boolean => part !== undefined && isUnchanged(part);
