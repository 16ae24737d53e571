/**
 * Which ResourceClaim an entry of a pod's `spec.resourceClaims` means, and whose a claim is.
 * Source: dynamic-resource-allocation v0.36 resourceclaim/resourceclaim.go; kubernetes v1.36 pkg/controller/resourceclaim/controller.go.
 */
import { keyOf, objectKey, type ObjectKey } from "../../api/key.ts";
import type { OwnerReference } from "../../api/object.ts";
import { controllerOf } from "../../api/owner-references.ts";
import type { Pod, ResourceClaim } from "../../api/types.ts";
import { isPodTerminal } from "../../controller/workload/pod-status.ts";

/** An entry of `spec.resourceClaims`. */
export type PodClaim = NonNullable<NonNullable<Pod["spec"]>["resourceClaims"]>[number];

/** The claim that an entry means. */
export type Meant =
  /** `isGenerated`: its template's, so that it is the pod's only if the pod controls it. */
  | { readonly is: "named"; readonly name: string; readonly isGenerated: boolean }
  /** There is none, and the pod needs none: its status names the entry without a claim. */
  | { readonly is: "not-needed" }
  /** The pod's status does not say yet. */
  | { readonly is: "not-created"; readonly why: string }
  /** The entry has neither a claim nor a template: a source that a later version of Kubernetes may have. */
  | { readonly is: "unsupported"; readonly why: string };

/** Source: resourceclaim.go Name. */
export function meantBy(pod: Pod, { name, resourceClaimName, resourceClaimTemplateName }: PodClaim): Meant {
  if (resourceClaimName !== undefined) return { is: "named", name: resourceClaimName, isGenerated: false };
  const quoted = `pod "${keyOf(pod)}"`;
  if (resourceClaimTemplateName === undefined)
    return { is: "unsupported", why: `${quoted}, spec.resourceClaim "${name}": none of the supported fields are set` };
  const said = pod.status?.resourceClaimStatuses?.find((each) => each.name === name);
  if (said === undefined) return { is: "not-created", why: `${quoted}: ResourceClaim not created yet` };
  if (said.resourceClaimName === undefined) return { is: "not-needed" };
  return { is: "named", name: said.resourceClaimName, isGenerated: true };
}

/** The entries of a pod's `spec.resourceClaims`. */
export function podClaimsOf({ spec }: Pod): readonly PodClaim[] {
  return spec?.resourceClaims ?? [];
}

/** The claim that the scheduler made for a pod's extended resources, which the spec does not name. */
export function extendedClaimOf({ status }: Pod): string | undefined {
  return status?.extendedResourceClaimStatus?.resourceClaimName;
}

/** Whether a claim that was generated is this pod's. Source: resourceclaim.go IsForPod. */
export function isControlledBy(claim: ResourceClaim, pod: Pod): boolean {
  return controllerOf(claim)?.uid === pod.metadata.uid;
}

/** As what a pod is refused a claim that another controls. */
export function notOwnMessage(claim: ResourceClaim, pod: Pod): string {
  return `ResourceClaim ${keyOf(claim)} was not created for Pod ${keyOf(pod)} (Pod is not owner)`;
}

/** Whether the claim lists the pod as one that may use it. */
export function isReservedFor({ status }: ResourceClaim, { metadata }: Pod): boolean {
  return status?.reservedFor?.some(({ uid }) => uid === metadata.uid) === true;
}

/** Certain never to run again: it has ended, or is deleted without ever having had a node. Source: controller.go isPodDone. */
export function isPodDone(pod: Pod): boolean {
  return isPodTerminal(pod) || (pod.metadata.deletionTimestamp !== undefined && (pod.spec?.nodeName ?? "") === "");
}

/** The pod that controls the claim; undefined if none does. */
export function owningPodOf({ metadata }: ResourceClaim): OwnerReference | undefined {
  return metadata.ownerReferences?.find(
    ({ apiVersion, kind, controller }) => controller === true && apiVersion === "v1" && kind === "Pod",
  );
}

/** The index of pods by the keys of the claims that they are known to use, whether these exist or not. */
export const claimIndex = "resource-claim";

/** What a pod is found by in `claimIndex`. */
export function claimKeysOf(pod: Pod): readonly ObjectKey[] {
  return podClaimsOf(pod).flatMap((entry) => {
    const meant = meantBy(pod, entry);
    return meant.is === "named" ? [objectKey(pod.metadata.namespace, meant.name)] : [];
  });
}

/** The index of pods by the keys of the templates that they have claims made of. */
export const templateIndex = "resource-claim-template";

/** What a pod is found by in `templateIndex`. */
export function templateKeysOf(pod: Pod): readonly ObjectKey[] {
  return podClaimsOf(pod).flatMap(({ resourceClaimTemplateName: name }) =>
    name === undefined ? [] : [objectKey(pod.metadata.namespace, name)],
  );
}

/** The index of claims by the uid of the pod that controls them. */
export const ownerIndex = "owning-pod";

/** What a claim is found by in `ownerIndex`. */
export function owningUidsOf(claim: ResourceClaim): readonly string[] {
  const owner = owningPodOf(claim);
  return owner === undefined ? [] : [owner.uid];
}
