/**
 * Actual costs of calls. Source: cel-go v0.26 interpreter/runtimecost.go costCall, ext/lists.go, ext/sets.go; apiserver v0.36
 * pkg/cel/library/cost.go CallCost.
 */
import { itemsOf } from "../values/collections.ts";
import { CelList, CelMap, Opaque, Optional, sizeOf, type Value } from "../values/value.ts";
import { FormatValue } from "../library/formats.ts";

/** Calculates a call's cost from its operands, the target first, and its result. */
export type CallCost = (operands: readonly Value[], result: Value) => number;

const traversal = 0.1;
const single: CallCost = () => 1;

/** The size of a value, or of the value inside an optional. */
const sizeWithin = (value: Value | undefined): number => {
  if (value === undefined) return 1;
  return value instanceof Optional && value.value !== undefined ? sizeWithin(value.value) : sizeOf(value);
};

const size = (value: Value | undefined): number => (value === undefined ? 1 : sizeOf(value));

const traversing =
  (factor: number): CallCost =>
  ([first]) =>
    Math.ceil(size(first) * factor);

const matching: CallCost = ([text, pattern]) =>
  Math.ceil((1 + size(text)) * traversal) * Math.ceil(size(pattern) * 0.25);

const comparing: CallCost = ([a, b]) => Math.ceil(Math.min(sizeWithin(a), sizeWithin(b)) * traversal);

/** The cost of a call that creates a list: a factor of its size, the call, and the list. */
const allocated = (factor: number, count: number): number => Math.floor(count * factor) + 1 + 10;

const selfCompared = (list: Value | undefined): number => {
  if (!(list instanceof CelList)) return 1;
  const first = list.size === 0 ? undefined : list.get(0);
  const isText = typeof first === "string" || first instanceof Uint8Array;
  return allocated(isText ? 2 + traversal : 2, list.size * list.size);
};

const sets =
  (factor: number): CallCost =>
  ([a, b]) =>
    1 + Math.floor(size(a) * size(b) * factor);

const madeList: CallCost = (_, result) => allocated(1, size(result));

const ofOverloads: Readonly<Record<string, CallCost>> = {
  list_slice: madeList,
  list_flatten: ([list]) => allocated(1, size(list)),
  list_flatten_int: ([list, depth]) => allocated(typeof depth === "bigint" ? Number(depth) : 1, size(list)),
  lists_range: ([end]) => allocated(1, typeof end === "bigint" && end > 0n ? Number(end) : 0),
  list_reverse: madeList,
  list_distinct: ([list]) => selfCompared(list),
  list_sets_contains_list: sets(1),
  list_sets_intersects_list: sets(1),
  list_sets_equivalent_list: sets(2),
};

/** The cost of traversing a value: a tenth of each string's length, and one for each item without a size. */
function traversalCost(value: Value | undefined): number {
  if (typeof value === "string") return Math.floor(new TextEncoder().encode(value).length * traversal);
  if (value instanceof Uint8Array) return Math.floor(value.length * traversal);
  if (value instanceof CelList) return itemsOf(value).reduce<number>((sum, item) => sum + traversalCost(item), 0);
  if (value instanceof CelMap) {
    return value.keys().reduce<number>((sum, key) => sum + traversalCost(key) + traversalCost(value.find(key)), 0);
  }
  return 1;
}

const containing =
  (parsed: string, isNetwork: boolean) =>
  (overload: string): CallCost =>
  ([network, other]) => {
    let cost = Math.ceil(2 * size(network) * traversal);
    if (isNetwork) cost += Math.ceil(size(network) * traversal) + 1;
    return overload === parsed ? cost + Math.ceil(size(other) * traversal) : cost;
  };

const selecting: CallCost = ([, selector]) => {
  const length = size(selector);
  return 10 + Math.ceil(length * traversal) + Math.ceil(Math.ceil(length * 0.5) * 50);
};

const many = (names: string, cost: CallCost): Record<string, CallCost> =>
  Object.fromEntries(names.split(" ").map((name) => [name, cost]));

const containsIp = containing("cidr_contains_ip_string", false);
const containsCidr = containing("cidr_contains_cidr_string", true);

const ofFunctions: Readonly<Record<string, CallCost>> = {
  check: () => 350_000,
  ...many("serviceAccount path group resource subresource namespace name allowed reason error errored", single),
  ...many("fieldSelector labelSelector", selecting),
  ...many("isSorted sum max min indexOf lastIndexOf", ([first]) => traversalCost(first)),
  ...many("url lowerAscii upperAscii substring trim jsonpatch.escapeKey", traversing(traversal)),
  ...many("replace split", traversing(2 * traversal)),
  join: (_, result) => Math.ceil(size(result) * 2 * traversal),
  ...many("find findAll", matching),
  ...many("cidr isIP isCIDR quantity isQuantity semver isSemver", traversing(traversal)),
  "ip.isCanonical": traversing(2 * traversal),
  ...many(
    "masked prefixLength family isUnspecified isLoopback isLinkLocalMulticast isLinkLocalUnicast isGlobalUnicast",
    single,
  ),
  validate: ([format, text]) =>
    format instanceof FormatValue
      ? Math.ceil((1 + size(text)) * traversal) * Math.ceil(format.format.patternLength * 0.25)
      : 1,
  "format.named": single,
};

/** Comparing Kubernetes' own values costs one. */
const equality: CallCost = (operands, result) => (operands[0] instanceof Opaque ? 1 : comparing(operands, result));

const joined: CallCost = ([a, b]) => Math.ceil((sizeWithin(a) + sizeWithin(b)) * traversal);

const orders = ["less", "less_equals", "greater", "greater_equals"];

const ofStandard: Readonly<Record<string, CallCost>> = {
  ...many(
    "starts_with_string ends_with_string string_to_bytes bytes_to_string strings_quote string_format",
    traversing(traversal),
  ),
  in_list: ([, list]) => size(list),
  equals: equality,
  not_equals: comparing,
  add_string: joined,
  add_bytes: joined,
  matches_string: matching,
  contains_string: ([text, part]) => Math.ceil(size(text) * traversal) * Math.ceil(size(part) * traversal),
  ...Object.fromEntries(orders.flatMap((order) => ["string", "bytes"].map((type) => [`${order}_${type}`, comparing]))),
};

const knownBefore = /^list_distinct$|_sort$|_sortByAssociatedKeys$|^lists_range$/;

/** True for calls whose cost is known from their operands: it is charged before they run, since they may take long. */
export const isPaidBefore = (overload: string): boolean => knownBefore.test(overload);

/** The cost of a call by function and overload; the overload is empty if it is known only at run time. */
export function callCost(fn: string, overload: string): CallCost {
  if (/^list_.+_sort$/.test(overload)) return ([list]) => selfCompared(list);
  if (/^list_.+_sortByAssociatedKeys$/.test(overload)) return ([, keys]) => selfCompared(keys);
  if (fn === "containsIP") return containsIp(overload);
  if (fn === "containsCIDR") return containsCidr(overload);
  if (fn === "ip") return overload === "cidr_ip" ? single : traversing(traversal);
  const find = (table: Readonly<Record<string, CallCost>>, key: string): CallCost | undefined =>
    Object.hasOwn(table, key) ? table[key] : undefined;
  return find(ofOverloads, overload) ?? find(ofFunctions, fn) ?? find(ofStandard, overload) ?? single;
}
