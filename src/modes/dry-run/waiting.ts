/** Pods that wait for an object that may be applied just after them. */
import type { StoredObject } from "../../api/object.ts";
import { parseTime } from "../../api/time.ts";
import type { SyncContext } from "../../controller/api/sync-context.ts";

/** How time passes. */
export interface Waiting {
  /** With a real clock, nothing waits for the next check of such a pod. */
  readonly clock: "virtual" | "real";
}

/** How long to keep checking for what a pod needs, from its creation. */
const patienceMs = 60_000;
const lookAgainAfterMs = 1000;
const whyAgain = "what the pod needs may exist by now";

/** Checks the pod again in a second, within its first minute. */
export function lookAgain(
  context: SyncContext,
  { pod, clock }: Waiting & { readonly pod: Pick<StoredObject, "metadata"> },
): void {
  const age = context.now() - parseTime(pod.metadata.creationTimestamp);
  if (age < patienceMs) context.enqueueAfter(lookAgainAfterMs, whyAgain, { background: clock === "real" });
}
