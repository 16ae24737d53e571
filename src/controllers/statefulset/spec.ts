/** What a StatefulSet asks for, with the API server's defaults where a field is absent. */
import { selectorOf, type Selector } from "../../api/labels.ts";
import type { PersistentVolumeClaim, PodTemplateSpec, StatefulSet } from "../../api/types.ts";

/** `spec.replicas`; 1 where it is absent. */
export function desiredReplicas({ spec }: StatefulSet): number {
  return spec?.replicas ?? 1;
}

/** The ordinal of the first pod. */
export function startOrdinal({ spec }: StatefulSet): number {
  return spec?.ordinals?.start ?? 0;
}

/** Whether a pod of this ordinal is one of the desired ones. */
export function isInRange(set: StatefulSet, ordinal: number): boolean {
  const start = startOrdinal(set);
  return ordinal >= start && ordinal < start + desiredReplicas(set);
}

/** One pod after the other, each when the one before is available; with `Parallel` all at once. */
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

/** The templates of the claims that each pod has. */
export function claimTemplates({ spec }: StatefulSet): readonly PersistentVolumeClaim[] {
  // They are sent without what only stored objects have: a uid, a version.
  return (spec?.volumeClaimTemplates ?? []) as readonly PersistentVolumeClaim[];
}

/** What becomes of claims. */
export interface RetentionPolicy {
  readonly whenDeleted: "Retain" | "Delete";
  readonly whenScaled: "Retain" | "Delete";
}

/** What becomes of its claims; anything unknown is retained. */
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

/** The set with another template. */
export function withTemplate(set: StatefulSet, template: PodTemplateSpec): StatefulSet {
  return { ...set, ...(set.spec !== undefined && { spec: { ...set.spec, template } }) };
}
