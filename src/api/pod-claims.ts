/** Which claims a pod uses. */
import { controllerOf } from "./owner-references.ts";
import type { PersistentVolumeClaim, Pod } from "./types.ts";

/** The name of the claim of a pod's ephemeral volume. Source: component-helpers v0.36 storage/ephemeral/ephemeral.go VolumeClaimName. */
export function ephemeralClaimName({ metadata }: Pod, volume: string): string {
  return `${metadata.name}-${volume}`;
}

type Volume = NonNullable<NonNullable<Pod["spec"]>["volumes"]>[number];

/** The name of the claim behind a volume of the pod, whether or not it exists; undefined for a volume without a claim. */
export function claimNameOf(pod: Pod, { name, persistentVolumeClaim, ephemeral }: Volume): string | undefined {
  return persistentVolumeClaim?.claimName ?? (ephemeral === undefined ? undefined : ephemeralClaimName(pod, name));
}

/**
 * The names of the claims that a pod refers to, in the order of its volumes: those it names and those of its ephemeral volumes, whether or
 * not they exist.
 * Source: kubernetes v1.36 pkg/controller/volume/common/common.go PodPVCIndexFunc.
 */
export function claimNamesOf(pod: Pod): readonly string[] {
  return (pod.spec?.volumes ?? []).flatMap((volume) => claimNameOf(pod, volume) ?? []);
}

/**
 * Whether a claim that is being deleted waits for the pod, which is in its namespace. An unbound pod does not count: no kubelet knows it,
 * and schedulers do not bind pods whose claim is being deleted. A terminated one does, until it is deleted. For the claim of an ephemeral
 * volume, which is deleted with its pod, a pod released by its kubelet no longer counts: its own finalizers may wait for the claim.
 * Source: kubernetes v1.36 pkg/controller/volume/pvcprotection/pvc_protection_controller.go podUsesPVCForDeletion, podIsShutDown.
 */
export function holdsClaim(pod: Pod, claim: PersistentVolumeClaim): boolean {
  if ((pod.spec?.nodeName ?? "") === "") return false;
  return (pod.spec?.volumes ?? []).some(({ name, persistentVolumeClaim, ephemeral }) => {
    if (persistentVolumeClaim !== undefined) return persistentVolumeClaim.claimName === claim.metadata.name;
    if (ephemeral === undefined || ephemeralClaimName(pod, name) !== claim.metadata.name) return false;
    return !isShutDown(pod) && controllerOf(claim)?.uid === pod.metadata.uid;
  });
}

/** Whether the kubelet is done with the pod, or it was force-deleted: only its removal is left. */
function isShutDown({ metadata }: Pod): boolean {
  return metadata.deletionTimestamp !== undefined && metadata.deletionGracePeriodSeconds === 0;
}
