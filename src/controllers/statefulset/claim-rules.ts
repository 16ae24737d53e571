/** The rules about the PersistentVolumeClaims of a StatefulSet's pods. */
import { type Facts, type Rule, rule } from "../../controller/api/rule.ts";

interface ClaimFacts extends Facts {
  readonly claim: string;
  readonly pod: string;
}

/** A claim is about to be deleted along with an earlier pod of this name. */
export const awaitClaim: Rule<ClaimFacts> = rule<ClaimFacts>({
  id: "await-claim",
  looksAt: ["spec.persistentVolumeClaimRetentionPolicy.whenScaled", "owners of the claims of a missing pod"],
  chooses:
    "With whenScaled: Delete, a missing pod is not created while one of its claims still belongs to an earlier pod of its name, with which the claim will be deleted. The deletion of the claim does not wake the StatefulSet: the pod is created at the next event of the set or of its pods.",
  sentence: ({ claim, pod }) => `${claim} belongs to an earlier ${pod}, with which it will be deleted → wait`,
  example: { claim: "data-web-2", pod: "web-2" },
  source: "stateful_pod_control.go PodClaimIsStale",
});

/** A missing claim is created. */
export const createClaim: Rule<ClaimFacts> = rule<ClaimFacts>({
  id: "create-claim",
  looksAt: ["spec.volumeClaimTemplates", "claims of a pod that is missing or Pending"],
  chooses: "A missing claim of a pod is created from its template, before the pod.",
  sentence: ({ claim, pod }) => `${pod} needs ${claim}, which is missing → create it`,
  example: { claim: "data-web-2", pod: "web-2" },
  source: "stateful_pod_control.go createPersistentVolumeClaims",
});

interface OwnersFacts extends ClaimFacts {
  readonly whenDeleted: string;
  readonly whenScaled: string;
  /** `StatefulSet web`, `Pod web-2`. */
  readonly owners: readonly string[];
}

/** A claim gets the owners that the retention policy requires. */
export const claimOwnersRule: Rule<OwnersFacts> = rule<OwnersFacts>({
  id: "claim-owners",
  looksAt: ["spec.persistentVolumeClaimRetentionPolicy", "owners of each claim", "whether its pod is too many"],
  chooses:
    "With whenDeleted: Delete the set owns its claims, with whenScaled: Delete an excess pod owns the claims that it uses: the garbage collector deletes them with their owner.",
  sentence: ({ claim, whenDeleted, whenScaled, owners }) =>
    `whenDeleted: ${whenDeleted}, whenScaled: ${whenScaled} → ${claim} is owned by ${owners.length === 0 ? "nobody" : owners.join(" and ")}`,
  example: {
    claim: "data-web-2",
    pod: "web-2",
    whenDeleted: "Retain",
    whenScaled: "Delete",
    owners: ["Pod web-2"],
  },
  source: "stateful_set_utils.go isClaimOwnerUpToDate, updateClaimOwnerRefForSetAndPod",
});

/** All of them. */
export const claimRules: readonly Rule[] = [awaitClaim, createClaim, claimOwnersRule];
