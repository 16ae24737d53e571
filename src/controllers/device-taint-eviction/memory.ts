/** The state of one run of the eviction by device taints. */
import type { evictingTaints } from "../../api/device-taints.ts";
import type { ObjectKey } from "../../api/key.ts";
import { type RunState, runState } from "../../controller/api/run-state.ts";
import { LeastRecentlyUsed } from "../../controller/api/least-recently-used.ts";

/** The uids of pods to evict, now or later, by key. */
export const appointments: RunState<Map<ObjectKey, string>> = runState(() => new Map<ObjectKey, string>());

/**
 * The uids of the last 500 pods that were deleted or found gone, and whether a change has woken them since: only then do they count as to be
 * evicted again, so that a change of mind is announced. Source: uid_cache.go; device_taint_eviction.go evictPod.
 */
export const evicted: RunState<LeastRecentlyUsed<"asleep" | "woken">> = runState(
  () => new LeastRecentlyUsed<"asleep" | "woken">(500),
);

/** The evicting taints of pools that have some, as of the last notification about their slices. */
export const poolTaints: RunState<Map<string, ReturnType<typeof evictingTaints>>> = runState(
  () => new Map<string, ReturnType<typeof evictingTaints>>(),
);
