/** Tracks which controllers have a running owner. */
import type { Observed } from "./acts.ts";
import type { ShadowOptions } from "./shadow-options.ts";

/** Owners found before the start, and those that have since written an object of a controller's primary kind. */
export class OwnersAtWork {
  #options: ShadowOptions;
  #seen = new Set<string>();

  constructor(options: ShadowOptions) {
    this.#options = options;
  }

  /** Whether the controller's owner is running. */
  isAtWork(controller: string): boolean {
    return this.#options.ownerOf(controller).found || this.#seen.has(controller);
  }

  /** Called when a delta was applied to the cache: its writer may be an owner. */
  observed(observed: Observed): void {
    const { controllers, ownerOf, onOwnerSeen } = this.#options;
    for (const { name, for: kind } of controllers) {
      if (kind?.kind !== observed.of.kind || kind.group !== observed.of.group || this.isAtWork(name)) continue;
      const { manager } = ownerOf(name);
      if (manager === undefined || observed.writer !== manager) continue;
      this.#seen.add(name);
      onOwnerSeen?.(name, manager);
    }
  }
}
