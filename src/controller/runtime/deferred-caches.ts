import { type Kind, resourceOf } from "../../api/kind.ts";

/** Caches that workers do not wait for, because few syncs read them: those syncs wait. A cache is tracked until its initial list is in it. */
export class DeferredCaches {
  /** By resource: resolves when the initial list is in the cache. */
  #waits = new Map<string, Promise<void>>();
  #end: (why: Error) => void = () => undefined;
  #ended = new Promise<never>((_resolve, reject) => (this.#end = reject));

  constructor() {
    // Avoids an unhandled rejection if nobody is waiting.
    this.#ended.catch(() => undefined);
  }

  /** Tracks a cache. `synced` resolves when its initial list is in it. */
  add(kind: Kind, synced: Promise<void>): void {
    const resource = resourceOf(kind);
    this.#waits.set(
      resource,
      synced.then(() => void this.#waits.delete(resource)),
    );
  }

  /** Whether the initial list of the kind is still missing. */
  has(kind: Kind): boolean {
    return this.#waits.has(resourceOf(kind));
  }

  /** Resolves when the initial list of the kind is in its cache; at once for any other kind. @throws Error if the run ends before. */
  async waitForCacheSync(kind: Kind): Promise<void> {
    const synced = this.#waits.get(resourceOf(kind));
    if (synced !== undefined) await Promise.race([synced, this.#ended]);
  }

  /** Ends the run: rejects all waits, now and later. */
  end(): void {
    this.#end(new Error("the run ends before the caches are filled"));
  }
}
