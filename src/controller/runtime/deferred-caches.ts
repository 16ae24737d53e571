import { type Kind, resourceOf } from "../../api/kind.ts";

/**
 * The caches that workers do not wait for, because few syncs read them: those syncs wait. A cache is in here until its first list has
 * come.
 */
export class DeferredCaches {
  /** By resource: resolves when the first list is in the cache. */
  #waits = new Map<string, Promise<void>>();
  #end: (why: Error) => void = () => undefined;
  #ended = new Promise<never>((_resolve, reject) => (this.#end = reject));

  constructor() {
    // Nobody may be waiting when it is rejected.
    this.#ended.catch(() => undefined);
  }

  /** `synced`: resolves when the kind's first list is in its cache. */
  add(kind: Kind, synced: Promise<void>): void {
    const resource = resourceOf(kind);
    this.#waits.set(
      resource,
      synced.then(() => void this.#waits.delete(resource)),
    );
  }

  /** Whether the kind's first list has not come yet. */
  has(kind: Kind): boolean {
    return this.#waits.has(resourceOf(kind));
  }

  /** Resolves when it has; at once for any other kind. @throws Error if the run ends before. */
  async waitForCacheSync(kind: Kind): Promise<void> {
    const synced = this.#waits.get(resourceOf(kind));
    if (synced !== undefined) await Promise.race([synced, this.#ended]);
  }

  /** The run ends: rejects all waits, now and later. */
  end(): void {
    this.#end(new Error("the run ends before the caches are filled"));
  }
}
