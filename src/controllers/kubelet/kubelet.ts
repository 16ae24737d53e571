import { deepEqual } from "../../api/field-changes.ts";
import { keyOf } from "../../api/key.ts";
import { Leases, Nodes, Pods } from "../../api/kinds.ts";
import type { Node, Pod } from "../../api/types.ts";
import {
  type ControllerDefinition,
  defineController,
  type Notification,
  watch,
  type WatchContext,
} from "../../controller/api/definition.ts";
import { indexByNodeName, nodeNameIndex, podsOfNode } from "../../controller/workload/pods-of-node.ts";
import { syncNode } from "./heartbeat.ts";
import { isSilent, isSimulated } from "./simulated.ts";
import { forget, memory } from "./memory.ts";
import { nodeRules, rules } from "./rules.ts";
import { covers, syncPod } from "./sync.ts";

/** Runs the pods of simulated nodes. No container is ever started: annotations determine what containers do. */
export const kubelet: ControllerDefinition = defineController<Pod>({
  name: "kubelet",
  aliases: [],
  purpose: "runs the pods of simulated nodes (no real containers: annotations determine what they do)",
  disabledByDefault: true,
  // It only handles nodes that are marked as simulated; kwok handles those too.
  upstreamComponent: "kubelet",
  ifRunTwice: "two kubelets would write the statuses of the same pods, and delete them twice",
  component: "kubelet",
  source: "pkg/kubelet/kubelet.go",
  for: Pods,
  watches: [
    watch<Pod>({
      kind: Pods,
      indexes: { [nodeNameIndex]: indexByNodeName },
      on: onPod,
    }),
    watch<Node>({ kind: Nodes, on: onNode }),
  ],
  workers: 16,
  rules,
  permissions: [
    { group: "", resource: "pods", verbs: ["delete"] },
    { group: "", resource: "pods/status", verbs: ["patch"] },
    { group: "", resource: "configmaps", verbs: ["get"] },
    { group: "", resource: "secrets", verbs: ["get"] },
  ],
  sync: (_key, context) => syncPod(context),
});

function onPod(notification: Notification<Pod>, context: WatchContext): void {
  const { object: pod } = notification;
  const key = keyOf(pod);
  if ((pod.spec?.nodeName ?? "") === "") return;
  if (notification.type === "deleted") {
    forget(context.state(memory), key);
    return;
  }
  const written = context.state(memory).pods.get(key)?.written?.status;
  if (notification.type === "updated" && written !== undefined) {
    const { before } = notification;
    const same = (field: "annotations" | "deletionTimestamp" | "generation" | "deletionGracePeriodSeconds"): boolean =>
      deepEqual(before.metadata[field], pod.metadata[field]);
    const untouched =
      before !== pod &&
      same("annotations") &&
      same("deletionTimestamp") &&
      same("deletionGracePeriodSeconds") &&
      same("generation") &&
      before.spec?.nodeName === pod.spec?.nodeName;
    // The delta of our own write.
    if (untouched && covers(pod.status, written)) return;
  }
  context.enqueue(key);
}

/** A node that reports again, or has become simulated, has pods to catch up with. */
function onNode(notification: Notification<Node>, context: WatchContext): void {
  if (notification.type === "deleted") return;
  const { object: node } = notification;
  const works = (each: Node): boolean => isSimulated(each) && !isSilent(each);
  if (!works(node) || (notification.type === "updated" && works(notification.before))) return;
  for (const pod of podsOfNode(context.cache(Pods), node.metadata.name)) context.enqueue(keyOf(pod));
}

/** Keeps the nodes of the simulated kubelet Ready. */
export const nodeHeartbeat: ControllerDefinition = defineController<Node>({
  name: "node-heartbeat",
  aliases: [],
  companionOf: "kubelet",
  purpose: "renews the Leases of simulated nodes, and their status (comes with kubelet)",
  disabledByDefault: true,
  upstreamComponent: "kubelet",
  ifRunTwice: "a node would look alive after its own kubelet has died",
  component: "kubelet",
  source: "pkg/kubelet/kubelet_node_status.go",
  for: Nodes,
  watches: [
    watch<Node>({
      kind: Nodes,
      on({ type, object }, context) {
        if (type !== "deleted" && isSimulated(object)) context.enqueue(keyOf(object));
      },
    }),
  ],
  workers: 4,
  rules: nodeRules,
  permissions: [
    { group: "", resource: "nodes", verbs: ["patch"] },
    { group: "", resource: "nodes/status", verbs: ["patch"] },
    { group: Leases.group, resource: "leases", verbs: ["get", "create", "update"] },
  ],
  sync: (_key, context) => syncNode(context),
});
