/** The provisioner of the embedded cluster: does what CSI drivers do for claims and released volumes, without any storage. */
import { keyOf } from "../../api/key.ts";
import { PersistentVolumeClaims, PersistentVolumes, StorageClasses } from "../../api/kinds.ts";
import type { PersistentVolume, PersistentVolumeClaim, StorageClass } from "../../api/types.ts";
import { type ControllerDefinition, defineController, watch } from "../../controller/api/definition.ts";
import { rules } from "./rules.ts";
import { syncClaim, syncVolume } from "./sync.ts";

/**
 * Creates a volume for each claim that names a provisioner, whichever that is, and deletes its own released volumes. It replaces all CSI
 * drivers, so it runs only where there are none. Keys of volumes, which have no namespace, share the queue of claims.
 */
export const provisioner: ControllerDefinition = defineController<PersistentVolumeClaim>({
  name: "provisioner",
  purpose: "creates volumes for claims (a simulated CSI driver)",
  disabledByDefault: true,
  component: "provisioner",
  for: PersistentVolumeClaims,
  watches: [
    watch<PersistentVolumeClaim>({
      kind: PersistentVolumeClaims,
      on({ type, object }, context) {
        if (type !== "deleted") context.enqueue(keyOf(object));
      },
    }),
    watch<PersistentVolume>({
      kind: PersistentVolumes,
      owned: true,
      on({ type, object }, context) {
        if (type !== "deleted") context.enqueue(keyOf(object));
      },
    }),
    watch<StorageClass>({ kind: StorageClasses, on() {} }),
  ],
  rules,
  permissions: [{ group: "", resource: "persistentvolumes", verbs: ["create", "delete"] }],
  about: (key) => (key.includes("/") ? undefined : { kind: PersistentVolumes.kind, key }),
  sync: (key, context) => (key.includes("/") ? syncClaim(context, key) : syncVolume(context, key)),
});
