/** The rules of the protection of claims, in the order in which a sync evaluates them. */
import { claimProtection } from "../../api/protection-finalizers.ts";
import { type Facts, type Rule, rule } from "../../controller/api/rule.ts";
import { type FinalizerFacts, unprotectedRule } from "../../controller/workload/protection.ts";

interface HeldFacts extends Facts {
  readonly pod: string;
  readonly node: string;
  /** Whether the cache lacks the pod, so that it was listed from the API server. */
  readonly listedLive: boolean;
}

/** A claim that a pod uses stays. */
export const inUse: Rule<HeldFacts> = rule<HeldFacts>({
  id: "in-use",
  looksAt: [
    "pods on nodes whose volumes name the claim, or whose ephemeral volumes it was created for, in the cache",
    "the same pods on the API server, if the cache has none",
    "metadata.deletionTimestamp and deletionGracePeriodSeconds of pods with ephemeral volumes",
  ],
  chooses:
    "A claim that is being deleted stays while a pod on a node uses it, even a finished pod. The claim of an ephemeral volume stays until the kubelet has removed its pod.",
  sentence: ({ pod, node, listedLive }) =>
    `Pod ${pod} on node ${node} uses it${listedLive ? ", which the cache does not show yet" : ""} → keep it`,
  example: { pod: "db-0", node: "node-1", listedLive: false },
  source: "pvc_protection_controller.go isBeingUsedWith, podUsesPVCForDeletion",
});

/** A claim that no pod uses is released. */
export const unused: Rule<FinalizerFacts> = rule<FinalizerFacts>({
  id: "unused",
  looksAt: inUse.looksAt,
  chooses:
    "The finalizer of a claim that is being deleted is removed when neither the cache nor the API server has such a pod.",
  sentence: ({ finalizer }) => `it is being deleted, and no pod on a node uses it → remove finalizer ${finalizer}`,
  example: { finalizer: claimProtection },
  source: "pvc_protection_controller.go removeFinalizer",
});

/** A claim gets its protection finalizer. */
export const unprotected: Rule<FinalizerFacts> = unprotectedRule("claim", {
  finalizer: claimProtection,
  source: "pvc_protection_controller.go",
});

/** All of them. */
export const rules: readonly Rule[] = [inUse, unused, unprotected];
