import { podClaimsOf } from "../../api/device-claims.ts";
import { deepEqual } from "../../api/field-changes.ts";
import { keyOf, type ObjectKey } from "../../api/key.ts";
import type { Kind } from "../../api/kind.ts";
import {
  DeviceClasses,
  Namespaces,
  Nodes,
  PersistentVolumeClaims,
  PersistentVolumes,
  Pods,
  ResourceClaims,
  ResourceSlices,
  StorageClasses,
} from "../../api/kinds.ts";
import type { StoredObject } from "../../api/object.ts";
import type {
  Namespace,
  Node,
  PersistentVolume,
  PersistentVolumeClaim,
  Pod,
  ResourceClaim,
  StorageClass,
} from "../../api/types.ts";
import {
  type ControllerDefinition,
  defineController,
  type Notification,
  type Watch,
  watch,
  type WatchContext,
} from "../../controller/api/definition.ts";
import { isPodTerminal } from "../../controller/workload/pod-status.ts";
import { memory } from "./memory.ts";
import { rules } from "./rules.ts";
import { isToBeScheduled, type SchedulerOptions, schedulerName } from "./due.ts";
import { syncPod } from "./sync.ts";

/** Binds pods to nodes, and volumes to their claims. A simulated kube-scheduler, with the filters and scores that matter; it allocates no devices. */
export const scheduler: ControllerDefinition = defineScheduler({ bindsVolumes: true });

/** The scheduler, with or without volumes; it does not watch devices if the options describe them. */
export function defineScheduler(options: SchedulerOptions): ControllerDefinition {
  return defineController<Pod>({
    name: "scheduler",
    aliases: ["kube-scheduler"],
    purpose: "binds pods to nodes (a simulated kube-scheduler)",
    disabledByDefault: true,
    upstreamComponent: "kube-scheduler",
    ifRunTwice: "pods would be bound that the other one holds back, and the capacity of nodes used twice",
    isLeftUndone: (pod) =>
      isToBeScheduled(pod) &&
      (pod.spec?.schedulingGates ?? []).length === 0 &&
      // The real scheduler reports nothing either about a pod that waits for its claims.
      podClaimsOf(pod).length === 0 &&
      pod.status?.conditions?.some(({ type }) => type === "PodScheduled") !== true,
    component: schedulerName,
    source: "pkg/scheduler/schedule_one.go",
    for: Pods,
    watches: [
      watchPods(),
      watchNodes(),
      watch<Namespace>({ kind: Namespaces, on: () => undefined }),
      ...(options.bindsVolumes ? watchStorage() : []),
      ...(options.devicesOf === undefined ? watchDevices() : []),
    ],
    workers: 8,
    order: { by: "priority", priorityOf: (key, context) => context.cache(Pods).get(key)?.spec?.priority ?? 0 },
    rules,
    permissions: [
      { group: "", resource: "pods/binding", verbs: ["create"] },
      { group: "", resource: "pods/status", verbs: ["patch"] },
      ...(options.bindsVolumes
        ? [
            { group: "", resource: "persistentvolumeclaims", verbs: ["update"] },
            { group: "", resource: "persistentvolumes", verbs: ["update"] },
          ]
        : []),
      // Upstream's role has these: kubernetes v1.36 plugin/pkg/auth/authorizer/rbac/bootstrappolicy/policy.go.
      { group: "resource.k8s.io", resource: "resourceclaims", verbs: ["get"] },
      { group: "resource.k8s.io", resource: "resourceclaims/status", verbs: ["update", "patch"] },
      // Without it, the API server refuses changes to reservations.
      { group: "resource.k8s.io", resource: "resourceclaims/binding", verbs: ["update", "patch"] },
    ],
    sync: (_key, context) => syncPod(context, options),
  });
}

/** Claims, volumes and classes: their changes may make waiting pods schedulable. */
function watchStorage(): readonly Watch[] {
  const on = ({ type }: { readonly type: string }, context: WatchContext): void => {
    if (type !== "deleted") enqueueWaiting(context);
  };
  return [
    watch<PersistentVolumeClaim>({ kind: PersistentVolumeClaims, on }),
    watch<PersistentVolume>({ kind: PersistentVolumes, on }),
    watch<StorageClass>({ kind: StorageClasses, on }),
  ];
}

