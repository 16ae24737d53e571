import { isConflict } from "../../api/status-error.ts";
import type { SyncContext } from "./sync-context.ts";

/** How often something is tried, and how long is waited in between; each wait is up to a tenth longer, by chance. */
export interface ConflictBackoff {
  /** All attempts, the first one included. */
  readonly attempts: number;
  /** The time between the first two attempts. */
  readonly firstDelayMs: number;
  /** Each delay is so many times the one before. */
  readonly factor: number;
}

/** For a write that others rarely contend for: five attempts, 10 ms apart. Source: client-go v0.36 util/retry/util.go DefaultRetry. */
export const conflictRetry: ConflictBackoff = { attempts: 5, firstDelayMs: 10, factor: 1 };

/**
 * For an object that other controllers write to as well: four attempts, after 10, 50 and 250 ms. Source: client-go v0.36
 * util/retry/util.go DefaultBackoff.
 */
export const conflictBackoff: ConflictBackoff = { attempts: 4, firstDelayMs: 10, factor: 5 };

/**
 * Calls `write` until it meets no conflict: 409, of the error itself or of its cause. `write` reads the object anew each time, from the
 * cache, which may have caught up meanwhile. Any other error ends it.
 *
 * @throws the last conflict when all attempts have met one, or the first other error.
 * Source: client-go v0.36 util/retry/util.go RetryOnConflict.
 * @example
 * ```ts
 * import { kinds, retryOnConflict, type Decision, type SyncContext } from "kubectl-reconcile";
 *
 * async function setReplicas(context: SyncContext, replicas: number, because: Decision): Promise<void> {
 *   const write = async (): Promise<void> => {
 *     const deployment = context.cache(kinds.Deployments).get(context.key);
 *     if (deployment?.spec === undefined) return;
 *     await context.client.update(kinds.Deployments, { ...deployment, spec: { ...deployment.spec, replicas } }, { because });
 *   };
 *   await retryOnConflict(write, { context });
 * }
 * console.log(setReplicas.name);
 * ```
 */
export async function retryOnConflict<T>(
  write: () => Promise<T>,
  options: { readonly context: Pick<SyncContext, "sleep" | "random">; readonly backoff?: ConflictBackoff },
): Promise<T> {
  const { context, backoff = conflictRetry } = options;
  let delayMs = backoff.firstDelayMs;
  for (let attempt = 1; ; attempt++) {
    try {
      return await write();
    } catch (error) {
      if (attempt >= backoff.attempts || !isConflictInside(error)) throw error;
    }
    await context.sleep(delayMs * (1 + context.random.next() / 10));
    delayMs *= backoff.factor;
  }
}

function isConflictInside(error: unknown): boolean {
  return isConflict(error) || (error instanceof Error && error.cause !== undefined && isConflictInside(error.cause));
}
