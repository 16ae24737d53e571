/** What the controller remembers while it runs. */
import { type RunState, runState } from "../../controller/api/run-state.ts";
import { SliceTracker } from "../../controller/workload/service/slice-tracker.ts";

/** Tracks writes to slices. */
export const sliceTracker: RunState<SliceTracker> = runState(() => new SliceTracker(), { remembersWrites: true });
