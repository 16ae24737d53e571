/** Lists and maps that expressions create. Source: cel-go v0.26 common/types/list.go, map.go. */
import { celEqual } from "./equality.ts";
import { goText } from "./text.ts";
import { CelError, CelList, CelMap, Timestamp, Duration, Uint, type Value } from "./value.ts";

/** A list of values. */
export class ArrayList extends CelList {
  readonly items: readonly Value[];

  constructor(items: readonly Value[]) {
    super();
    this.items = items;
  }

  get size(): number {
    return this.items.length;
  }

  get(index: number): Value {
    return this.items[index] ?? null;
  }

  add(other: CelList): CelList {
    if (this.items.length === 0) return other;
    if (other.size === 0) return this;
    return new ArrayList([...this.items, ...itemsOf(other)]);
  }

  contains(value: Value): boolean {
    return this.items.some((item) => celEqual(value, item) === true);
  }

  equal(other: Value): boolean {
    if (!(other instanceof CelList) || other.size !== this.size) return false;
    // As in cel-go, an error when comparing items counts as equal.
    return this.items.every((item, n) => celEqual(item, other.get(n)) !== false);
  }
}

/** The list that a comprehension appends to, in place, which avoids quadratic time. Nothing else may reference it. */
export class MutableList extends ArrayList {
  readonly #items: Value[];

  constructor(items: Value[]) {
    super(items);
    this.#items = items;
  }

  override add(other: CelList): CelList {
    for (let n = 0; n < other.size; n++) this.#items.push(other.get(n));
    return this;
  }

  /** An immutable view of the list. */
  frozen(): ArrayList {
    return new ArrayList(this.#items);
  }
}

/** All items of a list. */
export function itemsOf(list: CelList): readonly Value[] {
  if (list instanceof ArrayList) return list.items;
  return Array.from({ length: list.size }, (_, n) => list.get(n));
}

/** The identity of a key: equal numbers of different types are the same key. */
function keyOf(key: Value): unknown {
  if (typeof key === "string") return key;
  if (key instanceof Uint) return Number.isSafeInteger(Number(key.value)) ? Number(key.value) : `n${key.value}`;
  if (typeof key === "bigint") return Number.isSafeInteger(Number(key)) ? Number(key) : `n${key}`;
  if (key instanceof Timestamp) return `t${key.seconds}.${key.nanos}.${key.offset}`;
  if (key instanceof Duration) return `d${key.nanos}`;
  return key;
}

/** Large integers and strings never share a key. */
const storedKey = (key: Value): unknown => (typeof key === "string" ? `s${key}` : keyOf(key));

/** A map of values. */
export class ValueMap extends CelMap {
  protected readonly stored: Map<unknown, readonly [Value, Value]> = new Map();

  constructor(entries: Iterable<readonly [Value, Value]> = []) {
    super();
    for (const entry of entries) this.stored.set(storedKey(entry[0]), entry);
  }

  get size(): number {
    return this.stored.size;
  }

  find(key: Value): Value | undefined {
    return this.stored.get(storedKey(key))?.[1];
  }

  keys(): Value[] {
    return [...this.stored.values()].map(([key]) => key);
  }

  /** The entries in insertion order. */
  entries(): (readonly [Value, Value])[] {
    return [...this.stored.values()];
  }

  equal(other: Value): boolean {
    if (!(other instanceof CelMap) || other.size !== this.size) return false;
    return this.entries().every(([key, value]) => {
      const found = other.find(key);
      return found !== undefined && celEqual(value, found) !== false;
    });
  }
}

/** The map that a comprehension adds to, in place. Nothing else may reference it. */
export class MutableMap extends ValueMap {
  /** Adds an entry. */
  insert(key: Value, value: Value): void {
    this.stored.set(storedKey(key), [key, value]);
  }

  /** An immutable view of the map. */
  frozen(): ValueMap {
    return new ValueMap(this.entries());
  }
}

/** The entries of any map. */
export function entriesOf(map: CelMap): (readonly [Value, Value])[] {
  if (map instanceof ValueMap) return map.entries();
  return map.keys().map((key) => [key, map.find(key) ?? null] as const);
}

/** A map with one more entry; an error if the key exists. */
export function withEntry(map: CelMap, [key, value]: readonly [Value, Value]): CelMap | CelError {
  if (map.find(key) !== undefined) return new CelError(`insert failed: key ${goText(key)} already exists`);
  if (!(map instanceof MutableMap)) return new ValueMap([...entriesOf(map), [key, value] as const]);
  map.insert(key, value);
  return map;
}
