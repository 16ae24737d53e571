/** Attaching volumes to nodes. Source: kubernetes v1.36 pkg/controller/volume/attachdetach/attach_detach_controller.go. */
import { keyOf, objectKey } from "../../api/key.ts";
import {
  CsiDrivers,
  Nodes,
  PersistentVolumeClaims,
  PersistentVolumes,
  Pods,
  VolumeAttachments,
} from "../../api/kinds.ts";
import type {
  CsiDriver,
  Node,
  PersistentVolume,
  PersistentVolumeClaim,
  Pod,
  VolumeAttachment,
} from "../../api/types.ts";
import {
  type ControllerDefinition,
  defineController,
  type Notification,
  watch,
  type WatchContext,
} from "../../controller/api/definition.ts";
import { isNodeReady } from "../../controller/workload/node-conditions.ts";
import { claimIndex, claimKeysOf } from "../../controller/workload/pods-of-claim.ts";
import { indexByNodeName, nodeNameIndex } from "../../controller/workload/pods-of-node.ts";
import { hasStopped } from "../../controller/workload/pod-status.ts";
import { mayHaveAttachable } from "./attachable.ts";
import { isManaged, refreshDesired } from "./desired.ts";
import type { DetachOptions } from "./detach.ts";
import { rules } from "./rules.ts";
import { syncNode } from "./sync.ts";
import { world } from "./world.ts";

/** Makes CSI drivers attach volumes to the nodes whose pods need them, and detach them from others. */
export const persistentVolumeAttachDetach: ControllerDefinition = definePersistentVolumeAttachDetach();

/** The controller with timeouts that differ from kube-controller-manager's, which cannot be configured there. */
export function definePersistentVolumeAttachDetach(changed: Partial<DetachOptions> = {}): ControllerDefinition {
  const options: DetachOptions = { maxWaitForUnmountMs: 360_000, disableForceDetachOnTimeout: false, ...changed };
  return defineController<Node>({
    name: "persistentvolume-attach-detach",
    aliases: ["attach-detach", "attachdetach", "persistentvolume-attach-detach-controller"],
    purpose: "attaches volumes to the nodes whose pods need them, through VolumeAttachments",
    component: "attachdetach-controller",
    source: "pkg/controller/volume/attachdetach/attach_detach_controller.go",
    for: Nodes,
    watches: [
      watch<Node>({ kind: Nodes, on: onNode }),
      watch<Pod>({
        kind: Pods,
        indexes: { [nodeNameIndex]: indexByNodeName, [claimIndex]: claimKeysOf },
        on: onPod,
      }),
      watch<PersistentVolumeClaim>({ kind: PersistentVolumeClaims, on: onClaim }),
      watch<PersistentVolume>({ kind: PersistentVolumes, on: onVolume }),
      watch<VolumeAttachment>({
        kind: VolumeAttachments,
        owned: true,
        on: ({ object }, context) => context.enqueue(object.spec.nodeName),
      }),
      watch<CsiDriver>({ kind: CsiDrivers, on: onDriver }),
    ],
    workers: 10,
    ifRunTwice: "one may detach what the other has just attached for a pod",
    dryRun: { is: "left out", why: "no driver attaches volumes here, and pods would wait forever" },
    rules,
    // Granted by upstream's role too: kubernetes v1.36 plugin/pkg/auth/authorizer/rbac/bootstrappolicy/controller_policy.go.
    permissions: [
      { group: "", resource: "nodes", verbs: ["get"] },
      { group: "", resource: "nodes/status", verbs: ["patch"] },
      { group: "storage.k8s.io", resource: "volumeattachments", verbs: ["get", "create", "delete"] },
    ],
    sync: (_key, context) => syncNode(context, options),
  });
}

function onNode(notification: Notification<Node>, context: WatchContext): void {
  const { type, object: node } = notification;
  const { name } = node.metadata;
  const known = context.state(world);
  if (type === "deleted") {
    refreshDesired(context, name);
    // Pods still bound to it keep their volumes.
    if (!known.desired.has(name)) known.managed.delete(name);
  } else if (isManaged(node)) {
    known.managed.add(name);
  }
  const usesOthers = known.setInUse(name, node.status?.volumesInUse ?? []);
  // A recreated node has lost its status.
  if (type === "added") known.setReportDue(name);
  if (type !== "updated" || usesOthers || isOtherNode(notification.before, node)) context.enqueue(name);
}

/** Whether something relevant here has changed: heartbeats are not. */
function isOtherNode(before: Node, after: Node): boolean {
  const relevantState = (node: Node): string =>
    JSON.stringify([isManaged(node), isNodeReady(node), node.spec?.taints?.map(({ key }) => key)]);
  return relevantState(before) !== relevantState(after);
}

function onPod(notification: Notification<Pod>, context: WatchContext): void {
  const { type, object: pod } = notification;
  const { nodeName = "" } = pod.spec ?? {};
  if (nodeName === "" || !mayHaveAttachable(pod)) return;
  if (type === "updated") {
    const { before } = notification;
    // Another one of the same name may have other volumes.
    const isSame = before.metadata.uid === pod.metadata.uid && before.spec?.nodeName === nodeName;
    if (isSame && hasStopped(before) === hasStopped(pod)) return;
  }
  context.enqueue(nodeName);
}

function onClaim(notification: Notification<PersistentVolumeClaim>, context: WatchContext): void {
  const { type, object: claim } = notification;
  if (type === "deleted" || claim.status?.phase !== "Bound") return;
  if (type === "updated") {
    const { before } = notification;
    if (before.status?.phase === "Bound" && before.spec?.volumeName === claim.spec?.volumeName) return;
  }
  enqueueUsers(context, keyOf(claim));
}

function onVolume(notification: Notification<PersistentVolume>, context: WatchContext): void {
  const { type, object: volume } = notification;
  const { namespace, name, uid } = volume.spec?.claimRef ?? {};
  if (type === "deleted" || name === undefined || uid === undefined) return;
  if (type === "updated" && notification.before.spec?.claimRef?.uid === uid) return;
  enqueueUsers(context, objectKey(namespace, name));
}

function enqueueUsers(context: WatchContext, claim: string): void {
  for (const { spec } of context.cache(Pods).byIndex(claimIndex, claim)) {
    const { nodeName = "" } = spec ?? {};
    if (nodeName !== "") context.enqueue(nodeName);
  }
}

/** Handles a driver that starts or stops requiring attachment. */
function onDriver(notification: Notification<CsiDriver>, context: WatchContext): void {
  const { type, object } = notification;
  const { attachRequired } = object.spec;
  if (type === "updated" && notification.before.spec.attachRequired === attachRequired) return;
  if (type === "added" && attachRequired !== false) return;
  for (const node of context.state(world).managed) context.enqueue(node);
}
