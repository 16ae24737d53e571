/** What the controller remembers beyond its caches. */
import { keyOf, type ObjectKey } from "../../api/key.ts";
import { ResourceClaims } from "../../api/kinds.ts";
import type { ResourceClaim } from "../../api/types.ts";
import { type RunState, runState } from "../../controller/api/run-state.ts";
import type { SyncContext } from "../../controller/api/sync-context.ts";
import { LeastRecentlyUsed } from "../../controller/api/least-recently-used.ts";
import { ownerIndex, owningUidsOf } from "./references.ts";

/**
 * The uids of the last 500 pods observed as deleted. For other uncached pods, only the API server can confirm that they are gone. Source:
 * kubernetes v1.36 pkg/controller/resourceclaim/uid_cache.go.
 */
export const gonePods: RunState<LeastRecentlyUsed<true>> = runState(() => new LeastRecentlyUsed<true>(500));

const mostCreated = 100;
const createdForMs = 3_600_000;

/**
 * The last 100 created claims, for an hour or until observed in the cache: the later write of their pods' status may fail, and then a
 * second claim would be one too many. A claim deleted before it was observed stays here, so it is not recreated, as in upstream.
 * Source: client-go v0.36 tools/cache/mutation_cache.go.
 */
class CreatedClaims {
  /** The oldest first. */
  readonly #byKey = new Map<ObjectKey, { readonly claim: ResourceClaim; readonly until: number }>();

  add(claim: ResourceClaim, now: number): void {
    this.#byKey.set(keyOf(claim), { claim, until: now + createdForMs });
    const oldest = this.#byKey.keys().next();
    if (this.#byKey.size > mostCreated && oldest.done !== true) this.#byKey.delete(oldest.value);
  }

  forget(key: ObjectKey): void {
    this.#byKey.delete(key);
  }

  ofPod(uid: string, now: number): readonly ResourceClaim[] {
    return [...this.#byKey.values()]
      .filter(({ claim, until }) => now < until && owningUidsOf(claim).includes(uid))
      .map(({ claim }) => claim);
  }
}

const created: RunState<CreatedClaims> = runState(() => new CreatedClaims(), { remembersWrites: true });

/** Records a claim that was just created. */
export function noteCreated(context: SyncContext, claim: ResourceClaim): void {
  context.state(created).add(claim, context.now());
}

/** The claims controlled by the pod with this uid: cached ones, and created ones not cached yet. */
export function claimsOfPod(context: SyncContext, uid: string): readonly ResourceClaim[] {
  const remembered = context.state(created);
  const cached = context.cache(ResourceClaims).byIndex(ownerIndex, uid);
  for (const claim of cached) remembered.forget(keyOf(claim));
  return [...cached, ...remembered.ofPod(uid, context.now())];
}
