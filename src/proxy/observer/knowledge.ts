/** What is known of what the process knows: what its watches delivered, and what it read. */
import { keyOf, objectKey, type ObjectKey } from "../../api/key.ts";
import type { StoredObject } from "../../api/object.ts";
import type { TraceBus } from "../../trace/bus.ts";
import type { ListEvent } from "../../trace/events.ts";
import { GenerationalCache } from "../../trace/generational-cache.ts";
import type { KindName } from "../../trace/names.ts";
import type { KindNames } from "./kind-names.ts";
import type { Meaning, Target } from "./meaning.ts";
import { Delivered } from "./delivered.ts";

/** A list that was read to its last page: an informer starts from it if it watches from its version. */
export interface WholeList {
  readonly objects: ReadonlyMap<ObjectKey, StoredObject>;
  readonly event: ListEvent;
  readonly receivedAt: number;
}

/** The pages of a list so far. */
export interface Pages {
  readonly objects: Map<ObjectKey, StoredObject>;
  readonly count: number;
  readonly bytes: number;
  readonly sentAt: number;
}

/** What a process asks of a collection. */
interface Asked {
  readonly meaning: Meaning;
  readonly agent: string;
}

/** How many lists are kept whole for a watch that may follow, or for their next page. */
const mostLists = 64;

/** Shared by all exchanges of a door. */
export class Knowledge {
  readonly kinds: KindNames;
  readonly #bus: TraceBus;
  readonly #delivered = new Map<string, Delivered>();
  readonly #lists = new Map<string, WholeList>();
  readonly #pages = new Map<string, Pages>();
  readonly #read = new GenerationalCache<string, StoredObject>();
  readonly #expired = new Set<string>();

  constructor(kinds: KindNames, bus: TraceBus) {
    this.kinds = kinds;
    this.#bus = bus;
  }

  /** What a process has received of a collection; undefined where it watches none of it. */
  delivered(asked: Asked): Delivered | undefined {
    return this.#delivered.get(collectionOf(asked));
  }

  /** The same for a watch, which makes it known. */
  watched(asked: Asked): Delivered {
    return this.#delivered.getOrInsertComputed(collectionOf(asked), () => {
      const { selected, target } = asked.meaning;
      const of = (): KindName => (target === undefined ? { group: "", kind: "" } : this.kinds.of(target));
      return new Delivered({ of, agent: asked.agent, selected, emit: (delta) => void this.#bus.emit(delta) });
    });
  }

  /** Keeps a list until a watch follows it. */
  keepList(asked: Asked, list: WholeList): void {
    const name = collectionOf(asked);
    this.#lists.delete(name);
    this.#lists.set(name, list);
    const [oldest] = this.#lists.keys();
    if (this.#lists.size > mostLists && oldest !== undefined) this.#lists.delete(oldest);
  }

  /** The list that a watch from this version follows; once. */
  takeList(asked: Asked, resourceVersion: string): WholeList | undefined {
    const name = collectionOf(asked);
    const list = this.#lists.get(name);
    if (list === undefined || list.event.resourceVersion !== resourceVersion) return undefined;
    this.#lists.delete(name);
    return list;
  }

  /** Keeps the pages of a list until the next one is read. */
  keepPages(token: string, pages: Pages): void {
    this.#pages.set(token, pages);
    const [oldest] = this.#pages.keys();
    if (this.#pages.size > mostLists && oldest !== undefined) this.#pages.delete(oldest);
  }

  /** The pages before the one with this token. */
  pagesBefore(token: string): Pages | undefined {
    const pages = this.#pages.get(token);
    this.#pages.delete(token);
    return pages;
  }

  /** A watch ended because its version is too old: the next list makes up for it. */
  expire(asked: Asked): void {
    this.#expired.add(collectionOf(asked));
  }

  /** Why an informer lists. */
  reasonToList(asked: Asked): ListEvent["why"] {
    if (this.#expired.delete(collectionOf(asked))) return "expired";
    return this.delivered(asked)?.isKnown === true ? "relist" : "start";
  }

  /** Notes an object as a response showed it. */
  read(target: Target, object: StoredObject): void {
    this.#read.set(nameOf(target, keyOf(object)), object);
  }

  /** The states in which the process may know an object, by what it received and what it read; the one known last is last. */
  statesOf(target: Target): readonly StoredObject[] {
    const key = objectKey(target.namespace, target.name);
    return [this.#read.get(nameOf(target, key)), ...this.#deliveredOf(target, key)].filter((one) => one !== undefined);
  }

  *#deliveredOf(target: Target, key: ObjectKey): Generator<StoredObject | undefined> {
    const { group, kind } = this.kinds.of(target);
    for (const delivered of this.#delivered.values())
      if (delivered.of.group === group && delivered.of.kind === kind) yield delivered.get(key);
  }
}

function collectionOf({ meaning, agent }: Asked): string {
  return `${agent} ${meaning.collection}`;
}

function nameOf({ group, plural }: Target, key: ObjectKey): string {
  return `${group}/${plural} ${key}`;
}
