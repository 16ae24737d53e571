/** Which VolumeAttributesClasses a claim or a volume uses. */
import type { PersistentVolume, PersistentVolumeClaim } from "./types.ts";

/**
 * The classes that a claim requests, has, and is being modified to, each once.
 * Source: kubernetes v1.36 pkg/controller/volume/vacprotection/vac_protection_controller.go getPVCReferencedVACNames.
 */
export function classesOfClaim({ spec, status }: PersistentVolumeClaim): readonly string[] {
  return named([
    spec?.volumeAttributesClassName,
    status?.currentVolumeAttributesClassName,
    status?.modifyVolumeStatus?.targetVolumeAttributesClassName,
  ]);
}

/** The class that a volume has, if any. Source: the same file, getPVReferencedVACNames. */
export function classesOfVolume({ spec }: PersistentVolume): readonly string[] {
  return named([spec?.volumeAttributesClassName]);
}

function named(names: readonly (string | undefined)[]): readonly string[] {
  return [...new Set(names.flatMap((name = "") => (name === "" ? [] : [name])))];
}
