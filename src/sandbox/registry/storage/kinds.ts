/** The rules of the kinds of storage, by resource. */
import type { RESTStrategy } from "../strategy/rest-strategy.ts";
import {
  csiDriverStrategy,
  csiNodeStrategy,
  csiStorageCapacityStrategy,
  volumeAttributesClassStrategy,
} from "./csi.ts";
import { volumeStrategy } from "./persistent-volume.ts";
import { storageClassStrategy } from "./storage-class.ts";
import { volumeAttachmentStrategy } from "./volume-attachment.ts";

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
