/** The claims of pods' generic ephemeral volumes. Source: kubernetes v1.36 pkg/controller/volume/ephemeral/controller.go. */
import { keyOf, splitKey } from "../../api/key.ts";
import { PersistentVolumeClaims, Pods } from "../../api/kinds.ts";
import type { PersistentVolumeClaim, Pod } from "../../api/types.ts";
import {
  type ControllerDefinition,
  defineController,
  watch,
  type WatchContext,
} from "../../controller/api/definition.ts";
import { claimIndex, claimKeysOf } from "../../controller/workload/pods-of-claim.ts";
import { rules } from "./rules.ts";
import { ephemeralVolumesOf, syncPod } from "./sync.ts";

/** Creates the claims of ephemeral volumes. */
export const ephemeralVolume: ControllerDefinition = defineController<Pod>({
  name: "ephemeral-volume",
  aliases: ["ephemeral-volume-controller"],
  purpose: "creates the claims of pods' ephemeral volumes",
  component: "ephemeral_volume",
  source: "pkg/controller/volume/ephemeral/controller.go",
  for: Pods,
  watches: [
    watch<Pod>({
      kind: Pods,
      indexes: { [claimIndex]: claimKeysOf },
      on({ type, object }, context) {
        // A pod's volumes do not change, and its claims are garbage-collected with it.
        if (type === "added") enqueue(object, context);
      },
    }),
    watch<PersistentVolumeClaim>({
      kind: PersistentVolumeClaims,
      owned: true,
      on({ type, object }, context) {
        if (type !== "deleted") return;
        for (const pod of context.cache(Pods).byIndex(claimIndex, keyOf(object))) enqueue(pod, context);
      },
    }),
  ],
  workers: 5,
  ifRunTwice: "both would create the same claim, and one of them would be refused each time",
  dryRun: {
    is: "limited",
    to: "pods in namespaces whose claims were read",
    knowsEnough: (known, key) => known.knowsAll(PersistentVolumeClaims, splitKey(key).namespace),
  },
  rules,
  // All granted by upstream's role too: kubernetes v1.36 plugin/pkg/auth/authorizer/rbac/bootstrappolicy/controller_policy.go.
  permissions: [
    { group: "", resource: "persistentvolumeclaims", verbs: ["create"] },
    { group: "", resource: "pods/finalizers", verbs: ["update"] },
  ],
  sync: (_key, context) => syncPod(context),
});

function enqueue(pod: Pod, context: WatchContext): void {
  if (pod.metadata.deletionTimestamp === undefined && ephemeralVolumesOf(pod).length > 0) context.enqueue(keyOf(pod));
}
