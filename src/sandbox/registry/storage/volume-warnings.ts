/** Warnings about PersistentVolumes. Source: kubernetes v1.36 pkg/api/persistentvolume/util.go GetWarningsForPersistentVolume. */
import { at, fieldsIn, type ApiObject } from "../../meta/object.ts";
import { nodeTermWarnings } from "../../validation/node-label-warnings.ts";

const annotations: readonly (readonly [key: string, message: string])[] = [
  ["volume.beta.kubernetes.io/storage-class", 'deprecated since v1.8; use "storageClassName" attribute instead'],
  ["volume.beta.kubernetes.io/mount-options", 'deprecated since v1.31; use "mountOptions" attribute instead'],
];

const plugins: readonly (readonly [key: string, message: string])[] = [
  ["cephfs", "deprecated in v1.28, non-functional in v1.31+"],
  ["photonPersistentDisk", "deprecated in v1.11, non-functional in v1.16+"],
  ["scaleIO", "deprecated in v1.16, non-functional in v1.22+"],
  ["storageos", "deprecated in v1.22, non-functional in v1.25+"],
  ["glusterfs", "deprecated in v1.25, non-functional in v1.26+"],
  ["rbd", "deprecated in v1.28, non-functional in v1.31+"],
];

const recycled =
  "The Recycle reclaim policy is deprecated. Instead, the recommended approach is to use dynamic provisioning.";

/** What is deprecated about the volume. */
export function persistentVolumeWarnings({ metadata, spec = {} }: ApiObject): string[] {
  const terms = fieldsIn(at(spec, "nodeAffinity", "required", "nodeSelectorTerms"));
  return [
    ...annotations.flatMap(([key, message]) =>
      metadata.annotations?.[key] === undefined ? [] : `metadata.annotations[${key}]: ${message}`,
    ),
    ...(spec["persistentVolumeReclaimPolicy"] === "Recycle" ? [`spec.persistentVolumeReclaimPolicy: ${recycled}`] : []),
    ...terms.flatMap((term, index) =>
      nodeTermWarnings(term, {
        field: `spec.nodeAffinity.required.nodeSelectorTerms[${index}]`,
        looksAtValues: false,
      }),
    ),
    // Go's name of the field, not the API's.
    ...plugins.flatMap(([key, message]) => (spec[key] === undefined ? [] : `spec.${goName(key)}: ${message}`)),
  ];
}

function goName(key: string): string {
  return key === "storageos" ? "storageOS" : key;
}
