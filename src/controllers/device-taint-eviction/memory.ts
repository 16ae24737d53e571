/** What the eviction by taints of devices remembers while it runs. */
import type { ObjectKey } from "../../api/key.ts";
import { type RunState, runState } from "../../controller/api/run-state.ts";
import { LeastRecentlyUsed } from "../../controller/runtime/least-recently-used.ts";

/** The uids of pods that are to go, now or later, by their keys. */
export const appointments: RunState<Map<ObjectKey, string>> = runState(() => new Map<ObjectKey, string>());

/** The uids of the last 500 pods that were deleted, or found to be gone. Source: uid_cache.go. */
export const evicted: RunState<LeastRecentlyUsed<true>> = runState(() => new LeastRecentlyUsed<true>(500));
