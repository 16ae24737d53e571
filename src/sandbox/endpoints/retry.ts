/**
 * Writes that waited for a webhook: the objects that they read may have changed since. Source: apiserver v0.36 storage/etcd3/store.go
 * GuaranteedUpdate, which also evaluates admission again; endpoints/handlers/patch.go.
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

/** @throws an error that makes `retried` start again, if `entry` is no longer the stored one. */
export function checkUnmoved({ collection }: RequestScope, { namespace, name, revision }: Entry): void {
  if (collection.get(namespace, name)?.revision !== revision) throw new Overtaken();
}

/** What was allocated for a write, and when. */
export interface Allocated {
  readonly object: ApiObject;
  readonly old?: ApiObject | undefined;
  /** The store's revision at that time. */
  readonly revision: number;
}

/** @throws an error that makes `retried` start again, if another object has taken what was allocated. */
export function checkNotOutrun(scope: RequestScope, { object, old, revision }: Allocated): void {
  const { resource, server, dryRun } = scope;
  if (dryRun || server.store.revision === revision) return;
  if (resource.strategy.isOutrun?.({ object, old, context: strategyContext(scope) }) === true) throw new Overtaken();
}

/**
 * Performs a write; starts again from the request's body whenever it was overtaken. Conflicts with the client's preconditions are thrown as
 * in the first attempt. @throws StatusError; 504 if the request has timed out.
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
