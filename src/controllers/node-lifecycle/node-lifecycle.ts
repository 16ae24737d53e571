/** The node lifecycle controller. Source: kubernetes v1.36 pkg/controller/nodelifecycle/node_lifecycle_controller.go. */
import { keyOf } from "../../api/key.ts";
import { Leases, Nodes, Pods } from "../../api/kinds.ts";
import type { Lease, Node, Pod } from "../../api/types.ts";
import {
  type ControllerDefinition,
  defineController,
  type Notification,
  watch,
  type WatchContext,
} from "../../controller/api/definition.ts";
import { podKey, podOfKey } from "../../controller/workload/pod-key.ts";
import { indexByNodeName, nodeNameIndex } from "../../controller/workload/pods-of-node.ts";
import { labelsToSet } from "./labels.ts";
import { monitorNodes } from "./monitor.ts";
import { defaultOptions, type NodeLifecycleOptions } from "./options.ts";
import { nodeOfPodsKey, syncPod, syncPodsOf } from "./pods-not-ready.ts";
import { rules } from "./rules.ts";
import { syncNode } from "./sync.ts";

/** Detects silent nodes, taints nodes by their conditions, and marks pods of silent nodes not ready. */
export const nodeLifecycle: ControllerDefinition = defineNodeLifecycle();

/** The controller with times and rates that differ from kube-controller-manager's defaults. */
export function defineNodeLifecycle(changed: Partial<NodeLifecycleOptions> = {}): ControllerDefinition {
  const options = { ...defaultOptions, ...changed };
  return defineController<Node>({
    name: "node-lifecycle",
    aliases: ["node-lifecycle-controller", "nodelifecycle"],
    purpose: "taints nodes by their conditions, and detects nodes that stop reporting",
    component: "node-controller",
    source: "pkg/controller/nodelifecycle/node_lifecycle_controller.go",
    for: Nodes,
    watches: [
      watch<Node>({ kind: Nodes, on: ({ object }, context) => context.enqueue(keyOf(object)) }),
      watch<Pod>({ kind: Pods, indexes: { [nodeNameIndex]: indexByNodeName }, on: onPod }),
      // Only read: the next check sees renewals.
      watch<Lease>({ kind: Leases, on() {} }),
    ],
    scans: [
      {
        name: "the health of all nodes",
        everyMs: options.monitorPeriodMs,
        on: (context) => monitorNodes(context, options),
      },
    ],
    workers: 8,
    syncsEveryMs: options.monitorPeriodMs,
    ifRunTwice:
      "each would judge nodes by what it has seen itself, and one may put taints back that the other has removed",
    isLeftUndone: (node) => Object.keys(labelsToSet(node)).length > 0,
    dryRun: { is: "about nodes" },
    rules,
    // Granted by upstream's role too: kubernetes v1.36 plugin/pkg/auth/authorizer/rbac/bootstrappolicy/controller_policy.go.
    permissions: [
      { group: "", resource: "nodes", verbs: ["get", "patch"] },
      { group: "", resource: "nodes/status", verbs: ["update"] },
      { group: "", resource: "pods/status", verbs: ["update"] },
    ],
    about: (key) => {
      const [pod, node] = [podOfKey(key), nodeOfPodsKey(key)];
      if (node !== undefined) return { kind: Nodes.kind, key: node };
      return pod === undefined ? undefined : { kind: Pods.kind, key: pod };
    },
    sync(key, context) {
      const [pod, node] = [podOfKey(key), nodeOfPodsKey(key)];
      if (node !== undefined) return syncPodsOf(context, node);
      return pod === undefined ? syncNode(context, options) : syncPod(context, pod);
    },
  });
}

/** Enqueues a pod that is bound to a node, or first observed on one. */
function onPod(notification: Notification<Pod>, context: WatchContext): void {
  const { type, object: pod } = notification;
  const { nodeName = "" } = pod.spec ?? {};
  if (type === "deleted" || nodeName === "") return;
  if (type === "updated" && notification.before.spec?.nodeName === nodeName) return;
  context.enqueue(podKey(pod));
}
