/** Everything in a namespace: pods first, then the rest. Source: namespaced_resources_deleter.go deleteAllContent. */
import { type DiscoveredKind } from "../../client/api/discovery.ts";
import type { SyncContext } from "../../controller/api/sync-context.ts";
import { deletableKinds } from "./deletable-kinds.ts";
import { type Emptied, emptyKind, isPods, type Place } from "./empty-kind.ts";
import type { Counts, Outcome, Undiscovered } from "./outcome.ts";
import { contentFailed, deleteContent, discoveryFailed, podsFirst, waitForContent, waitForPods } from "./rules.ts";

interface Tally {
  readonly remaining: Map<string, number>;
  readonly finalizers: Map<string, number>;
  readonly failures: Error[];
  readonly errors: Error[];
  estimateSeconds: number;
}

/** Deletes everything in a namespace and counts what is left. */
export async function deleteAllContent(context: SyncContext, place: Place): Promise<Outcome> {
  const { kinds, undiscovered } = await deletableKinds(context);
  const tally: Tally = { remaining: new Map(), finalizers: new Map(), failures: [], errors: [], estimateSeconds: 0 };
  if (undiscovered !== undefined) {
    context.decide(discoveryFailed, { groupVersions: undiscovered.groupVersions, error: undiscovered.message });
    tally.errors.push(undiscovered.error);
  }
  const pods = kinds.find(isPods);
  if (pods !== undefined && (await emptyPods(context, pods, place, tally)) > 0) {
    return outcomeOf(tally, undiscovered, undefined);
  }
  const others = kinds.filter((kind) => kind !== pods);
  if (others.length > 0) {
    const because = context.decide(deleteContent, { kinds: others.length });
    // One at a time, as in upstream: deleting a namespace is no reason to flood the API server.
    for (const kind of others) add(tally, kind, await emptyKind(context, kind, place, because));
  }
  const { remaining, finalizers } = tally;
  if (tally.failures.length > 0) {
    context.decide(contentFailed, { errors: tally.failures.map(({ message }) => message) });
  } else if (tally.estimateSeconds > 0) {
    context.decide(waitForContent, {
      remaining: Object.fromEntries([...remaining].map(([resource, count]) => [resource.replace(/\.$/, ""), count])),
      finalizers: Object.fromEntries(finalizers),
      inSeconds: tally.errors.length > 0 ? 0 : lookAgainAfter(tally.estimateSeconds),
    });
  }
  return outcomeOf(tally, undiscovered, { remaining, finalizers });
}

/** When to check again, in seconds: half of the estimate plus 1. Source: namespace_controller.go worker. */
export function lookAgainAfter(estimateSeconds: number): number {
  return Math.floor(estimateSeconds / 2) + 1;
}

/** Returns how many pods are left. */
async function emptyPods(context: SyncContext, pods: DiscoveredKind, place: Place, tally: Tally): Promise<number> {
  const because = context.decide(podsFirst, {});
  const emptied = await emptyKind(context, pods, place, because);
  add(tally, pods, emptied, (error) => {
    return new Error(`failed to delete pods for namespace: ${place.namespace}, err: ${error.message}`, {
      cause: error,
    });
  });
  if (emptied.remaining > 0) {
    context.decide(waitForPods, {
      pods: emptied.remaining,
      finalizers: Object.fromEntries(emptied.finalizers),
      inSeconds: tally.errors.length > 0 ? 0 : lookAgainAfter(emptied.estimateSeconds),
    });
  }
  return emptied.remaining;
}

/** `toSyncError`: turns a failure into the error of the sync, if that differs from the message of the conditions. */
function add(
  tally: Tally,
  { plural, group }: DiscoveredKind,
  { estimateSeconds, remaining, finalizers, error }: Emptied,
  toSyncError: (error: Error) => Error = (same) => same,
): void {
  tally.estimateSeconds = Math.max(tally.estimateSeconds, estimateSeconds);
  if (error !== undefined) {
    tally.failures.push(error);
    tally.errors.push(toSyncError(error));
  }
  if (remaining === 0) return;
  tally.remaining.set(`${plural}.${group}`, remaining);
  for (const [finalizer, count] of finalizers) {
    tally.finalizers.set(finalizer, (tally.finalizers.get(finalizer) ?? 0) + count);
  }
}

function outcomeOf(tally: Tally, undiscovered: Undiscovered | undefined, counts: Counts | undefined): Outcome {
  const { failures, errors, estimateSeconds } = tally;
  return {
    failures,
    errors,
    estimateSeconds,
    ...(undiscovered !== undefined && { undiscovered }),
    ...(counts !== undefined && { counts }),
  };
}
