/** The rules of the controller of ResourceClaims, in the order in which syncs of pods and claims evaluate them. */
import { type Facts, type Rule, rule } from "../../controller/api/rule.ts";

const entries = "spec.resourceClaims of the pod";
const statuses = "status.resourceClaimStatuses of the pod";

/** No claims are created for a pod that is being deleted. */
export const beingDeleted: Rule<Facts> = rule<Facts>({
  id: "being-deleted",
  looksAt: ["metadata.deletionTimestamp of the pod"],
  chooses: "No claims are created or reserved for a pod that is being deleted.",
  sentence: () => "it is being deleted → create and reserve no claim",
  example: {},
  source: "controller.go syncPod",
});

interface TemplateFacts extends Facts {
  /** The name of the pod's entry. */
  readonly entry: string;
  readonly template: string;
}

/** A missing template is awaited. */
export const noTemplate: Rule<TemplateFacts> = rule<TemplateFacts>({
  id: "no-template",
  looksAt: [entries, "the ResourceClaimTemplate that the entry names, in the cache"],
  chooses:
    "While the template of an entry does not exist, the entries after it wait too; the pod is retried when the template is created.",
  sentence: ({ entry, template }) =>
    `ResourceClaimTemplate ${template} for ${entry} does not exist → record an Event, and retry`,
  example: { entry: "gpu", template: "one-gpu" },
  source: "controller.go handleClaim",
});

interface CreateFacts extends TemplateFacts {
  /** The unusable claim that the pod's status names; "" if it names none. */
  readonly instead: string;
}

/** An entry with a template gets a claim. */
export const createClaim: Rule<CreateFacts> = rule<CreateFacts>({
  id: "create-claim",
  looksAt: [
    entries,
    statuses,
    "claims that the pod controls, by their annotation resource.kubernetes.io/pod-claim-name, in the cache",
    "claims that this controller created in the last hour and has not seen in the cache yet",
  ],
  chooses:
    "Each entry with a template gets a ResourceClaim created from it. The pod controls the claim, which is deleted with it. A claim is also created if the previous one is gone or belongs to another pod.",
  sentence: ({ entry, template, instead }) =>
    instead === ""
      ? `${entry} has no ResourceClaim → create one from template ${template}`
      : `ResourceClaim ${instead} of ${entry} is gone, or is not this pod's → create another from template ${template}`,
  example: { entry: "gpu", template: "one-gpu", instead: "" },
  source: "controller.go handleClaim, findPodResourceClaim",
});

interface RecordFacts extends Facts {
  /** `gpu: web-gpu-7k2xp` */
  readonly claims: readonly string[];
}

/** The pod's status records its claims. */
export const recordClaims: Rule<RecordFacts> = rule<RecordFacts>({
  id: "record-claims",
  looksAt: [statuses, "claims that the pod controls"],
  chooses:
    "Claims that were created, or found to belong to the pod, are applied to its status, together with those that it names already: an apply removes what it leaves out.",
  sentence: ({ claims }) => `its status does not name its claims → apply ${claims.join(", ")}`,
  example: { claims: ["gpu: web-gpu-7k2xp"] },
  source: "controller.go syncPod",
});

interface ReserveFacts extends Facts {
  readonly claim: string;
  readonly node: string;
}

/** The claims of a pod bound without a scheduler are reserved. */
export const reserve: Rule<ReserveFacts> = rule<ReserveFacts>({
  id: "reserve",
  looksAt: ["spec.nodeName of the pod", "status.allocation and status.reservedFor of its claims, in the cache"],
  chooses:
    "A claim with devices is reserved for a pod that already has a node. For other pods the scheduler reserves it.",
  sentence: ({ claim, node }) =>
    `it is on node ${node}, and ResourceClaim ${claim} is not reserved for it → reserve it`,
  example: { claim: "web-gpu-7k2xp", node: "node-1" },
  source: "controller.go syncPod, reserveFor",
});

interface SteadyFacts extends Facts {
  readonly entries: readonly string[];
}

