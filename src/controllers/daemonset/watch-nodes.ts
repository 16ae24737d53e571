import { deepEqual } from "../../api/field-changes.ts";
import { keyOf, objectKey, type ObjectKey } from "../../api/key.ts";
import { DaemonSets, Nodes, Pods } from "../../api/kinds.ts";
import { controllerOf } from "../../api/owner-references.ts";
import type { Node } from "../../api/types.ts";
import { type Watch, watch, type WatchContext } from "../../controller/api/definition.ts";
import { podsOfNode } from "../../controller/workload/pods-of-node.ts";
import { nodeFits } from "../../api/node-fit/daemon-fit.ts";

/**
 * The watch of nodes: a new node, or a change of labels or taints, enqueues the sets that have something to do there. A deleted node
 * enqueues none: its pods are deleted after it.
 *
 * Source: kubernetes v1.36 pkg/controller/daemon/daemon_controller.go addNode, updateNode, syncNodeUpdate; differs: nodes have no separate
 * queue, so the trigger of a key is the node's delta.
 */
export function watchNodes(): Watch {
  return watch<Node>({
    kind: Nodes,
    on(notification, context) {
      if (notification.type === "deleted") return;
      const { object: node } = notification;
      if (notification.type === "updated" && isSameForPods(notification.before, node)) return;
      enqueueConcerned(node, context);
    },
  });
}

function isSameForPods(before: Node, after: Node): boolean {
  return (
    deepEqual(before.metadata.labels ?? {}, after.metadata.labels ?? {}) &&
    deepEqual(before.spec?.taints ?? [], after.spec?.taints ?? [])
  );
}

/** Enqueues sets that lack a pod there, have one to delete, or count a misplaced one, which may now be in the right place. */
function enqueueConcerned(node: Node, context: WatchContext): void {
  const occupied = ownersOn(node, context);
  for (const set of context.cache(DaemonSets).list()) {
    const { shouldRun, mayStay } = nodeFits(set)(node);
    const hasPod = occupied.has(keyOf(set));
    const isConcerned = hasPod ? !mayStay || (set.status?.numberMisscheduled ?? 0) > 0 : shouldRun;
    if (isConcerned) context.enqueue(keyOf(set));
  }
}

/** Keys of the sets with a pod on the node. */
function ownersOn(node: Node, context: WatchContext): ReadonlySet<ObjectKey> {
  const owners = new Set<ObjectKey>();
  for (const pod of podsOfNode(context.cache(Pods), node.metadata.name)) {
    const controller = controllerOf(pod);
    if (controller?.kind === DaemonSets.kind) owners.add(objectKey(pod.metadata.namespace, controller.name));
  }
  return owners;
}
