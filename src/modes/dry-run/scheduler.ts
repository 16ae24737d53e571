/** The scheduler of a dry run: pods wait for their claims, as with kube-scheduler. */
import { podClaimsOf } from "../../api/device-claims.ts";
import { Pods } from "../../api/kinds.ts";
import type { StoredObject } from "../../api/object.ts";
import type { Pod } from "../../api/types.ts";
import type { ControllerDefinition } from "../../controller/api/definition.ts";
import type { DevicesView } from "../../controllers/scheduler/devices.ts";
import { defineScheduler } from "../../controllers/scheduler/scheduler.ts";
import type { VolumesView } from "../../controllers/scheduler/volumes.ts";
import { lookAgain, type Waiting } from "./waiting.ts";

/** What keeps pods from being placed. */
export interface SchedulerOptions extends Waiting {
  /** What keeps the pod from any node, such as `claim shop/data stays Pending: …`; undefined if nothing does. */
  readonly lacksClaim: (pod: Pod & StoredObject) => string | undefined | Promise<string | undefined>;
  /** Where the volumes of the pod's bound claims can be used. */
  readonly volumesOf: (pod: Pod) => VolumesView;
  /** The pod's claims with allocated devices. */
  readonly devicesOf: (pod: Pod) => DevicesView;
}

/**
 * A pod whose claim does not exist, or gets no volume or no devices, is not bound to a node. Source: kubernetes v1.36
 * pkg/scheduler/framework/plugins/volumebinding/volume_binding.go PreFilter; differs: the pod's condition does not say so, the report does.
 */
export function dryRunScheduler({ lacksClaim, volumesOf, devicesOf, clock }: SchedulerOptions): ControllerDefinition {
  // Claims are evaluated separately, including what is unknown about them.
  const scheduler = defineScheduler({ bindsVolumes: false, volumesOf, devicesOf });
  return {
    ...scheduler,
    async sync(key, context) {
      const pod = context.cache(Pods).get(key);
      const mayLack = pod !== undefined && ((pod.spec?.volumes ?? []).length > 0 || podClaimsOf(pod).length > 0);
      if (!mayLack || (await lacksClaim(pod)) === undefined) return scheduler.sync(key, context);
      lookAgain(context, { pod, clock });
      return undefined;
    },
  };
}
