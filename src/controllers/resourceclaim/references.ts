/** The references from pods to claims and back. Source: kubernetes v1.36 pkg/controller/resourceclaim/controller.go. */
import { objectKey, type ObjectKey } from "../../api/key.ts";
import type { OwnerReference } from "../../api/object.ts";
import type { Pod, ResourceClaim } from "../../api/types.ts";
import { podClaimsOf } from "../../api/device-claims.ts";
import { isPodTerminal } from "../../controller/workload/pod-status.ts";

/** The claim that the scheduler created for a pod's extended resources, which the spec does not name. */
export function extendedClaimOf({ status }: Pod): string | undefined {
  return status?.extendedResourceClaimStatus?.resourceClaimName;
}

/** Whether the pod will never run again: it has terminated, or is being deleted and was never bound. Source: controller.go isPodDone. */
export function isPodDone(pod: Pod): boolean {
  return isPodTerminal(pod) || (pod.metadata.deletionTimestamp !== undefined && (pod.spec?.nodeName ?? "") === "");
}

/** The pod that controls the claim; undefined if none does. */
export function owningPodOf({ metadata }: ResourceClaim): OwnerReference | undefined {
  return metadata.ownerReferences?.find(
    ({ apiVersion, kind, controller }) => controller === true && apiVersion === "v1" && kind === "Pod",
  );
}

/** The index of pods by the keys of their claim templates. */
export const templateIndex = "resource-claim-template";

/** The keys of a pod in `templateIndex`. */
export function templateKeysOf(pod: Pod): readonly ObjectKey[] {
  return podClaimsOf(pod).flatMap(({ resourceClaimTemplateName: name }) =>
    name === undefined ? [] : [objectKey(pod.metadata.namespace, name)],
  );
}

/** The index of claims by the uid of the pod that controls them. */
export const ownerIndex = "owning-pod";

/** The keys of a claim in `ownerIndex`. */
export function owningUidsOf(claim: ResourceClaim): readonly string[] {
  const owner = owningPodOf(claim);
  return owner === undefined ? [] : [owner.uid];
}
