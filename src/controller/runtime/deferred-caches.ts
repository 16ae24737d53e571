/** Caches that workers did not wait for: syncs that read them do. */
import { type Kind, resourceOf } from "../../api/kind.ts";

export class DeferredCaches {
  #waits = new Map<string, Promise<void>>();
  #end: (why: Error) => void = () => undefined;
  #ended = new Promise<never>((_resolve, reject) => (this.#end = reject));

  constructor() {
    // Whether anybody waits or not.
    this.#ended.catch(() => undefined);
  }

  /** `filled`: resolves when the kind's first list is in its cache. */
  add(kind: Kind, filled: Promise<void>): void {
    const resource = resourceOf(kind);
    this.#waits.set(
      resource,
      filled.then(() => void this.#waits.delete(resource)),
    );
  }

  /** Whether the kind's first list is still on its way. */
  has(kind: Kind): boolean {
    return this.#waits.has(resourceOf(kind));
  }

  /** Resolves when it is there; at once for any other kind. @throws Error when the run ends before. */
  async wait(kind: Kind): Promise<void> {
    const filled = this.#waits.get(resourceOf(kind));
    if (filled !== undefined) await Promise.race([filled, this.#ended]);
  }

  /** Nobody waits any longer: the run ends. */
  end(): void {
    this.#end(new Error("the run ends before the caches are filled"));
  }
}
