/** Protection of claims. Source: kubernetes v1.36 pkg/controller/volume/pvcprotection/pvc_protection_controller.go. */
import { keyOf, splitKey } from "../../api/key.ts";
import { PersistentVolumeClaims, Pods } from "../../api/kinds.ts";
import { claimProtection as finalizer } from "../../api/protection-finalizers.ts";
import type { PersistentVolumeClaim, Pod } from "../../api/types.ts";
import {
  type ControllerDefinition,
  defineController,
  type Notification,
  watch,
  type WatchContext,
} from "../../controller/api/definition.ts";
import { claimIndex, claimKeysOf } from "../../controller/workload/pods-of-claim.ts";
import { hasStopped } from "../../controller/workload/pod-status.ts";
import { concernsProtection, lacksFinalizer } from "../../controller/workload/protection.ts";
import { foundUnused } from "./live-pods.ts";
import { rules } from "./rules.ts";
import { syncClaim } from "./sync.ts";

/** Keeps claims that are being deleted until no pod uses them. */
export const persistentVolumeClaimProtection: ControllerDefinition = defineController<PersistentVolumeClaim>({
  name: "persistentvolumeclaim-protection",
  aliases: ["pvc-protection", "persistentvolumeclaim-protection-controller"],
  purpose: "keeps deleted PersistentVolumeClaims until no pod uses them",
  component: "pvc-protection-controller",
  source: "pkg/controller/volume/pvcprotection/pvc_protection_controller.go",
  for: PersistentVolumeClaims,
  watches: [
    watch<PersistentVolumeClaim>({ kind: PersistentVolumeClaims, on: onClaim }),
    watch<Pod>({ kind: Pods, indexes: { [claimIndex]: claimKeysOf }, on: onPod }),
  ],
  workers: 1,
  ifRunTwice: "the second of two updates of the finalizers would be refused",
  isLeftUndone: (claim) => lacksFinalizer(claim, finalizer),
  dryRun: {
    is: "limited",
    to: "claims in namespaces whose pods were read",
    knowsEnough: (known, key) => known.knowsAll(Pods, splitKey(key).namespace),
  },
  rules,
  recordsEvents: false,
  // Granted by upstream's role too: kubernetes v1.36 plugin/pkg/auth/authorizer/rbac/bootstrappolicy/controller_policy.go.
  permissions: [{ group: "", resource: "persistentvolumeclaims", verbs: ["update"] }],
  sync: (_key, context) => syncClaim(context),
});

function onClaim({ type, object }: Notification<PersistentVolumeClaim>, context: WatchContext): void {
  if (type === "deleted") context.state(foundUnused).delete(object.metadata.uid);
  else if (concernsProtection(object, finalizer)) context.enqueue(keyOf(object));
}

/** Source: pvc_protection_controller.go podAddedDeletedUpdated, enqueuePVCs. */
function onPod(notification: Notification<Pod>, context: WatchContext): void {
  const { type, object: pod } = notification;
  if (type === "deleted" || mayLetGo(pod)) enqueueClaims(pod, context);
  // The deletion of an earlier pod of this name was not observed: its claims may differ.
  if (type === "updated" && notification.before.metadata.uid !== pod.metadata.uid)
    enqueueClaims(notification.before, context);
}

/** Whether the pod's current state may release claims. */
function mayLetGo(pod: Pod): boolean {
  return hasStopped(pod) || (pod.spec?.nodeName ?? "") === "";
}

function enqueueClaims(pod: Pod, context: WatchContext): void {
  for (const key of claimKeysOf(pod)) context.enqueue(key);
}
