/**
 * Creates and deletes pods as decided.
 * Source: kubernetes v1.36 pkg/controller/daemon/daemon_controller.go syncNodes; differs: deletions are expected by name, not by number.
 */
import { keyOf } from "../../api/key.ts";
import { DaemonSets, Pods } from "../../api/kinds.ts";
import { isNamespaceTerminating, isNotFound } from "../../api/status-error.ts";
import type { Pod } from "../../api/types.ts";
import type { Decision } from "../../controller/api/rule.ts";
import { combinedError } from "../../controller/workload/combined-error.ts";
import { createPod, deletePod } from "../../controller/workload/pod-control.ts";
import { slowStart } from "../../controller/workload/slow-start.ts";
import { type DaemonSync, noteWrite } from "./daemon-sync.ts";
import { podsFor } from "./new-pod.ts";

/** The most pods that one sync creates, and the most that it deletes. */
export const burstReplicas = 250;

/** The writes to make. */
export interface PodWrites {
  /** Undefined if nothing is created. */
  readonly create: { readonly nodes: readonly string[]; readonly because: Decision } | undefined;
  readonly remove: readonly { readonly pod: Pod; readonly because: Decision }[];
  /** The template's hash, for new pods. */
  readonly hash: string;
}

/** Creates in growing batches, then deletes all at once. @throws the errors of both, as one, once all requests have completed. */
export async function writePods(sync: DaemonSync, { create, remove, hash }: PodWrites): Promise<void> {
  const { key, expectations } = sync.context;
  const creations = create?.nodes.length ?? 0;
  // Before the first request: a watch may show the pod before the response arrives.
  expectations.expect(key, { creations, deletions: remove.map(({ pod }) => keyOf(pod)) });
  const failedCreates = create === undefined ? [] : await createPods(sync, { ...create, hash });
  const failedDeletes: unknown[] = [];
  await Promise.all(
    remove.map(async (each) => {
      const error = await deleteOne(sync, each);
      if (error !== undefined) failedDeletes.push(error);
    }),
  );
  const errors = [...failedCreates, ...failedDeletes];
  if (errors.length > 0) throw combinedError(errors);
}

interface Creation {
  readonly nodes: readonly string[];
  readonly because: Decision;
  readonly hash: string;
}

/** Pods are pinned to their nodes by affinity, so that the scheduler binds them. @returns the errors. */
async function createPods(sync: DaemonSync, { nodes, because, hash }: Creation): Promise<readonly unknown[]> {
  const { context, set } = sync;
  const owner = { kind: DaemonSets, object: set };
  const podFor = podsFor(set, hash);
  const { successes, errors } = await slowStart(nodes.length, 1, async (n) => {
    try {
      const created = await createPod(context, podFor(nodes[n] ?? ""), { owner, because });
      noteWrite(sync, { kind: Pods, written: created });
    } catch (error) {
      // A terminating namespace accepts no pods and needs none: the creation counts as done.
      if (!isNamespaceTerminating(error)) throw error;
    }
  });
  // Creations that failed or were never tried will not be observed.
  for (let unseen = nodes.length - successes; unseen > 0; unseen--) context.expectations.creationObserved(context.key);
  return errors;
}

/** @returns the error, except for a pod that is gone. */
async function deleteOne(
  { context, set }: DaemonSync,
  { pod, because }: { readonly pod: Pod; readonly because: Decision },
): Promise<unknown> {
  try {
    await deletePod(context, pod, { owner: { kind: DaemonSets, object: set }, because });
    return undefined;
  } catch (error) {
    // This deletion will not be observed.
    context.expectations.deletionObserved(context.key, keyOf(pod));
    return isNotFound(error) ? undefined : error;
  }
}
