/** Controllers without which no pod is placed as in a cluster: they run whichever controllers are requested. */
import type { ControllerDefinition } from "../../controller/api/definition.ts";
import { ephemeralVolume } from "../../controllers/ephemeral-volume/ephemeral-volume.ts";
import { resourcequota } from "../../controllers/resourcequota/resourcequota.ts";

/** The controllers of a simulated cluster. */
export interface Division {
  /** Their events are published. */
  readonly traced: readonly ControllerDefinition[];
  /** They run in silence, as the scheduler and the kubelet do. */
  readonly silent: readonly ControllerDefinition[];
}

/** Adds the ResourceQuota controller, which is always silent, and the ephemeral volume controller, silent unless it is requested. */
export function withThoseThatAlwaysRun(requested: readonly ControllerDefinition[]): Division {
  const isRequested = requested.some(({ name }) => name === ephemeralVolume.name);
  return {
    traced: requested.filter(({ name }) => name !== resourcequota.name),
    silent: [resourcequota, ...(isRequested ? [] : [ephemeralVolume])],
  };
}
