/**
 * Which ResourceClaims a pod's `spec.resourceClaims` refer to, and which pod a claim belongs to.
 * Source: dynamic-resource-allocation v0.36 resourceclaim/resourceclaim.go.
 */
import { keyOf, type ObjectKey, objectKey } from "./key.ts";
import { controllerOf } from "./owner-references.ts";
import type { Pod, ResourceClaim } from "./types.ts";

/** An entry of `spec.resourceClaims`. */
export type PodClaim = NonNullable<NonNullable<Pod["spec"]>["resourceClaims"]>[number];

/** The claim that an entry refers to. */
export type Meant =
  /** `isGenerated`: created from the template, so it belongs to the pod only if the pod controls it. */
  | { readonly is: "named"; readonly name: string; readonly isGenerated: boolean }
  /** There is no claim, and the pod needs none: its status names the entry without a claim. */
  | { readonly is: "not-needed" }
  /** The pod's status does not say yet. */
  | { readonly is: "not-created"; readonly why: string }
  /** The entry has neither a claim nor a template: it may be a source from a later version of Kubernetes. */
  | { readonly is: "unsupported"; readonly why: string };

/** Source: resourceclaim.go Name. */
export function meantBy(pod: Pod, { name, resourceClaimName, resourceClaimTemplateName }: PodClaim): Meant {
  if (resourceClaimName !== undefined) return { is: "named", name: resourceClaimName, isGenerated: false };
  const quoted = `pod "${keyOf(pod)}"`;
  if (resourceClaimTemplateName === undefined)
    return { is: "unsupported", why: `${quoted}, spec.resourceClaim "${name}": none of the supported fields are set` };
  const claimStatus = pod.status?.resourceClaimStatuses?.find((each) => each.name === name);
  if (claimStatus === undefined) return { is: "not-created", why: `${quoted}: ResourceClaim not created yet` };
  if (claimStatus.resourceClaimName === undefined) return { is: "not-needed" };
  return { is: "named", name: claimStatus.resourceClaimName, isGenerated: true };
}

/** The entries of a pod's `spec.resourceClaims`. */
export function podClaimsOf({ spec }: Pick<Pod, "spec">): readonly PodClaim[] {
  return spec?.resourceClaims ?? [];
}

/** Whether a generated claim belongs to this pod. Source: resourceclaim.go IsForPod. */
export function isControlledBy(claim: ResourceClaim, pod: Pod): boolean {
  return controllerOf(claim)?.uid === pod.metadata.uid;
}

/** The message when a pod is refused a claim that another pod controls. Source: resourceclaim.go IsForPod. */
export function notOwnMessage(claim: ResourceClaim, pod: Pod): string {
  return `ResourceClaim ${keyOf(claim)} was not created for Pod ${keyOf(pod)} (Pod is not owner)`;
}

/** A request for devices, and their required DeviceClass. */
export interface ClassRequest {
  /** `gpu`, or `gpu/large` for an alternative. */
  readonly request: string;
  readonly deviceClass: string;
}

/** The requests of a claim or a template, with their classes. */
export function classRequestsOf({ devices }: ResourceClaim["spec"]): readonly ClassRequest[] {
  return (devices?.requests ?? []).flatMap(({ name, exactly, firstAvailable = [] }) => [
    ...(exactly === undefined ? [] : [{ request: name, deviceClass: exactly.deviceClassName }]),
    ...firstAvailable.map((each) => ({ request: `${name}/${each.name}`, deviceClass: each.deviceClassName })),
  ]);
}

/** Whether the claim is reserved for the pod. */
export function isReservedFor({ status }: ResourceClaim, { metadata }: Pod): boolean {
  return status?.reservedFor?.some(({ uid }) => uid === metadata.uid) === true;
}

/** The index of pods by the keys of the claims that they are known to use, whether or not these exist. */
export const deviceClaimIndex = "resource-claim";

/** The keys of a pod in `deviceClaimIndex`. */
export function deviceClaimKeysOf(pod: Pod): readonly ObjectKey[] {
  return podClaimsOf(pod).flatMap((entry) => {
    const meant = meantBy(pod, entry);
    return meant.is === "named" ? [objectKey(pod.metadata.namespace, meant.name)] : [];
  });
}
