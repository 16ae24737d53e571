/** The lists of strategic merge patches: the types of their items, and their order. Source: see strategic-merge.ts. */
import { PatchError } from "./patch.ts";
import { isObject } from "./json.ts";

type Json = Record<string, unknown>;

/** The key of an object that contains a directive. */
export const marker = "$patch";

/** Whether the items are objects. @throws PatchError for lists of mixed types, and for lists of lists. */
export function isListOfObjects(...lists: readonly (readonly unknown[])[]): boolean {
  let first: string | undefined;
  for (const item of lists.flat()) {
    const type = goTypeOf(item);
    if (first === undefined && Array.isArray(item)) {
      throw new PatchError("unsupported", "lists of lists are not supported");
    }
    first ??= type;
    if (type !== first)
      throw new PatchError("failed", `list element types are not identical: [${lists.map(goMap).join(" ")}]`);
  }
  if (first === undefined) throw new PatchError("failed", "no elements in any of the given slices");
  return first === goTypeOf({});
}

/** The error for an item without its merge key. */
export const noMergeKey = (item: Json, key: string): PatchError =>
  new PatchError("failed", `map: ${goMap(item)} does not contain declared merge key: ${key}`);

/** JSON as Go prints it with %v: `map[a:1 b:[2 3]]`. */
export function goMap(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(goMap).join(" ")}]`;
  if (!isObject(value)) return typeof value === "string" ? value : value === null ? "<nil>" : JSON.stringify(value);
  const parts = Object.keys(value)
    .sort()
    .map((key) => `${key}:${goMap(value[key])}`);
  return `map[${parts.join(" ")}]`;
}

/** The Go type into which a JSON value is decoded. */
export function goTypeOf(value: unknown): string {
  if (value === null) return "%!s(<nil>)";
  if (Array.isArray(value)) return "[]interface {}";
  if (typeof value === "boolean") return "bool";
  if (typeof value === "number") return Number.isInteger(value) ? "int64" : "float64";
  return typeof value === "string" ? "string" : "map[string]interface {}";
}

/**
 * The items in the patch are in the patch's order; the others keep their position before the patched items that they
 * preceded, several of one key together. Items are identified by `key`, or by themselves without one.
 * @throws PatchError for items without the key.
 */
export function ordered(
  merged: readonly unknown[],
  order: readonly unknown[],
  before: readonly unknown[],
  key: string | undefined,
): unknown[] {
  const nameOf = (item: unknown): unknown => nameIn(item, key);
  const placesIn = (list: readonly unknown[]): Map<unknown, number> =>
    new Map(list.map((item, index) => [nameOf(item), index] as const).reverse());
  const [inOrder, inBefore] = [placesIn(order), placesIn(before)];
  const place = (item: unknown): number => inOrder.get(nameOf(item)) ?? -1;
  const named = merged.filter((item) => place(item) >= 0).sort((a, b) => place(a) - place(b));
  const placeBefore = (item: unknown): number => inBefore.get(nameOf(item)) ?? Infinity;
  const rest = merged.filter((item) => place(item) < 0).sort((a, b) => placeBefore(a) - placeBefore(b) || 0);
  const result: unknown[] = [];
  let [i, j] = [0, 0];
  while (i < rest.length && j < named.length) {
    const [left, right] = [inBefore.get(nameOf(rest[i])), inBefore.get(nameOf(named[j]))];
    result.push(left !== undefined && right !== undefined && left < right ? rest[i++] : named[j++]);
  }
  return [...result, ...rest.slice(i), ...named.slice(j)];
}

/** The error for a value of an unexpected type. */
export const wrongType = (expected: string, value: unknown): PatchError =>
  new PatchError("failed", `expected a ${expected}, but received a ${goTypeOf(value)}`);

/** Checks that the order contains all items of the patch, in the same order. @throws PatchError */
export function checkOrder(patched: readonly unknown[], order: readonly unknown[], mergeKey: string | undefined): void {
  if (order.length === 0 || patched.length === 0) return;
  const kept = mergeKey === undefined ? patched : patched.filter((item) => !isDeletion(item));
  let [index, place] = [0, 0];
  while (index < kept.length && place < order.length) {
    const item = kept[index];
    if (isObject(item) && Object.hasOwn(item, marker)) index++;
    else if (nameIn(item, mergeKey) === nameIn(order[place++], mergeKey)) index++;
  }
  if (index === kept.length) return;
  throw new PatchError(
    "failed",
    `The order in patch list:\n${goMap(patched)}\n doesn't match $setElementOrder list:\n${goMap(order)}\n`,
  );
}

function isDeletion(item: unknown): boolean {
  if (!isObject(item)) throw wrongType("map[string]interface {}", item);
  return item[marker] === "delete";
}

/**
 * The identity of an item: the value of its key, or the item without a key. @throws PatchError for an item without the
 * key.
 */
function nameIn(item: unknown, key: string | undefined): unknown {
  if (key === undefined) return item;
  if (!isObject(item)) throw wrongType("map[string]interface {}", item);
  if (!Object.hasOwn(item, key)) throw noMergeKey(item, key);
  return item[key];
}
