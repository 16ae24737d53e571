/** What a StatefulSet requests, with the API server's defaults for absent fields. */
import { selectorOf, type Selector } from "../../api/labels.ts";
import type { PersistentVolumeClaim, StatefulSet } from "../../api/types.ts";

/** `spec.replicas`; 1 if absent. */
export function desiredReplicas({ spec }: StatefulSet): number {
  return spec?.replicas ?? 1;
}

/** The ordinal of the first pod. */
export function startOrdinal({ spec }: StatefulSet): number {
  return spec?.ordinals?.start ?? 0;
}

/** Whether this ordinal is desired. */
export function isInRange(set: StatefulSet, ordinal: number): boolean {
  const start = startOrdinal(set);
  return ordinal >= start && ordinal < start + desiredReplicas(set);
}

/** One pod at a time, each once the previous one is available; with `Parallel`, all at once. */
export function isOrdered({ spec }: StatefulSet): boolean {
  return spec?.podManagementPolicy !== "Parallel";
}

/** How long a pod must be ready to be available, in seconds. */
export function minReadySeconds({ spec }: StatefulSet): number {
  return spec?.minReadySeconds ?? 0;
}

/** Whether pods of an old template are replaced by the controller. */
export function rollsOut({ spec }: StatefulSet): boolean {
  return spec?.updateStrategy?.type !== "OnDelete";
}

/** How many of the first pods keep the current template while the others are updated. */
export function partition({ spec }: StatefulSet): number {
  return spec?.updateStrategy?.rollingUpdate?.partition ?? 0;
}

/** The templates of each pod's claims. */
export function claimTemplates({ spec }: StatefulSet): readonly PersistentVolumeClaim[] {
  // They are sent without what only stored objects have: a uid and a resourceVersion.
  return (spec?.volumeClaimTemplates ?? []) as readonly PersistentVolumeClaim[];
}

/** What happens to claims. */
export interface RetentionPolicy {
  readonly whenDeleted: "Retain" | "Delete";
  readonly whenScaled: "Retain" | "Delete";
}

/** What happens to its claims; with an unknown policy they are retained. */
export function retentionPolicy({ spec }: StatefulSet): RetentionPolicy {
  const { whenDeleted, whenScaled } = spec?.persistentVolumeClaimRetentionPolicy ?? {};
  const known = (value: string | undefined): "Retain" | "Delete" => (value === "Delete" ? value : "Retain");
  return { whenDeleted: known(whenDeleted), whenScaled: known(whenScaled) };
}

/** Undefined for an invalid selector: retrying cannot help, only a change of the object can. */
export function parseSelector({ spec }: StatefulSet): Selector | undefined {
  try {
    return selectorOf(spec?.selector);
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}
