import { deepEqual } from "../../api/field-changes.ts";
import { keyOf } from "../../api/key.ts";
import { Namespaces, Nodes, PersistentVolumeClaims, PersistentVolumes, Pods, StorageClasses } from "../../api/kinds.ts";
import type { Namespace, Node, PersistentVolume, PersistentVolumeClaim, Pod, StorageClass } from "../../api/types.ts";
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
import { isToBeScheduled, type SchedulerOptions, schedulerName, syncPod } from "./sync.ts";

/** Binds pods to nodes, and volumes to their claims. A simulated kube-scheduler, with the filters and scores that matter without devices. */
export const scheduler: ControllerDefinition = defineScheduler({ bindsVolumes: true });

/** The scheduler, with or without volumes. */
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
      pod.status?.conditions?.some(({ type }) => type === "PodScheduled") !== true,
    component: schedulerName,
    source: "pkg/scheduler/schedule_one.go",
    for: Pods,
    watches: [
      watchPods(),
      watchNodes(),
      watch<Namespace>({ kind: Namespaces, on: () => undefined }),
      ...(options.bindsVolumes ? watchStorage() : []),
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
  // Another pod's affinity may wait for this pod or for its labels.
  const attracts =
    (before.spec?.nodeName ?? "") === "" || !deepEqual(before.metadata.labels ?? {}, pod.metadata.labels ?? {});
  if (freed || attracts) enqueueWaiting(context);
}

/** Whether a change of a pod without a node may make it schedulable; its status, which the scheduler itself writes, may not. */
function matters(before: Pod, after: Pod): boolean {
  return (
    before.metadata.uid !== after.metadata.uid ||
    before.metadata.generation !== after.metadata.generation ||
    !deepEqual(before.metadata.labels ?? {}, after.metadata.labels ?? {}) ||
    !deepEqual(before.spec ?? {}, after.spec ?? {})
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
function enqueueWaiting(context: WatchContext): void {
  const { waiting } = context.state(memory);
  for (const [key, entry] of waiting) {
    if (entry.woken) continue;
    waiting.set(key, { ...entry, woken: true });
    context.enqueue(key);
  }
}
