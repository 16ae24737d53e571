/** Functions of lists. Source: apiserver v0.36 pkg/cel/library/lists.go; cel-go v0.26 ext/lists.go, ext/sets.go. */
import { ArrayList, entriesOf, itemsOf, withEntry } from "../values/collections.ts";
import { celCompare, celEqual, isComparable } from "../values/equality.ts";
import { CelError, CelList, CelMap, Duration, noSuchOverload, typeOf, Uint, type Value } from "../values/value.ts";
import { add } from "./arithmetic.ts";
import { bind, declare, type FunctionDecl, guards, overloadsOf, type Run, type Signatures } from "./function.ts";

const { list, int, map, any } = guards;

const onList = (run: (items: CelList) => Value): Run => bind<[CelList]>([list], run);

function isSorted(items: CelList): Value {
  let previous: Value | undefined;
  for (const item of itemsOf(items)) {
    if (!isComparable(item)) return noSuchOverload();
    if (previous !== undefined && celCompare(previous, item) === 1) return false;
    previous = item;
  }
  return true;
}

function sum(items: CelList, zero: Value): Value {
  let total = zero;
  for (const item of itemsOf(items)) {
    total = add(total, item);
    if (total instanceof CelError) return total;
  }
  return total;
}

function extreme(name: "min" | "max", better: number): (items: CelList) => Value {
  return (items) => {
    let found: Value | undefined;
    for (const item of itemsOf(items)) {
      if (!isComparable(item)) return noSuchOverload();
      if (found === undefined || celCompare(found, item) === better) found = item;
    }
    return found ?? new CelError(`${name} called on empty list`);
  };
}

const indexOf = (items: CelList, item: Value): bigint =>
  BigInt(itemsOf(items).findIndex((one) => celEqual(one, item) === true));

const lastIndexOf = (items: CelList, item: Value): bigint =>
  BigInt(itemsOf(items).findLastIndex((one) => celEqual(one, item) === true));

const comparable = "int uint double bool duration timestamp string bytes".split(" ");
const summable: Readonly<Record<string, Value>> = {
  int: 0n,
  uint: new Uint(0n),
  double: 0,
  duration: new Duration(0n),
};

const forEach = (
  types: readonly string[],
  signature: (type: string) => readonly [string, readonly [string, Run]],
): Signatures => Object.fromEntries(types.map(signature));

const kubernetesLists: Readonly<Record<string, Signatures>> = {
  isSorted: forEach(comparable, (type) => [`list_${type}_is_sorted_bool`, [`list(${type}).() bool`, onList(isSorted)]]),
  sum: forEach(Object.keys(summable), (type) => [
    `list_${type}_sum_${type}`,
    [`list(${type}).() ${type}`, onList((items) => sum(items, summable[type] ?? 0n))],
  ]),
  max: forEach(comparable, (type) => [
    `list_${type}_max_${type}`,
    [`list(${type}).() ${type}`, onList(extreme("max", -1))],
  ]),
  min: forEach(comparable, (type) => [
    `list_${type}_min_${type}`,
    [`list(${type}).() ${type}`, onList(extreme("min", 1))],
  ]),
  indexOf: { list_a_index_of_int: ["list(A).(A) int", bind<[CelList, Value]>([list, any], indexOf)] },
  lastIndexOf: { list_a_last_index_of_int: ["list(A).(A) int", bind<[CelList, Value]>([list, any], lastIndexOf)] },
};

function slice(items: CelList, [start, end]: readonly [bigint, bigint]): Value {
  const failed = (why: string): CelError => new CelError(`cannot slice(${start}, ${end}), ${why}`);
  if (start < 0n || end < 0n) return failed("negative indexes not supported");
  if (start > end) return failed("start index must be less than or equal to end index");
  if (BigInt(items.size) < end) return failed(`list is length ${items.size}`);
  return new ArrayList(itemsOf(items).slice(Number(start), Number(end)));
}

function flattened(items: CelList, depth: number): Value[] {
  return itemsOf(items).flatMap((item) => (item instanceof CelList && depth > 0 ? flattened(item, depth - 1) : [item]));
}

function flatten(items: CelList, depth: bigint): Value {
  if (depth < 0n) return new CelError("level must be non-negative");
  return new ArrayList(flattened(items, Number(depth)));
}

/** Sorts a list by the keys of its items. */
function sortedBy(items: CelList, keys: CelList): Value {
  if (items.size !== keys.size) {
    return new CelError(
      `@sortByAssociatedKeys() expected a list of the same size as the associated keys list, but got ${items.size} and ${keys.size} elements respectively`,
    );
  }
  if (items.size === 0) return items;
  const sorting = itemsOf(keys);
  const [first = null] = sorting;
  if (!isComparable(first)) return new CelError("list elements must be comparable");
  const { name } = typeOf(first);
  if (sorting.length > 1 && sorting.some((key) => typeOf(key).name !== name))
    return new CelError("list elements must have the same type");
  const order = sorting.map((_, n) => n);
  order.sort((a, b) => {
    const compared = celCompare(sorting[a] ?? null, sorting[b] ?? null);
    return typeof compared === "number" ? compared : 0;
  });
  return new ArrayList(order.map((n) => items.get(n)));
}

