import type { ApiObject } from "../meta/object.ts";

/**
 * One version of an object. Committed: it is never changed again. It is kept as JSON, a third of what the object takes in
 * memory; the object itself is kept as long as somebody uses it, and read again (about 5 µs) when it has been let go.
 */
export class Entry {
  readonly namespace: string;
  readonly name: string;
  readonly revision: number;
  readonly text: string;
  /** It is stored with less than it is read with: its next update is a write, even of nothing. */
  readonly isDefaultedOnRead: boolean;
  #object: WeakRef<ApiObject>;

  /** Takes the object over; it must be finished but for its resourceVersion. */
  constructor(object: ApiObject, revision: number, isDefaultedOnRead = false) {
    const { metadata } = object;
    if (revision > 0) metadata.resourceVersion = String(revision);
    else delete metadata.resourceVersion;
    this.namespace = metadata.namespace ?? "";
    this.name = metadata.name ?? "";
    this.revision = revision;
    this.isDefaultedOnRead = isDefaultedOnRead;
    this.text = JSON.stringify(object);
    this.#object = new WeakRef(object);
  }

  /** Shared: it must not be changed. */
  get object(): ApiObject {
    const kept = this.#object.deref();
    if (kept !== undefined) return kept;
    const object = JSON.parse(this.text) as ApiObject;
    this.#object = new WeakRef(object);
    return object;
  }
}
