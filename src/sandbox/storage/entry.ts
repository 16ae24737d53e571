import type { ApiObject } from "../meta/object.ts";

/**
 * An immutable version of an object. It is kept as JSON, which takes a third of the memory. The parsed object is referenced weakly: after
 * garbage collection, it is parsed again (about 5 µs).
 */
export class Entry {
  readonly namespace: string;
  readonly name: string;
  readonly revision: number;
  readonly text: string;
  /** Defaulting on read adds fields that are not stored: the next no-op update is persisted. */
  readonly isDefaultedOnRead: boolean;
  #object: WeakRef<ApiObject>;

  /**
   * The entry takes the object over. It is in its stored form, except for its resourceVersion; for an object that is not stored, that stays
   * "as sent".
   */
  constructor(object: ApiObject, at: number | "as sent", isDefaultedOnRead = false) {
    const { metadata } = object;
    const revision = at === "as sent" ? 0 : at;
    if (revision > 0) metadata.resourceVersion = String(revision);
    else if (at !== "as sent") delete metadata.resourceVersion;
    this.namespace = metadata.namespace ?? "";
    this.name = metadata.name ?? "";
    this.revision = revision;
    this.isDefaultedOnRead = isDefaultedOnRead;
    this.text = JSON.stringify(object);
    this.#object = new WeakRef(object);
  }

  /** Shared: do not modify it. */
  get object(): ApiObject {
    const kept = this.#object.deref();
    if (kept !== undefined) return kept;
    const object = JSON.parse(this.text) as ApiObject;
    this.#object = new WeakRef(object);
    return object;
  }
}