/**
 * Device claims, device classes, and the slices of drivers. Not every cluster serves them, so only pods with such claims wait for their
 * first lists. Source: kubernetes v1.36 pkg/scheduler/framework/plugins/dynamicresources/dynamicresources.go EventsToRegister,
 * isSchedulableAfterClaimChange; differs: any claim wakes all pods that have device claims.
 */
function watchDevices(): readonly Watch[] {
  const wake = (context: WatchContext): void =>
    enqueueWaiting(context, (key) => podClaimsOf(context.cache(Pods).get(key) ?? {}).length > 0);
  const others = <T extends StoredObject>(kind: Kind<T>): Watch =>
    watch<T>({
      kind,
      deferred: true,
      on({ type }, context) {
        if (type !== "deleted") wake(context);
      },
    });
  return [
    watch<ResourceClaim>({
      kind: ResourceClaims,
      deferred: true,
      on(notification, context) {
        const { type, object } = notification;
        if (type === "deleted") return;
        if (type === "updated" && deepEqual(notification.before.status ?? {}, object.status ?? {})) return;
        wake(context);
      },
    }),
    others(DeviceClasses),
    others(ResourceSlices),
  ];
}

function watchPods(): Watch {
  return watch<Pod>({ kind: Pods, on: onPod });
}

/** Updates node usage; enqueues pods to be scheduled, and waiting pods if capacity may have become free. */
function onPod(notification: Notification<Pod>, context: WatchContext): void {
  const { nodeUsage, waiting } = context.state(memory);
  const { object: pod } = notification;
  const key = keyOf(pod);
  if (notification.type === "deleted") {
    const stood = nodeUsage.has(key);
    nodeUsage.remove(key);
    waiting.delete(key);
    if (stood) enqueueWaiting(context);
    return;
  }
  const stood = nodeUsage.has(key);
  nodeUsage.observe(pod);
  if (isToBeScheduled(pod)) {
    if (notification.type === "added" || matters(notification.before, pod)) {
      waiting.delete(key);
      context.enqueue(key);
    }
    return;
  }
  if (notification.type === "added" || (pod.spec?.nodeName ?? "") === "") return;
  const { before } = notification;
  const freed = stood && isPodTerminal(pod);
  // Another pod's affinity may be waiting for this pod or for its labels.
  const attracts =
    (before.spec?.nodeName ?? "") === "" || !deepEqual(before.metadata.labels ?? {}, pod.metadata.labels ?? {});
  if (freed || attracts) enqueueWaiting(context);
}

/**
 * Whether a change of an unbound pod may make it schedulable. Of the status, which the scheduler itself writes, only claim names matter.
 */
function matters(before: Pod, after: Pod): boolean {
  return (
    before.metadata.uid !== after.metadata.uid ||
    before.metadata.generation !== after.metadata.generation ||
    !deepEqual(before.metadata.labels ?? {}, after.metadata.labels ?? {}) ||
    !deepEqual(before.spec ?? {}, after.spec ?? {}) ||
    !deepEqual(before.status?.resourceClaimStatuses ?? [], after.status?.resourceClaimStatuses ?? [])
  );
}

function watchNodes(): Watch {
  return watch<Node>({
    kind: Nodes,
    on(notification, context) {
      if (notification.type === "deleted") return;
      if (notification.type === "updated" && !mayHelp(notification.before, notification.object)) return;
      enqueueWaiting(context);
    },
  });
}

/** Whether a change of a node may make a pod schedulable; heartbeats, every few seconds, do not. */
function mayHelp(before: Node, after: Node): boolean {
  return (
    !deepEqual(before.spec ?? {}, after.spec ?? {}) ||
    !deepEqual(before.metadata.labels ?? {}, after.metadata.labels ?? {}) ||
    !deepEqual(before.status?.allocatable ?? {}, after.status?.allocatable ?? {})
  );
}

/** Source: kubernetes v1.36 pkg/scheduler/backend/queue/scheduling_queue.go; differs: every change enqueues every waiting pod. */
function enqueueWaiting(context: WatchContext, concerns: (key: ObjectKey) => boolean = () => true): void {
  const { waiting } = context.state(memory);
  for (const [key, entry] of waiting) {
    if (entry.woken || !concerns(key)) continue;
    waiting.set(key, { ...entry, woken: true });
    context.enqueue(key);
  }
}
