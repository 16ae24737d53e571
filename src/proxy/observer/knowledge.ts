/** Tracks the objects that the process knows, from its watches and reads. */
import { keyOf, objectKey, type ObjectKey } from "../../api/key.ts";
import type { StoredObject } from "../../api/object.ts";
import type { TraceBus } from "../../trace/bus.ts";
import type { ListEvent } from "../../trace/events.ts";
import { GenerationalCache } from "../../trace/generational-cache.ts";
import type { KindName } from "../../trace/names.ts";
import type { KindNames } from "./kind-names.ts";
import type { RequestInfo, Target } from "./request-info.ts";
import { Delivered } from "./delivered.ts";

/** A list that was read to its last page. It is the start of an informer if a watch from its resourceVersion follows. */
export interface CompleteList {
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

/** A request of a process for a collection. */
interface CollectionRequest {
  readonly meaning: RequestInfo;
  readonly agent: string;
}

/** How many lists are kept until a watch or their next page follows. */
const maxLists = 64;

/** The knowledge of all processes behind a proxy, shared by its exchanges. */
export class Knowledge {
  readonly kinds: KindNames;
  readonly #bus: TraceBus;
  readonly #delivered = new Map<string, Delivered>();
  readonly #lists = new Map<string, CompleteList>();
  readonly #pages = new Map<string, Pages>();
  readonly #read = new GenerationalCache<string, StoredObject>();
  readonly #expired = new Set<string>();

  constructor(kinds: KindNames, bus: TraceBus) {
    this.kinds = kinds;
    this.#bus = bus;
  }

  /** The objects that a process has received of a collection; undefined if it has never watched it. */
  delivered(request: CollectionRequest): Delivered | undefined {
    return this.#delivered.get(collectionOf(request));
  }

  /** The same for a watch: creates the entry if there is none. */
  watched(request: CollectionRequest): Delivered {
    return this.#delivered.getOrInsertComputed(collectionOf(request), () => {
      const { selected, target } = request.meaning;
      const of = (): KindName => (target === undefined ? { group: "", kind: "" } : this.kinds.of(target));
      return new Delivered({ of, agent: request.agent, selected, emit: (delta) => void this.#bus.emit(delta) });
    });
  }

  /** Keeps a list until a watch follows. */
  keepList(request: CollectionRequest, list: CompleteList): void {
    const name = collectionOf(request);
    this.#lists.delete(name);
    this.#lists.set(name, list);
    const [oldest] = this.#lists.keys();
    if (this.#lists.size > maxLists && oldest !== undefined) this.#lists.delete(oldest);
  }

  /** Removes and returns the list with the resourceVersion that a watch starts from; undefined if there is none. */
  takeList(request: CollectionRequest, resourceVersion: string): CompleteList | undefined {
    const name = collectionOf(request);
    const list = this.#lists.get(name);
    if (list === undefined || list.event.resourceVersion !== resourceVersion) return undefined;
    this.#lists.delete(name);
    return list;
  }

  /** Keeps the pages of a list until the next one is read. */
  keepPages(token: string, pages: Pages): void {
    this.#pages.set(token, pages);
    const [oldest] = this.#pages.keys();
    if (this.#pages.size > maxLists && oldest !== undefined) this.#pages.delete(oldest);
  }

  /** Removes and returns the pages before the one with this continue token. */
  pagesBefore(token: string): Pages | undefined {
    const pages = this.#pages.get(token);
    this.#pages.delete(token);
    return pages;
  }

  /** Records that a watch ended with 410 Gone, which is the reason for the next list. */
  expire(request: CollectionRequest): void {
    this.#expired.add(collectionOf(request));
  }

  /** Why the informer of the collection lists. */
  reasonToList(request: CollectionRequest): ListEvent["why"] {
    if (this.#expired.delete(collectionOf(request))) return "expired";
    return this.delivered(request)?.isKnown === true ? "relist" : "start";
  }

  /** Records an object from a response. */
  read(target: Target, object: StoredObject): void {
    this.#read.set(nameOf(target, keyOf(object)), object);
  }

  /** The states of an object that the process may know: the one it read last, and those that its watches delivered. */
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

function collectionOf({ meaning, agent }: CollectionRequest): string {
  return `${agent} ${meaning.collection}`;
}

function nameOf({ group, plural }: Target, key: ObjectKey): string {
  return `${group}/${plural} ${key}`;
}
