/**
 * Creating pods.
 * Source: kubernetes v1.36 pkg/controller/job/job_controller.go manageJob.
 */
import { Jobs } from "../../api/kinds.ts";
import { isNamespaceTerminating } from "../../api/status-error.ts";
import { createPod, podWritten } from "../../controller/workload/pod-control.ts";
import { slowStart } from "../../controller/workload/slow-start.ts";
import type { JobSync } from "./job-sync.ts";
import type { JobIndexes } from "./job-pods.ts";
import type { PodPlan } from "./plan-pods.ts";
import { podOf, podOfIndex } from "./pod.ts";
import { indexesInWords, scaleUp } from "./pod-rules.ts";

/** What changed about the pods that count, and the first error if a request failed. */
export interface PodChanges {
  /** By how much the number of active pods changed. */
  readonly active: number;
  readonly failure?: { readonly error: unknown };
}

interface CreateInput {
  readonly plan: PodPlan & { readonly do: "create" };
  readonly indexes: JobIndexes | undefined;
  /** How many pods are active already. */
  readonly active: number;
}

/** Creates the planned pods. Resolves when all requests that were started have completed. */
export async function createPods(
  { context, job }: JobSync,
  { plan, indexes, active }: CreateInput,
): Promise<PodChanges> {
  const { key, expectations } = context;
  const { desired, count: create } = plan;
  const owner = { kind: Jobs, object: job };
  const because = context.decide(scaleUp, {
    active,
    desired,
    create,
    ...(plan.indexes !== undefined && { indexes: indexesInWords(plan.indexes) }),
  });
  // Before the first request: a watch may show the pod before the response arrives.
  expectations.expectCreations(key, create);
  const next = plan.indexes?.values();
  const pod = podOf(job);
  const { successes, failed, error } = await slowStart(create, 1, async () => {
    const index = next?.next().value;
    const wanted = index === undefined ? pod : podOfIndex(job, { index, replaced: indexes?.replaced.get(index) });
    try {
      podWritten(context.consistency, await createPod(context, wanted, { owner, because }));
    } catch (error) {
      // A terminating namespace accepts no pods and needs none: the creation counts as done.
      if (!isNamespaceTerminating(error)) throw error;
    }
  });
  // Creations that failed or were never tried will not be observed.
  for (let unseen = create - successes; unseen > 0; unseen--) expectations.creationObserved(key);
  return { active: successes, ...(failed && { failure: { error } }) };
}
