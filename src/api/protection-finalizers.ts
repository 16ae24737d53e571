/** Finalizers that keep objects of storage while they are used. Source: kubernetes v1.36 pkg/volume/util/finalizer.go. */

/** Of a PersistentVolumeClaim. */
export const claimProtection = "kubernetes.io/pvc-protection";
/** Of a PersistentVolume. */
export const volumeProtection = "kubernetes.io/pv-protection";
/** Of a VolumeAttributesClass. */
export const classProtection = "kubernetes.io/vac-protection";
