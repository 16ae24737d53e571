/**
 * When a pod finished, as far as its status shows.
 * Source: kubernetes v1.36 pkg/controller/job/backoff_utils.go getFinishedTime.
 */
import { readTime } from "../../api/time.ts";
import type { ContainerStatus, Pod } from "../../api/types.ts";
import { podReadyCondition } from "../../controller/workload/pod-status.ts";

/**
 * Milliseconds since 1970: when its last container terminated; else when it became unready; else when its deletion was requested; else when
 * it was created.
 */
export function finishTime(pod: Pod): number {
  return (
    endOfContainers(pod) ?? unreadySince(pod) ?? deletionRequested(pod) ?? readTime(pod.metadata.creationTimestamp) ?? 0
  );
}

/** Undefined while a container or sidecar is running. */
function endOfContainers({ spec, status }: Pod): number | undefined {
  const sidecars = new Set(
    (spec?.initContainers ?? []).filter(({ restartPolicy }) => restartPolicy === "Always").map(({ name }) => name),
  );
  const mains = ends(status?.containerStatuses ?? []);
  const others = ends((status?.initContainerStatuses ?? []).filter(({ name }) => sidecars.has(name)));
  // A running sidecar leaves the end open; running main containers next to terminated sidecars do not.
  if (others === "open") return undefined;
  const all = [...(mains === "open" ? [] : mains), ...others];
  return all.length === 0 ? undefined : Math.max(...all);
}

function ends(statuses: readonly ContainerStatus[]): readonly number[] | "open" {
  const times = statuses.map(({ state }) => readTime(state?.terminated?.finishedAt));
  return times.every((time) => time !== undefined) ? times : "open";
}

function unreadySince(pod: Pod): number | undefined {
  const ready = podReadyCondition(pod);
  return ready?.status === "False" ? readTime(ready.lastTransitionTime) : undefined;
}

/** The server sets deletionTimestamp to the end of the grace period. */
function deletionRequested({ metadata }: Pod): number | undefined {
  const ends = readTime(metadata.deletionTimestamp);
  return ends === undefined ? undefined : ends - (metadata.deletionGracePeriodSeconds ?? 0) * 1000;
}
