/** The claim created from a template for a pod. Source: kubernetes v1.36 pkg/controller/resourceclaim/controller.go handleClaim. */
import { apiVersionOf } from "../../api/kind.ts";
import { Pods } from "../../api/kinds.ts";
import type { CreateInput } from "../../api/object.ts";
import type { Pod, ResourceClaim, ResourceClaimTemplate } from "../../api/types.ts";

/** Ties a claim to the entry of the pod that it was created for. */
export const podClaimAnnotation = "resource.kubernetes.io/pod-claim-name";

/** Leaves room in a 63-character name for a hyphen and the API server's five random characters. */
const longestBase = 57;

/** `POD-ENTRY-`; if too long, each part is cut in proportion, so that both remain visible. `web` and `gpu` give `web-gpu-`. */
export function generateNameOf(pod: string, entry: string): string {
  const whole = `${pod}-${entry}-`;
  if (whole.length <= longestBase) return whole;
  const share = (part: string): string => part.slice(0, Math.floor((part.length * longestBase) / whole.length));
  return `${share(pod)}-${share(entry)}`;
}

/**
 * The claim for an entry of the pod: the template's labels, annotations and spec. It is deleted with the pod, but does not block its
 * deletion.
 */
export function newClaim(
  { metadata: { namespace = "", name, uid } }: Pod,
  { entry, template }: { readonly entry: string; readonly template: ResourceClaimTemplate },
): CreateInput<ResourceClaim> {
  const { metadata: { labels, annotations } = {}, spec } = template.spec;
  return {
    metadata: {
      namespace,
      generateName: generateNameOf(name, entry),
      ownerReferences: [{ apiVersion: apiVersionOf(Pods), kind: Pods.kind, name, uid, controller: true }],
      annotations: { ...annotations, [podClaimAnnotation]: entry },
      ...(labels !== undefined && { labels }),
    },
    spec,
  };
}
