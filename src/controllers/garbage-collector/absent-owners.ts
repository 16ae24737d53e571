import { LeastRecentlyUsed } from "../../controller/runtime/least-recently-used.ts";
import { identityText } from "./identity.ts";
import type { Identity } from "./node.ts";

const remembered = 500;

/**
 * Owners that are known not to exist, and how that is known: `404 from the API server`. A uid never comes back, so that this stays
 * true. It saves a question for each dependent of an owner that is gone.
 * Source: kubernetes v1.36 pkg/controller/garbagecollector/uid_cache.go.
 */
export class AbsentOwners {
  #known = new LeastRecentlyUsed<string>(remembered);

  add(owner: Identity, evidence: string): void {
    this.#known.set(identityText(owner), evidence);
  }

  /** How it is known that the owner is absent; undefined if it is not. */
  evidence(owner: Identity): string | undefined {
    return this.#known.get(identityText(owner));
  }
}
