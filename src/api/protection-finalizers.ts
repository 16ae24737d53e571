/** Finalizers that keep objects while they are used. Source: kubernetes v1.36 pkg/volume/util/finalizer.go; api/resource/v1. */

/** The finalizer of a PersistentVolumeClaim. */
export const claimProtection = "kubernetes.io/pvc-protection";
/** The finalizer of a PersistentVolume. */
export const volumeProtection = "kubernetes.io/pv-protection";
/** The finalizer of a VolumeAttributesClass. */
export const classProtection = "kubernetes.io/vac-protection";
/** The finalizer of a ResourceClaim that has devices. */
export const deviceProtection = "resource.kubernetes.io/delete-protection";
