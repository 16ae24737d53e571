/** Which pods the scheduler has to place, and when. */
import { podClaimsOf } from "../../api/device-claims.ts";
import { DeviceClasses, Pods, ResourceClaims, ResourceSlices } from "../../api/kinds.ts";
import type { Pod } from "../../api/types.ts";
import { isPodTerminal } from "../../controller/workload/pod-status.ts";
import type { SyncContext } from "../../controller/api/sync-context.ts";
import { type DevicesView, devicesView, noDevices } from "./devices.ts";
import { memory } from "./memory.ts";
import { awaitDevices, gated } from "./rules.ts";
import type { VolumesView } from "./volumes.ts";

/** The `spec.schedulerName` of pods that name no scheduler. */
export const schedulerName = "default-scheduler";

/** Whether this scheduler is responsible for finding a node for the pod. */
export function isToBeScheduled(pod: Pod): boolean {
  return (
    (pod.spec?.nodeName ?? "") === "" &&
    (pod.spec?.schedulerName ?? schedulerName) === schedulerName &&
    pod.metadata.deletionTimestamp === undefined &&
    !isPodTerminal(pod)
  );
}

/** What the scheduler takes into account. */
export interface SchedulerOptions {
  /** Pods wait for their claims, and claims for the nodes of their pods. If false, pods are placed as if their claims were bound. */
  readonly bindsVolumes: boolean;
  /** If nothing binds claims: what is known about the pod's claims. Default: it can run on any node. */
  readonly volumesOf?: (pod: Pod) => VolumesView;
  /** What is known about a pod's device claims, if they are evaluated elsewhere. Default: they are watched, and pods wait for them. */
  readonly devicesOf?: (pod: Pod) => DevicesView;
}

/** A pod that is to be placed now. */
export interface DuePod {
  readonly pod: Pod;
  readonly devices: DevicesView;
  /** The node that was chosen when its claims were still to be bound. */
  readonly chosenBefore: string | undefined;
}

/** The synced pod, if it is to be placed now; otherwise the key is enqueued again if time alone is missing. */
export async function duePod(context: SyncContext, options: SchedulerOptions): Promise<DuePod | undefined> {
  const { key } = context;
  const usesDevices = podClaimsOf(context.cache(Pods).get(key) ?? {}).length > 0;
  const areDevicesKnown = !usesDevices || options.devicesOf !== undefined || (await areDeviceCachesFilled(context));
  const { nodeUsage, waiting } = context.state(memory);
  const pod = context.cache(Pods).get(key);
  if (pod === undefined || !isToBeScheduled(pod)) return void waiting.delete(key);
  // Already bound; the cache is behind.
  if (nodeUsage.has(key)) return undefined;
  const gates = (pod.spec?.schedulingGates ?? []).map(({ name }) => name);
  if (gates.length > 0) return void context.decide(gated, { gates });
  if (!areDevicesKnown) {
    context.decide(awaitDevices, { why: "ResourceClaims, DeviceClasses and ResourceSlices could not be listed yet" });
    context.enqueueAfter(lookAgainAfterMs, "they may have been listed by now", { background: true });
    return undefined;
  }
  const devices = usesDevices ? (options.devicesOf?.(pod) ?? devicesView(context, pod)) : noDevices;
  const before = waiting.get(key);
  if (devices.held !== undefined) {
    context.decide(awaitDevices, { why: devices.held });
    return void waiting.set(key, { attempts: before?.attempts ?? 0, until: context.now(), woken: false });
  }
  if (before !== undefined && context.now() < before.until) {
    context.enqueueAfter(before.until - context.now(), "something changed during the back-off");
    return undefined;
  }
  return { pod, devices, chosenBefore: before?.node };
}

const firstListMs = 1000;
const lookAgainAfterMs = 5000;

/** Not every cluster serves them, so only pods with such claims wait for their lists, the first for one second. */
async function areDeviceCachesFilled(context: SyncContext): Promise<boolean> {
  const state = context.state(memory);
  if (state.deviceCaches === "unasked") {
    state.deviceCaches = "filling";
    const kinds = [ResourceClaims, DeviceClasses, ResourceSlices];
    const filled = Promise.all(kinds.map((kind) => context.waitForCacheSync(kind))).then(
      () => (state.deviceCaches = "filled"),
      // The run ends.
      () => undefined,
    );
    await Promise.race([filled, context.sleep(firstListMs)]);
  }
  return state.deviceCaches === "filled";
}
