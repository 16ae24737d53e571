/** The rules of the kinds of storage, by resource. */
import type { KindRules } from "../strategy/kind-rules.ts";
import { csiDriverRules, csiNodeRules, csiStorageCapacityRules, volumeAttributesClassRules } from "./csi.ts";
import { volumeRules } from "./persistent-volume.ts";
import { storageClassRules } from "./storage-class.ts";
import { volumeAttachmentRules } from "./volume-attachment.ts";

export const storageKinds: Readonly<Record<string, KindRules>> = {
  persistentvolumes: volumeRules,
  "storageclasses.storage.k8s.io": storageClassRules,
  "csidrivers.storage.k8s.io": csiDriverRules,
  "csinodes.storage.k8s.io": csiNodeRules,
  "csistoragecapacities.storage.k8s.io": csiStorageCapacityRules,
  "volumeattachments.storage.k8s.io": volumeAttachmentRules,
  "volumeattributesclasses.storage.k8s.io": volumeAttributesClassRules,
};
