/** Deletion timestamps and grace periods. Source: apiserver v0.36 pkg/registry/rest/delete.go BeforeDelete. */
import { formatTime, parseTime } from "../../api/time.ts";
import type { RequestScope } from "../context/server.ts";
import type { ApiObject } from "../meta/object.ts";
import type { DeleteOptions } from "./delete-options.ts";

/**
 * Sets the grace period of a graceful deletion. `pending`: it is already being deleted, with a period no longer than the requested one;
 * there is nothing to do.
 */
export function beGraceful(scope: RequestScope, object: ApiObject, options: DeleteOptions): "yes" | "no" | "pending" {
  const { strategy } = scope.resource;
  if (strategy.checkGracefulDelete === undefined) return "no";
  const { metadata } = object;
  const now = scope.server.timeline.now();
  const { deletionTimestamp, deletionGracePeriodSeconds: left } = metadata;
  if (deletionTimestamp !== undefined) {
    if (left === undefined || left === 0) return "no";
    const requested = options.gracePeriodSeconds;
    if (requested === undefined || requested >= left) return "pending";
    const earlier = parseTime(deletionTimestamp) + (requested - left) * 1000;
    metadata.deletionTimestamp = formatTime(Math.max(earlier, now));
    // Even if the time is up, the kubelet gets one second.
    metadata.deletionGracePeriodSeconds = earlier < now && requested !== 0 ? 1 : requested;
    return "yes";
  }
  const period = strategy.checkGracefulDelete(object, options.gracePeriodSeconds);
  metadata.deletionTimestamp = formatTime(now + period * 1000);
  metadata.deletionGracePeriodSeconds = period;
  raiseGeneration(metadata);
  return "yes";
}

/** The beginning of a deletion counts as a change of the spec, for kinds that count them. */
function raiseGeneration(metadata: ApiObject["metadata"]): void {
  const { generation = 0 } = metadata;
  if (generation > 0) metadata.generation = generation + 1;
}

/** Marks an object that is deleted without a grace period, and that finalizers keep. */
export function markAsDeleting(scope: RequestScope, object: ApiObject): void {
  const { metadata } = object;
  const now = scope.server.timeline.now();
  if (metadata.deletionTimestamp === undefined) raiseGeneration(metadata);
  if (metadata.deletionTimestamp === undefined || parseTime(metadata.deletionTimestamp) > now) {
    metadata.deletionTimestamp = formatTime(now);
  }
  metadata.deletionGracePeriodSeconds = 0;
}
