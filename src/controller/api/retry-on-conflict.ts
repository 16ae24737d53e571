import { isConflict } from "../../api/status-error.ts";
import type { SyncContext } from "./sync-context.ts";

/** The attempts and delays of retries. Each delay has a random jitter of up to 10 %. */
export interface ConflictBackoff {
  /** The number of attempts, including the first. */
  readonly attempts: number;
  /** The delay between the first two attempts. */
  readonly firstDelayMs: number;
  /** The factor by which each delay is longer than the previous one. */
  readonly factor: number;
}

/** For an object with little contention: five attempts, 10 ms apart. Source: client-go v0.36 util/retry/util.go DefaultRetry. */
export const conflictRetry: ConflictBackoff = { attempts: 5, firstDelayMs: 10, factor: 1 };

/**
 * For an object that other controllers write to as well: four attempts, after 10, 50 and 250 ms. Source: client-go v0.36
 * util/retry/util.go DefaultBackoff.
 */
export const conflictBackoff: ConflictBackoff = { attempts: 4, firstDelayMs: 10, factor: 5 };

/**
 * Calls `write` until it does not fail with a conflict (409, of the error itself or its cause). `write` should read the object from the cache
 * each time, which may have caught up meanwhile. Any other error ends the attempts.
 *
 * @throws the last conflict if all attempts fail, or the first other error.
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
