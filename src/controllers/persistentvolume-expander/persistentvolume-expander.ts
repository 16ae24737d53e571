/** The expansion of volumes. Source: kubernetes v1.36 pkg/controller/volume/expand/expand_controller.go. */
import { keyOf } from "../../api/key.ts";
import { PersistentVolumeClaims, PersistentVolumes } from "../../api/kinds.ts";
import { compareQuantities } from "../../api/quantity.ts";
import { heldBy, requestOf } from "../../api/storage/volume-binding.ts";
import type { PersistentVolumeClaim } from "../../api/types.ts";
import {
  type ControllerDefinition,
  defineController,
  type Notification,
  watch,
  type WatchContext,
} from "../../controller/api/definition.ts";
import { rules } from "./rules.ts";
import { syncClaim } from "./sync.ts";

/**
 * Reports who expands claims that request more than they have: upstream has no plugin left that it could expand itself, except FlexVolume.
 */
export const persistentVolumeExpander: ControllerDefinition = defineController<PersistentVolumeClaim>({
  name: "persistentvolume-expander",
  aliases: ["expand", "expander", "persistentvolume-expander-controller"],
  purpose: "names the resizer of claims that request more than their volumes have",
  component: "volume_expand",
  source: "pkg/controller/volume/expand/expand_controller.go",
  for: PersistentVolumeClaims,
  watches: [watch<PersistentVolumeClaim>({ kind: PersistentVolumeClaims, on: onClaim })],
  workers: 10,
  ifRunTwice: "the Event that tells who expands a claim would be recorded twice",
  dryRun: {
    is: "limited",
    to: "clusters whose PersistentVolumes were read",
    knowsEnough: (known) => known.knowsAll(PersistentVolumes),
  },
  rules,
  // Granted by upstream's role too: kubernetes v1.36 plugin/pkg/auth/authorizer/rbac/bootstrappolicy/controller_policy.go.
  permissions: [
    { group: "", resource: "persistentvolumes", verbs: ["get"] },
    { group: "", resource: "persistentvolumeclaims/status", verbs: ["patch"] },
  ],
  sync: (_key, context) => syncClaim(context),
});

/** Enqueues a bound claim that is new here, requests more than before, or has more capacity. */
function onClaim(notification: Notification<PersistentVolumeClaim>, context: WatchContext): void {
  const { type, object: claim } = notification;
  if (type === "deleted" || claim.status?.phase !== "Bound") return;
  if (type === "updated") {
    const { before } = notification;
    const requestsMore = compareQuantities(requestOf(claim), requestOf(before)) > 0;
    const hasMore = compareQuantities(heldBy(claim), heldBy(before)) > 0;
    if (!requestsMore && !hasMore) return;
  }
  context.enqueue(keyOf(claim));
}
