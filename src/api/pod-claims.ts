/** Which claims a pod uses. */
import { controllerOf } from "./owner-references.ts";
import type { PersistentVolumeClaim, Pod } from "./types.ts";

/** What the claim of a pod's ephemeral volume is called. Source: component-helpers v0.36 storage/ephemeral/ephemeral.go VolumeClaimName. */
export function ephemeralClaimName({ metadata }: Pod, volume: string): string {
  return `${metadata.name}-${volume}`;
}

type Volume = NonNullable<NonNullable<Pod["spec"]>["volumes"]>[number];

/** The name of the claim that a volume of the pod is of, whether it exists or not; undefined for a volume of none. */
export function claimNameOf(pod: Pod, { name, persistentVolumeClaim, ephemeral }: Volume): string | undefined {
  return persistentVolumeClaim?.claimName ?? (ephemeral === undefined ? undefined : ephemeralClaimName(pod, name));
}

/**
 * The names of the claims that a pod refers to, in the order of its volumes: those that it names, and those that its ephemeral volumes
 * have, whether they exist or not.
 * Source: kubernetes v1.36 pkg/controller/volume/common/common.go PodPVCIndexFunc.
 */
export function claimNamesOf(pod: Pod): readonly string[] {
  return (pod.spec?.volumes ?? []).flatMap((volume) => claimNameOf(pod, volume) ?? []);
}

/**
 * Whether a claim that is being deleted waits for the pod, which is in its namespace. A pod without a node does not count: no kubelet
 * knows of it, and schedulers give none to pods whose claim is being deleted. One that has ended does, until it is deleted. For the claim of an ephemeral volume, which
 * goes with its pod, a pod whose kubelet has let go of it no longer counts: its own finalizers may wait for the claim.
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

/** Whether its kubelet is done with the pod, or it was deleted by force: only its removal is left. */
function isShutDown({ metadata }: Pod): boolean {
  return metadata.deletionTimestamp !== undefined && metadata.deletionGracePeriodSeconds === 0;
}
