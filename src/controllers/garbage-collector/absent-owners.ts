import { LeastRecentlyUsed } from "../../controller/api/least-recently-used.ts";
import { identityText } from "./identity.ts";
import type { Identity } from "./node.ts";

const remembered = 500;

/**
 * Owners known not to exist, each with the evidence: `404 from the API server`. A uid is never reused, so an entry
 * never becomes wrong. It saves one request for each further dependent of a deleted owner.
 * Source: kubernetes v1.36 pkg/controller/garbagecollector/uid_cache.go.
 */
export class AbsentOwners {
  #known = new LeastRecentlyUsed<string>(remembered);

  add(owner: Identity, evidence: string): void {
    this.#known.set(identityText(owner), evidence);
  }

  /** The evidence that the owner does not exist; undefined if nothing is known. */
  evidence(owner: Identity): string | undefined {
    return this.#known.get(identityText(owner));
  }
}
