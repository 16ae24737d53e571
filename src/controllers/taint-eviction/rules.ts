/** The rules of evictions by taints, in the order in which a sync evaluates them. */
import { type Facts, type Rule, rule } from "../../controller/api/rule.ts";

interface TaintFacts extends Facts {
  readonly node: string;
  /** `key=value:NoExecute` */
  readonly taint: string;
}

interface TimedFacts extends Facts {
  readonly node: string;
  readonly seconds: number;
}

const looksAt = [
  "the node's taints with the effect NoExecute",
  "spec.tolerations: for each taint the first one that matches",
  "tolerationSeconds of these",
] as const;

/** The pod does not tolerate a taint. */
export const untolerated: Rule<TaintFacts> = rule<TaintFacts>({
  id: "untolerated",
  looksAt,
  chooses: "A pod is deleted at once if its node has a NoExecute taint that none of its tolerations matches.",
  sentence: ({ node, taint }) => `it does not tolerate the taint ${taint} of ${node} → delete it`,
  example: { node: "node-1", taint: "maintenance:NoExecute" },
  source: "taint_eviction.go processPodOnNode",
});

/** The pod tolerates the taints forever. */
export const tolerated: Rule<{ readonly node: string }> = rule<{ readonly node: string }>({
  id: "tolerated",
  looksAt,
  chooses: "A pod stays if it tolerates all NoExecute taints of its node without a time limit.",
  sentence: ({ node }) => `it tolerates the taints of ${node} for as long as they last → keep it`,
  example: { node: "node-1" },
  source: "taint_eviction.go processPodOnNode, getMinTolerationTime",
});

/** The pod tolerates the taints for some time. */
export const toleratedFor: Rule<TimedFacts> = rule<TimedFacts>({
  id: "tolerated-for",
  looksAt,
  chooses:
    "A pod that tolerates all NoExecute taints of its node, but some only for a limited time, is deleted after the shortest of these times.",
  sentence: ({ node, seconds }) => `it tolerates the taints of ${node} for ${seconds} s → delete it then`,
  example: { node: "node-1", seconds: 300 },
  source: "taint_eviction.go processPodOnNode, getMinTolerationTime",
});

/** The pod's toleration of a taint has expired. */
export const tolerationOver: Rule<TimedFacts> = rule<TimedFacts>({
  id: "toleration-over",
  looksAt: ["the time for which the pod tolerates the taints, counted from when they were first seen together"],
  chooses:
    "A pod is deleted when the time of its tolerations is over. Changes of tolerations and taints do not change that time.",
  sentence: ({ node, seconds }) => `it has tolerated the taints of ${node} for ${seconds} s → delete it`,
  example: { node: "node-1", seconds: 300 },
  source: "timed_workers.go; taint_eviction.go deletePodHandler",
});

/** A deletion is no longer due. */
export const cancelled: Rule<{ readonly why: string }> = rule<{ readonly why: string }>({
  id: "cancelled",
  looksAt: [...looksAt, "whether the pod is there"],
  chooses: "A scheduled deletion of a pod is cancelled when its reason no longer applies, or the pod is gone.",
  sentence: ({ why }) => `${why} → do not delete it later`,
  example: { why: "its node has no NoExecute taint any more" },
  source: "taint_eviction.go cancelWorkWithEvent",
});

/** All of them. */
export const rules: readonly Rule[] = [untolerated, tolerated, toleratedFor, tolerationOver, cancelled];
