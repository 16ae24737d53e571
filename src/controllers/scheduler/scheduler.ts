import { deepEqual } from "../../api/field-changes.ts";
import { keyOf } from "../../api/key.ts";
import { Namespaces, Nodes, Pods } from "../../api/kind.ts";
import type { Namespace, Node, Pod } from "../../api/types.ts";
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
import { isToBeScheduled, schedulerName, syncPod } from "./sync.ts";

/**
 * Gives pods their nodes. A simulated kube-scheduler: its filters and scores are the ones that matter without volumes and
 * devices.
 */
export const scheduler: ControllerDefinition = defineController<Pod>({
  name: "scheduler",
  aliases: ["kube-scheduler"],
  purpose: "gives pods their nodes (a simulated kube-scheduler)",
  disabledByDefault: true,
  upstreamComponent: "kube-scheduler",
  ifRunTwice: "pods would be bound that the other one holds back, and nodes filled twice",
  isLeftUndone: (pod) =>
    isToBeScheduled(pod) &&
    (pod.spec?.schedulingGates ?? []).length === 0 &&
    pod.status?.conditions?.some(({ type }) => type === "PodScheduled") !== true,
  component: schedulerName,
  source: "pkg/scheduler/schedule_one.go",
  for: Pods,
  watches: [watchPods(), watchNodes(), watch<Namespace>({ kind: Namespaces, on: () => undefined })],
  workers: 8,
  order: { by: "priority", priorityOf: (key, context) => context.cache(Pods).get(key)?.spec?.priority ?? 0 },
  rules,
  permissions: [
    { group: "", resource: "pods/binding", verbs: ["create"] },
    { group: "", resource: "pods/status", verbs: ["patch"] },
  ],
  sync: (_key, context) => syncPod(context),
});

function watchPods(): Watch {
  return watch<Pod>({ kind: Pods, on: onPod });
}

/** Keeps the ledger, wakes pods that are to be scheduled, and those that wait when room may have become free. */
function onPod(notification: Notification<Pod>, context: WatchContext): void {
  const { ledger, waiting } = context.state(memory);
  const { object: pod } = notification;
  const key = keyOf(pod);
  if (notification.type === "deleted") {
    const stood = ledger.has(key);
    ledger.remove(key);
    waiting.delete(key);
    if (stood) wakeWaiting(context);
    return;
  }
  const stood = ledger.has(key);
  ledger.observe(pod);
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
  // A pod's coming or its labels may be what another one's affinity waits for.
  const attracts =
    (before.spec?.nodeName ?? "") === "" || !deepEqual(before.metadata.labels ?? {}, pod.metadata.labels ?? {});
  if (freed || attracts) wakeWaiting(context);
}

/** Whether a pod without a node has changed in a way that may help it: status does not, and own writes are of status alone. */
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
      wakeWaiting(context);
    },
  });
}

/** Heartbeats change a node every few seconds; they help no pod. */
function mayHelp(before: Node, after: Node): boolean {
  return (
    !deepEqual(before.spec ?? {}, after.spec ?? {}) ||
    !deepEqual(before.metadata.labels ?? {}, after.metadata.labels ?? {}) ||
    !deepEqual(before.status?.allocatable ?? {}, after.status?.allocatable ?? {})
  );
}

/** Source: kubernetes v1.36 pkg/scheduler/backend/queue/scheduling_queue.go; differs: every change wakes every pod that waits. */
function wakeWaiting(context: WatchContext): void {
  const { waiting } = context.state(memory);
  for (const [key, entry] of waiting) {
    if (entry.woken) continue;
    waiting.set(key, { ...entry, woken: true });
    context.enqueue(key);
  }
}
