/** What the controller remembers while it runs. */
import { type RunState, runState } from "../../controller/api/run-state.ts";
import { TriggerTimes } from "../../controller/workload/service/trigger-times.ts";
import { SliceTracker } from "../../controller/workload/service/slice-tracker.ts";
import { ZoneMemory } from "./zone-memory.ts";

/** What was written to slices. */
export const sliceTracker: RunState<SliceTracker> = runState(() => new SliceTracker());
/** When what led to writes has happened. */
export const triggerTimes: RunState<TriggerTimes> = runState(() => new TriggerTimes());
/** Zones' shares, and who has hints by them. */
export const zoneMemory: RunState<ZoneMemory> = runState(() => new ZoneMemory());