function distinct(items: CelList): Value {
  if (items.size === 0) return items;
  const seen = new Set<unknown>();
  const unique: Value[] = [];
  for (const item of itemsOf(items)) {
    const isPlain = typeof item === "string" || typeof item === "boolean";
    if (isPlain ? seen.has(item) : unique.some((other) => celEqual(item, other) === true)) continue;
    if (isPlain) seen.add(item);
    unique.push(item);
  }
  return new ArrayList(unique);
}

/** The integers from 0 up to, but not including, `end`. */
const range = (end: bigint): ArrayList =>
  new ArrayList(Array.from({ length: end < 0n ? 0 : Number(end) }, (_, n) => BigInt(n)));

const typeNames: Readonly<Record<string, string>> = {
  duration: "google.protobuf.Duration",
  timestamp: "google.protobuf.Timestamp",
};
const sortTypes = "int uint double bool duration timestamp string bytes".split(" ");

const sorting = (suffix: string, signature: (type: string) => string): Signatures =>
  Object.fromEntries(sortTypes.map((type) => [`list_${typeNames[type] ?? type}_${suffix}`, signature(type)]));

const listKind = { kinds: new Set(["list"] as const) };

const extended: readonly FunctionDecl[] = [
  ...declare({
    slice: {
      list_slice: [
        "list(T).(int, int) list(T)",
        bind<[CelList, bigint, bigint]>([list, int, int], (items, start, end) => slice(items, [start, end])),
      ],
    },
    "lists.range": { lists_range: ["(int) list(int)", bind<[bigint]>([int], range)] },
    reverse: {
      list_reverse: ["list(T).() list(T)", onList((items) => new ArrayList([...itemsOf(items)].reverse()))],
    },
    distinct: { list_distinct: ["list(T).() list(T)", onList(distinct)] },
  }),
  {
    name: "flatten",
    overloads: overloadsOf({
      list_flatten: ["list(list(T)).() list(T)", onList((items) => flatten(items, 1n))],
      list_flatten_int: ["list(dyn).(int) list(dyn)", bind<[CelList, bigint]>([list, int], flatten)],
    }),
    isUnguarded: true,
  },
  {
    name: "sort",
    overloads: overloadsOf(sorting("sort", (type) => `list(${type}).() list(${type})`)),
    binding: { ...listKind, run: onList((items) => sortedBy(items, items)) },
  },
  {
    name: "@sortByAssociatedKeys",
    overloads: overloadsOf(sorting("sortByAssociatedKeys", (type) => `list(T).(list(${type})) list(T)`)),
    binding: { ...listKind, run: bind<[CelList, CelList]>([list, list], sortedBy) },
  },
];

const containsAll = (items: CelList, wanted: CelList): Value => {
  for (const item of itemsOf(wanted)) {
    const isIn = items.contains(item);
    if (isIn !== true) return isIn;
  }
  return true;
};

const onSets = (run: (one: CelList, other: CelList) => Value): Run => bind<[CelList, CelList]>([list, list], run);

const sets: Readonly<Record<string, Signatures>> = {
  "sets.contains": { list_sets_contains_list: ["(list(T), list(T)) bool", onSets(containsAll)] },
  "sets.equivalent": {
    list_sets_equivalent_list: [
      "(list(T), list(T)) bool",
      onSets((one, other) => {
        const first = containsAll(one, other);
        return first === true ? containsAll(other, one) : first;
      }),
    ],
  },
  "sets.intersects": {
    list_sets_intersects_list: [
      "(list(T), list(T)) bool",
      onSets((one, other) => itemsOf(one).some((item) => other.contains(item) === true)),
    ],
  },
};

/** The functions that map-building macros use to add entries. */
const inserts: Readonly<Record<string, Signatures>> = {
  "cel.@mapInsert": {
    "@mapInsert_map_key_value": [
      "(map(K, V), K, V) map(K, V)",
      bind<[CelMap, Value, Value]>([map, any, any], (target, key, value) => withEntry(target, [key, value])),
    ],
    "@mapInsert_map_map": [
      "(map(K, V), map(K, V)) map(K, V)",
      bind<[CelMap, CelMap]>([map, map], (target, more) => {
        let both: CelMap = target;
        for (const [key, value] of entriesOf(more)) {
          const inserted = withEntry(both, [key, value]);
          if (inserted instanceof CelError) return inserted;
          both = inserted;
        }
        return both;
      }),
    ],
  },
};

/** Functions of lists and of sets in lists. */
export const listFunctions: readonly FunctionDecl[] = [
  ...declare(kubernetesLists),
  ...extended,
  ...declare(sets),
  ...declare(inserts),
];
