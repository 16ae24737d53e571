/** Eviction of pods by taints. Source: kubernetes v1.36 pkg/controller/tainteviction/taint_eviction.go. */
import { deepEqual } from "../../api/field-changes.ts";
import { keyOf } from "../../api/key.ts";
import { Nodes, Pods } from "../../api/kinds.ts";
import type { Node, Pod } from "../../api/types.ts";
import {
  type ControllerDefinition,
  defineController,
  type Notification,
  watch,
  type WatchContext,
} from "../../controller/api/definition.ts";
import { indexByNodeName, nodeNameIndex, podsOfNode } from "../../controller/workload/pods-of-node.ts";
import { memory } from "./memory.ts";
import { rules } from "./rules.ts";
import { syncPod } from "./sync.ts";
import { evictingTaints } from "./toleration.ts";

/** Deletes pods that do not, or no longer, tolerate the NoExecute taints of their nodes. */
export const taintEviction: ControllerDefinition = defineController<Pod>({
  name: "taint-eviction",
  aliases: ["taint-eviction-controller"],
  purpose: "deletes pods that do not tolerate the NoExecute taints of their nodes",
  component: "taint-eviction-controller",
  source: "pkg/controller/tainteviction/taint_eviction.go",
  for: Pods,
  watches: [
    watch<Pod>({ kind: Pods, indexes: { [nodeNameIndex]: indexByNodeName }, on: onPod }),
    watch<Node>({ kind: Nodes, on: onNode }),
  ],
  workers: 8,
  // A deletion is tried five times within its sync, and not again.
  retry: { maxRetries: 0 },
  ifRunTwice: "the second of two deletions would be refused",
  rules,
  // Granted by upstream's role too: kubernetes v1.36 plugin/pkg/auth/authorizer/rbac/bootstrappolicy/controller_policy.go.
  permissions: [
    { group: "", resource: "pods", verbs: ["get", "delete"] },
    { group: "", resource: "pods/status", verbs: ["patch"] },
  ],
  sync: (_key, context) => syncPod(context),
});

function onPod(notification: Notification<Pod>, context: WatchContext): void {
  const { type, object: pod } = notification;
  if (type === "updated") {
    const { before } = notification;
    const isSame =
      before.metadata.uid === pod.metadata.uid &&
      before.spec?.nodeName === pod.spec?.nodeName &&
      deepEqual(before.spec?.tolerations, pod.spec?.tolerations);
    if (isSame) return;
  }
  if ((pod.spec?.nodeName ?? "") !== "") context.enqueue(keyOf(pod));
}

/** A deleted node changes nothing for its pods: their scheduled deletions still happen, unless a node of that name is added first. */
function onNode(notification: Notification<Node>, context: WatchContext): void {
  const { type, object: node } = notification;
  if (type === "deleted") return;
  const taints = evictingTaints(node);
  if (type === "updated" && deepEqual(evictingTaints(notification.before), taints)) return;
  const known = context.state(memory);
  for (const pod of podsOfNode(context.cache(Pods), node.metadata.name)) {
    const key = keyOf(pod);
    // Without taints there is nothing to decide, and for most pods nothing to cancel.
    if (taints.length > 0 || known.has(key)) context.enqueue(key);
  }
}
