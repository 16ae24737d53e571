/** The strategies of storage.k8s.io, and of PersistentVolumes. */
import type { RESTStrategy } from "../strategy/rest-strategy.ts";
import { csiDriverStrategy } from "./csi-driver.ts";
import { csiNodeStrategy } from "./csi-node.ts";
import { csiStorageCapacityStrategy } from "./csi-storage-capacity.ts";
import { volumeStrategy } from "./persistent-volume.ts";
import { storageClassStrategy } from "./storage-class.ts";
import { volumeAttachmentStrategy } from "./volume-attachment.ts";
import { volumeAttributesClassStrategy } from "./volume-attributes-class.ts";

/** By resource. */
export const storageStrategies: Readonly<Record<string, RESTStrategy>> = {
  persistentvolumes: volumeStrategy,
  "storageclasses.storage.k8s.io": storageClassStrategy,
  "csidrivers.storage.k8s.io": csiDriverStrategy,
  "csinodes.storage.k8s.io": csiNodeStrategy,
  "csistoragecapacities.storage.k8s.io": csiStorageCapacityStrategy,
  "volumeattachments.storage.k8s.io": volumeAttachmentStrategy,
  "volumeattributesclasses.storage.k8s.io": volumeAttributesClassStrategy,
};
