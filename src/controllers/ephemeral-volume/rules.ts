/** The rules of the controller of ephemeral volumes, in the order in which a sync evaluates them. */
import { type Facts, type Rule, rule } from "../../controller/api/rule.ts";

interface ClaimFacts extends Facts {
  readonly volume: string;
  readonly claim: string;
}

const looksAt = ["spec.volumes[].ephemeral of the pod", "claims named POD-VOLUME and their controllers, in the cache"];

/** The claim's name is taken by another owner's claim. */
export const notOwn: Rule<ClaimFacts> = rule<ClaimFacts>({
  id: "not-own",
  looksAt,
  chooses:
    "A claim of that name that the pod does not control is not used: the pod waits, and is retried with back-off.",
  sentence: ({ volume, claim }) =>
    `claim ${claim} for volume ${volume} exists, and is not controlled by this pod → record an Event, and retry`,
  example: { volume: "scratch", claim: "web-0-scratch" },
  source: "controller.go handleVolume, component-helpers storage/ephemeral VolumeIsForPod",
});

/** A volume without a claim gets one. */
export const createClaim: Rule<ClaimFacts> = rule<ClaimFacts>({
  id: "create-claim",
  looksAt,
  chooses:
    "Each ephemeral volume of a pod that is not being deleted has a claim created from its template. The pod controls the claim, which is deleted with it.",
  sentence: ({ volume, claim }) => `volume ${volume} has no claim → create ${claim}`,
  example: { volume: "scratch", claim: "web-0-scratch" },
  source: "controller.go handleVolume",
});

interface SteadyFacts extends Facts {
  readonly claims: readonly string[];
}

/** All claims exist. */
export const steady: Rule<SteadyFacts> = rule<SteadyFacts>({
  id: "steady",
  looksAt,
  chooses: "Existing claims are not changed, whatever their template says.",
  sentence: ({ claims }) => `its ephemeral volumes have their claims: ${claims.join(", ")}`,
  example: { claims: ["web-0-scratch"] },
  source: "controller.go handleVolume",
});

/** No claims are created for a pod that is being deleted. */
export const beingDeleted: Rule<Facts> = rule<Facts>({
  id: "being-deleted",
  looksAt: ["metadata.deletionTimestamp of the pod"],
  chooses: "No claims are created for a pod that is being deleted.",
  sentence: () => "it is being deleted → create no claim",
  example: {},
  source: "controller.go syncHandler",
});

/** All of them. */
export const rules: readonly Rule[] = [beingDeleted, notOwn, createClaim, steady];
