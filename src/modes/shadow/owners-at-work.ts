/** Tracks which controllers have a running owner. */
import type { Observed } from "./acts.ts";
import { ownersManagers } from "./owner-acts.ts";
import type { ShadowOptions } from "./shadow-options.ts";

/** Owners found before the start, and those that have since written an object of a controller's primary kind. */
export class OwnersAtWork {
  #options: Pick<ShadowOptions, "controllers" | "ownerOf" | "onOwnerSeen">;
  #seen = new Set<string>();

  constructor(options: Pick<ShadowOptions, "controllers" | "ownerOf" | "onOwnerSeen">) {
    this.#options = options;
  }

  /** Whether the controller's owner is running. */
  isAtWork(controller: string): boolean {
    return this.#options.ownerOf(controller).found || this.#seen.has(controller);
  }

  /** The names of the controllers whose owner is not known to run. */
  get missing(): readonly string[] {
    return this.#options.controllers.map(({ name }) => name).filter((name) => !this.isAtWork(name));
  }

  /** Called when a delta was applied to the cache: its writer may be an owner. */
  observed(observed: Pick<Observed, "of" | "writer">): void {
    const { controllers, ownerOf, onOwnerSeen } = this.#options;
    for (const controller of controllers) {
      const { name, for: kind } = controller;
      if (kind?.kind !== observed.of.kind || kind.group !== observed.of.group || this.isAtWork(name)) continue;
      const owner = ownerOf(name);
      const { writer } = observed;
      if (owner.manager === undefined || writer === undefined || !ownersManagers(controller, owner).includes(writer))
        continue;
      this.#seen.add(name);
      onOwnerSeen?.(name, writer);
    }
  }
}
