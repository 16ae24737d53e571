/** The claim that a template makes for a pod. Source: kubernetes v1.36 pkg/controller/resourceclaim/controller.go handleClaim. */
import { apiVersionOf } from "../../api/kind.ts";
import { Pods } from "../../api/kinds.ts";
import type { CreateInput } from "../../api/object.ts";
import type { Pod, ResourceClaim, ResourceClaimTemplate } from "../../api/types.ts";

/** Ties a claim to the entry of the pod that it was made for. */
export const podClaimAnnotation = "resource.kubernetes.io/pod-claim-name";

/** Room for the five random characters that the API server adds, and for a hyphen, in a name of 63. */
const longestBase = 57;

/** `POD-ENTRY-`; of one that is too long each part keeps its share, so that both still show. `web` and `gpu` make `web-gpu-`. */
export function generateNameOf(pod: string, entry: string): string {
  const whole = `${pod}-${entry}-`;
  if (whole.length <= longestBase) return whole;
  const share = (part: string): string => part.slice(0, Math.floor((part.length * longestBase) / whole.length));
  return `${share(pod)}-${share(entry)}`;
}

/** The claim for an entry of the pod: the template's labels, annotations and spec. It goes with the pod, and does not hold its deletion. */
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
