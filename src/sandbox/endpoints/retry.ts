/**
 * Writes that waited for a webhook: what they read may have changed by then. Source: apiserver v0.36 storage/etcd3/store.go
 * GuaranteedUpdate, which evaluates admission again as well; endpoints/handlers/patch.go.
 */
import type { RequestScope } from "../context/server.ts";
import { strategyContext } from "../context/strategy-context.ts";
import type { ApiObject } from "../meta/object.ts";
import { gatewayTimeout } from "../meta/refusal.ts";
import type { Steps } from "../meta/steps.ts";
import type { Entry } from "../storage/entry.ts";

/** The object was written or deleted while its write waited. */
class Overtaken extends Error {
  override readonly name = "Overtaken";
}

/** @throws what makes `retried` begin again, where `entry` is no longer what is stored. */
export function checkUnmoved({ collection }: RequestScope, { namespace, name, revision }: Entry): void {
  if (collection.get(namespace, name)?.revision !== revision) throw new Overtaken();
}

/** What a write was allocated, and when. */
export interface Allocated {
  readonly object: ApiObject;
  readonly old?: ApiObject | undefined;
  /** The store's then. */
  readonly revision: number;
}

/** @throws what makes `retried` begin again, where another object has come by what was allocated. */
export function checkNotOutrun(scope: RequestScope, { object, old, revision }: Allocated): void {
  const { resource, server, dryRun } = scope;
  if (dryRun || server.store.revision === revision) return;
  if (resource.strategy.isOutrun?.({ object, old, context: strategyContext(scope) }) === true) throw new Overtaken();
}

/**
 * Makes a write, again from the body of the request whenever it was overtaken. Conflicts with what the client sent end it as they
 * do at first. @throws StatusError; 504 once the time of the request is over.
 */
export function* retried<T>(scope: RequestScope, attempt: () => Steps<T>): Steps<T> {
  const { warnings, strict, literals, server } = scope;
  const before = warnings.length;
  for (;;) {
    try {
      return yield* attempt();
    } catch (error) {
      if (!(error instanceof Overtaken)) throw error;
    }
    if (server.timeline.now() >= scope.deadline) throw gatewayTimeout();
    warnings.length = before;
    strict.length = 0;
    literals.clear();
  }
}