/** All of the pod's claims are as they should be. */
export const podSteady: Rule<SteadyFacts> = rule<SteadyFacts>({
  id: "pod-steady",
  looksAt: [entries, statuses],
  chooses: "Existing claims are not changed, whatever their template says.",
  sentence: ({ entries: names }) => `nothing to do for its claims: ${names.join(", ")}`,
  example: { entries: ["gpu"] },
  source: "controller.go syncPod",
});

/** The rules of pods. */
export const podRules: readonly Rule[] = [beingDeleted, noTemplate, createClaim, recordClaims, reserve, podSteady];

interface ReleaseFacts extends Facts {
  /** `pod web-1 has ended` */
  readonly released: readonly string[];
  readonly left: number;
  readonly deallocates: boolean;
}

const consumers = [
  "status.reservedFor",
  "pods that it names: their uid, phase, node and metadata.deletionTimestamp, in the cache",
  "pods that the cache does not have, on the API server",
];

/** What pods no longer use becomes free for others. */
export const release: Rule<ReleaseFacts> = rule<ReleaseFacts>({
  id: "release",
  looksAt: [...consumers, "the finalizer resource.kubernetes.io/delete-protection"],
  chooses:
    "The claim is released for pods that are gone, have finished, or were replaced by another of their name. With the last of them its devices are freed and the finalizer is removed. Consumers other than pods stay.",
  sentence: ({ released, left, deallocates }) =>
    `${released.join(", ")} → release ${released.length === 1 ? "it" : "them"}, ${left} left${deallocates ? "; free the devices" : ""}`,
  example: { released: ["pod web-1 has ended"], left: 0, deallocates: true },
  source: "controller.go syncClaim",
});

interface UnprotectFacts extends Facts {
  readonly isAllocated: boolean;
}

/** An unused claim that is being deleted is released. */
export const unprotect: Rule<UnprotectFacts> = rule<UnprotectFacts>({
  id: "unprotect",
  looksAt: ["metadata.deletionTimestamp", "status.reservedFor", "status.allocation"],
  chooses: "The devices and the finalizer of a claim that is being deleted and not reserved are removed.",
  sentence: ({ isAllocated }) =>
    `it is being deleted, and not reserved → ${isAllocated ? "free its devices, and " : ""}remove the finalizer`,
  example: { isAllocated: true },
  source: "controller.go syncClaim",
});

interface DeleteFacts extends Facts {
  readonly pod: string;
  readonly isReplaced: boolean;
}

/** A generated claim whose pod will never run again is deleted before its pod. */
export const deleteClaim: Rule<DeleteFacts> = rule<DeleteFacts>({
  id: "delete-claim",
  looksAt: [
    "status.reservedFor",
    "the pod that controls the claim: its uid, phase, node and metadata.deletionTimestamp",
  ],
  chooses:
    "A claim that is not reserved is deleted once the pod that it was generated for has finished, or was replaced by another of its name. If the pod is gone, the claim is left to the garbage collector.",
  sentence: ({ pod, isReplaced }) =>
    `it is not reserved, and pod ${pod}, which it was generated for, ${isReplaced ? "was replaced" : "will not run again"} → delete it`,
  example: { pod: "web-1", isReplaced: false },
  source: "controller.go syncClaim, owningPod",
});

interface KeepFacts extends Facts {
  /** `pod web-1`, `jobs.example.com big` */
  readonly consumers: readonly string[];
}

/** The claim is as it should be. */
export const keep: Rule<KeepFacts> = rule<KeepFacts>({
  id: "keep",
  looksAt: consumers,
  chooses:
    "A claim is kept while everything that it is reserved for may still use it. One that was never reserved keeps its devices.",
  sentence: ({ consumers: names }) =>
    names.length === 0 ? "it is not reserved → leave it as it is" : `${names.join(", ")} may use it → keep it reserved`,
  example: { consumers: ["pod web-1"] },
  source: "controller.go syncClaim",
});

/** The rules of claims. */
export const claimRules: readonly Rule[] = [release, unprotect, deleteClaim, keep];
