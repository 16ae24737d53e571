/** The controller of ResourceClaims. Source: kubernetes v1.36 pkg/controller/resourceclaim/controller.go. */
import { splitKey } from "../../api/key.ts";
import { Pods, ResourceClaims, ResourceClaimTemplates } from "../../api/kinds.ts";
import type { Pod, ResourceClaim, ResourceClaimTemplate } from "../../api/types.ts";
import { type ControllerDefinition, defineController, watch } from "../../controller/api/definition.ts";
import { deviceClaimIndex, deviceClaimKeysOf } from "../../api/device-claims.ts";
import { podOfKey } from "../../controller/workload/pod-key.ts";
import { ownerIndex, owningUidsOf, templateIndex, templateKeysOf } from "./references.ts";
import { claimRules, podRules } from "./rules.ts";
import { syncClaim, waitsToGo } from "./sync-claim.ts";
import { syncPod } from "./sync-pod.ts";
import { onClaim, onPod, onTemplate } from "./wake.ts";

/**
 * Creates the claims that pods have templates for, and frees the devices of pods that are done. Keys of pods share the queue of claims, as
 * in upstream, which marks both.
 */
export const resourceclaim: ControllerDefinition = defineController<ResourceClaim>({
  name: "resourceclaim",
  aliases: ["resource-claim-controller", "resourceclaim-controller"],
  purpose: "creates pods' ResourceClaims from templates, and frees devices that no pod uses",
  component: "resource_claim",
  source: "pkg/controller/resourceclaim/controller.go",
  for: ResourceClaims,
  watches: [
    watch<Pod>({
      kind: Pods,
      indexes: { [deviceClaimIndex]: deviceClaimKeysOf, [templateIndex]: templateKeysOf },
      on: onPod,
    }),
    watch<ResourceClaim>({ kind: ResourceClaims, owned: true, indexes: { [ownerIndex]: owningUidsOf }, on: onClaim }),
    watch<ResourceClaimTemplate>({ kind: ResourceClaimTemplates, on: onTemplate }),
  ],
  workers: 50,
  ifRunTwice: "a pod would get two claims for one template, and may hold devices of both",
  isLeftUndone: waitsToGo,
  dryRun: {
    is: "limited",
    to: "namespaces whose pods, claims and templates were read",
    knowsEnough: (known, key) =>
      [Pods, ResourceClaims, ResourceClaimTemplates].every((kind) => known.knowsAll(kind, splitKey(key).namespace)),
  },
  rules: [...podRules, ...claimRules],
  // All granted by upstream's role too: kubernetes v1.36 plugin/pkg/auth/authorizer/rbac/bootstrappolicy/controller_policy.go.
  permissions: [
    { group: "", resource: "pods", verbs: ["get"] },
    { group: "", resource: "pods/finalizers", verbs: ["update"] },
    { group: "", resource: "pods/status", verbs: ["patch"] },
    { group: "resource.k8s.io", resource: "resourceclaims", verbs: ["create", "update", "delete"] },
    { group: "resource.k8s.io", resource: "resourceclaims/status", verbs: ["update"] },
    // Without it, the API server refuses changes to allocations and reservations.
    { group: "resource.k8s.io", resource: "resourceclaims/binding", verbs: ["update"] },
  ],
  about: (key) => {
    const pod = podOfKey(key);
    return pod === undefined ? undefined : { kind: Pods.kind, key: pod };
  },
  sync(key, context) {
    const pod = podOfKey(key);
    return pod === undefined ? syncClaim(context, key) : syncPod(context, pod);
  },
});
