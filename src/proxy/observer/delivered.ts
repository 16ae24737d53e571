/** Tracks the objects that the process has received of a collection that it watches, and emits their deltas. */
import { compactManagedFields, fieldManagerOfChange } from "../../api/field-manager.ts";
import { keyOf, type ObjectKey } from "../../api/key.ts";
import type { StoredObject } from "../../api/object.ts";
import { DeltaDetail } from "../../trace/delta-detail.ts";
import type { DeltaEvent } from "../../trace/events.ts";
import type { DeltaType, KindName } from "../../trace/names.ts";

/** A delta event with its agent. */
export type DeliveredDelta = DeltaEvent & { readonly agent: string };

/** Options of `Delivered`. */
export interface DeliveredOptions {
  /** The kind of the collection. Called for each delta, because the kind may become known only with the first one. */
  readonly of: () => KindName;
  readonly agent: string;
  readonly emit: (delta: DeliveredDelta) => void;
  /** The collection has a selector, so an object that is new to the collection need not be a new object. */
  readonly selected: boolean;
}

/** An event of a watch. */
export interface WatchedChange {
  readonly type: "Added" | "Updated" | "Deleted";
  readonly object: StoredObject;
  /** In ms since 1970. */
  readonly receivedAt: number;
}

/** The objects of one collection as the process knows them, like the store of an informer. */
export class Delivered {
  readonly #options: DeliveredOptions;
  #objects = new Map<ObjectKey, StoredObject>();
  #isKnown = false;

  constructor(options: DeliveredOptions) {
    this.#options = options;
  }

  /** The kind of the collection. */
  get of(): KindName {
    return this.#options.of();
  }

  /** Whether a list or a watch has delivered the collection before. */
  get isKnown(): boolean {
    return this.#isKnown;
  }

  get(key: ObjectKey): StoredObject | undefined {
    return this.#objects.get(key);
  }

  /** Replaces all objects with those of a list. Unchanged objects give no delta. */
  *replace(objects: ReadonlyMap<ObjectKey, StoredObject>, receivedAt: number): Generator<void> {
    const [earlier, isRelist] = [this.#objects, this.#isKnown];
    this.#objects = new Map(objects);
    this.#isKnown = true;
    for (const [key, object] of earlier) {
      if (objects.has(key)) continue;
      this.#emit({ type: "Deleted", object, before: object, receivedAt, relist: true, tombstone: true });
      yield;
    }
    for (const [key, object] of objects) {
      const before = earlier.get(key);
      if (before?.metadata.resourceVersion === object.metadata.resourceVersion) continue;
      this.#emit({ type: "Replaced", object, before, receivedAt, relist: isRelist, tombstone: false });
      yield;
    }
  }

  /** Applies an event of a watch. */
  apply({ type, object, receivedAt }: WatchedChange): void {
    const key = keyOf(object);
    const before = this.#objects.get(key);
    this.#isKnown = true;
    if (type === "Deleted") this.#objects.delete(key);
    else this.#objects.set(key, object);
    this.#emit({ type, object, before, receivedAt, relist: false, tombstone: false });
  }

  /** Forgets all objects, because part of the stream was not read. */
  forget(): void {
    this.#objects.clear();
    this.#isKnown = false;
  }

  #emit(change: Change): void {
    const { type, object, before, receivedAt, relist, tombstone } = change;
    const { agent, emit } = this.#options;
    const { of } = this;
    const writer = relist ? undefined : this.#writerOf(change);
    const { uid, resourceVersion } = object.metadata;
    emit({
      stage: "delta",
      agent,
      of,
      type,
      key: keyOf(object),
      uid,
      resourceVersion,
      receivedAt,
      detail: new DeltaDetail(of, before, type === "Deleted" ? undefined : object, writer),
      ...(tombstone && { tombstone }),
      ...(relist && { relist }),
    });
  }

  /** The field manager of the write that led to a change; undefined if the change may combine several writes. */
  #writerOf({ type, object: after, before }: Change): ConstructorParameters<typeof DeltaDetail>[3] {
    if (type !== "Added" && type !== "Updated") return undefined;
    const managedAfter = after.metadata.managedFields ?? [];
    if (before === undefined) {
      if (this.#options.selected || type !== "Added") return undefined;
      return fieldManagerOfChange({ before: undefined, managedBefore: undefined, after, managedAfter });
    }
    return (changed) => {
      const managedBefore = compactManagedFields(before.metadata.managedFields ?? []);
      return fieldManagerOfChange({ before, managedBefore, after, managedAfter }, changed);
    };
  }
}

interface Change {
  readonly type: DeltaType;
  readonly object: StoredObject;
  readonly before: StoredObject | undefined;
  readonly receivedAt: number;
  readonly relist: boolean;
  readonly tombstone: boolean;
}
