/** What the controller remembers while it runs. */
import type { ObjectKey } from "../../api/key.ts";
import { type RunState, runState } from "../../controller/api/run-state.ts";
import { TriggerTimes } from "../../controller/workload/service/trigger-times.ts";

/** When the changes behind writes happened. */
export const triggerTimes: RunState<TriggerTimes> = runState(() => new TriggerTimes());

/**
 * The resourceVersion of each Endpoints that the last update replaced. Source: kubernetes v1.36
 * pkg/controller/endpoint/endpoints_tracker.go.
 */
export const replacedVersions: RunState<Map<ObjectKey, string>> = runState(() => new Map<ObjectKey, string>(), {
  remembersWrites: true,
});
