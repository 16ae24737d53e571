/** The rules by which a DaemonSet keeps its history, besides those shared by all such controllers. */
import { pluralize } from "../../api/pluralize.ts";
import { type Facts, type Rule, rule } from "../../controller/api/rule.ts";
import { newRevision, reusedRevision, revisionCollision } from "../../controller/workload/controller-revision/rules.ts";

interface LabelFacts extends Facts {
  readonly name: string;
}

/** A revision gets the label that its pods have. */
export const labelRevision: Rule<LabelFacts> = rule<LabelFacts>({
  id: "label-revision",
  looksAt: ["labels of its ControllerRevisions"],
  chooses: "A ControllerRevision without the label controller-revision-hash gets its own name as the value.",
  sentence: ({ name }) => `${name} has no label controller-revision-hash → give it its name`,
  example: { name: "web-6d5f4c" },
  source: "update.go constructHistory",
});

interface RelabelFacts extends Facts {
  readonly pod: string;
  readonly hash: string;
}

/** Pods of a duplicate revision get the label of the one that stays. */
export const relabelPod: Rule<RelabelFacts> = rule<RelabelFacts>({
  id: "relabel-pod",
  looksAt: ["data of its ControllerRevisions", "label controller-revision-hash of its pods"],
  chooses: "If several ControllerRevisions have the template, all pods get the label of the highest one.",
  sentence: ({ pod, hash }) => `several revisions have the template, that of ${hash} stays → give ${pod} its label`,
  example: { pod: "web-x7k2p", hash: "6d5f4c" },
  source: "update.go dedupCurHistories",
});

interface DuplicateFacts extends Facts {
  readonly names: readonly string[];
  readonly kept: string;
}

/** Of several revisions with the same template, one stays. */
export const deleteDuplicates: Rule<DuplicateFacts> = rule<DuplicateFacts>({
  id: "delete-duplicates",
  looksAt: ["data and revision of its ControllerRevisions"],
  chooses: "If several ControllerRevisions have the template, only the highest one stays.",
  sentence: ({ names, kept }) => `${kept} has the same template → delete ${names.join(", ")}`,
  example: { names: ["web-5b4d3c"], kept: "web-6d5f4c" },
  source: "update.go dedupCurHistories",
});

interface CleanUpFacts extends Facts {
  readonly names: readonly string[];
  readonly limit: number;
  readonly earlier: number;
}

/** Revisions beyond the limit are deleted, the lowest first. */
export const cleanUpHistory: Rule<CleanUpFacts> = rule<CleanUpFacts>({
  id: "clean-up-history",
  looksAt: ["spec.revisionHistoryLimit", "its ControllerRevisions", "label controller-revision-hash of its pods"],
  chooses:
    "Only revisionHistoryLimit earlier revisions are kept: the lowest ones are deleted, except those that pods have.",
  sentence: ({ names, limit, earlier }) =>
    `${pluralize(earlier, "earlier revision")}, ${limit} may be kept → delete ${names.join(", ")}`,
  example: { names: ["web-6d5f4c"], limit: 10, earlier: 11 },
  source: "update.go cleanupHistory",
});

/** All of them, in the order in which a sync evaluates them. */
export const historyRules: readonly Rule[] = [
  labelRevision,
  relabelPod,
  deleteDuplicates,
  newRevision,
  reusedRevision,
  revisionCollision,
  cleanUpHistory,
];
