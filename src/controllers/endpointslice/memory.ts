/** What the controller remembers while it runs. */
import { type RunState, runState } from "../../controller/api/run-state.ts";
import { TriggerTimes } from "../../controller/workload/service/trigger-times.ts";
import { SliceTracker } from "../../controller/workload/service/slice-tracker.ts";
import { ZoneMemory } from "./zone-memory.ts";

/** Tracks writes to slices. */
export const sliceTracker: RunState<SliceTracker> = runState(() => new SliceTracker(), { remembersWrites: true });
/** When the changes behind writes happened. */
export const triggerTimes: RunState<TriggerTimes> = runState(() => new TriggerTimes());
/** Zone shares, and which Services have hints by them. */
export const zoneMemory: RunState<ZoneMemory> = runState(() => new ZoneMemory());
