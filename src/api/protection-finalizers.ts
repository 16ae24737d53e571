/** Finalizers that keep objects while they are used. Source: kubernetes v1.36 pkg/volume/util/finalizer.go; api/resource/v1. */

/** Of a PersistentVolumeClaim. */
export const claimProtection = "kubernetes.io/pvc-protection";
/** Of a PersistentVolume. */
export const volumeProtection = "kubernetes.io/pv-protection";
/** Of a VolumeAttributesClass. */
export const classProtection = "kubernetes.io/vac-protection";
/** Of a ResourceClaim that has devices. */
export const deviceProtection = "resource.kubernetes.io/delete-protection";
