/** The rules by which a DaemonSet rolls out its template. */
import { pluralize } from "../../api/pluralize.ts";
import { type Facts, type Rule, rule } from "../../controller/api/rule.ts";
import { named } from "./pod-rules.ts";

interface RolloutFacts extends Facts {
  readonly outdated: number;
  readonly unavailable: number;
  readonly maxUnavailable: number;
}

interface ReplaceFacts extends RolloutFacts {
  readonly names: readonly string[];
  readonly count: number;
}

function outdatedInWords(outdated: number): string {
  return `${pluralize(outdated, "pod")} ${outdated === 1 ? "is" : "are"} of an earlier template`;
}

const looksAt = [
  "spec.updateStrategy",
  "labels controller-revision-hash and pod-template-generation of its pods",
  "availability of its pods",
];

/** Pods of an earlier template are deleted, and replaced by a later sync. */
export const replaceOutdated: Rule<ReplaceFacts> = rule<ReplaceFacts>({
  id: "replace-outdated",
  looksAt,
  chooses:
    "Without maxSurge, pods of an earlier template are deleted: all that are not available, and as many others as keep the nodes without an available pod within maxUnavailable.",
  sentence: ({ outdated, unavailable, maxUnavailable, names, count }) =>
    `${outdatedInWords(outdated)}, ${unavailable} of at most ${maxUnavailable} unavailable → delete ${named({ names, count })}, to be replaced`,
  example: { outdated: 3, unavailable: 0, maxUnavailable: 1, names: ["web-x7k2p"], count: 1 },
  source: "update.go rollingUpdate, updatedDesiredNodeCounts",
});

/** No pod of an earlier template may be deleted yet. */
export const waitToReplace: Rule<RolloutFacts> = rule<RolloutFacts>({
  id: "wait-to-replace",
  looksAt,
  chooses:
    "While maxUnavailable nodes are without an available pod, no available pod of an earlier template is deleted.",
  sentence: ({ outdated, unavailable, maxUnavailable }) =>
    `${outdatedInWords(outdated)}, ${unavailable} of at most ${maxUnavailable} unavailable → wait`,
  example: { outdated: 2, unavailable: 1, maxUnavailable: 1 },
  source: "update.go rollingUpdate",
});

interface SurgeFacts extends Facts {
  readonly outdated: number;
  /** Nodes whose second pod is not available yet. */
  readonly surging: number;
  readonly maxSurge: number;
}

interface SurgeNodesFacts extends SurgeFacts {
  readonly names: readonly string[];
  readonly count: number;
}

/** Nodes get a second pod, from the current template. */
export const surge: Rule<SurgeNodesFacts> = rule<SurgeNodesFacts>({
  id: "surge",
  looksAt,
  chooses:
    "With maxSurge, nodes with a pod of an earlier template get a second one: all whose pod is not available, and as many others as keep the nodes that wait for their second pod within maxSurge.",
  sentence: ({ outdated, surging, maxSurge, names, count }) =>
    `${outdatedInWords(outdated)}, ${surging} of at most ${maxSurge} nodes wait for a new one → create ${count}, for ${named({ names, count })}`,
  example: { outdated: 3, surging: 0, maxSurge: 1, names: ["worker-1"], count: 1 },
  source: "update.go rollingUpdate",
});

/** No node may get a second pod yet. */
export const waitToSurge: Rule<SurgeFacts> = rule<SurgeFacts>({
  id: "wait-to-surge",
  looksAt,
  chooses: "While maxSurge nodes wait for their second pod to become available, no other node gets one.",
  sentence: ({ outdated, surging, maxSurge }) =>
    `${outdatedInWords(outdated)}, ${surging} of at most ${maxSurge} nodes wait for a new one → wait`,
  example: { outdated: 2, surging: 1, maxSurge: 1 },
  source: "update.go rollingUpdate",
});

interface SupersededFacts extends Facts {
  readonly names: readonly string[];
  readonly count: number;
}

/** With a surge, an old pod is deleted once it is no longer needed. */
export const deleteSuperseded: Rule<SupersededFacts> = rule<SupersededFacts>({
  id: "delete-superseded",
  looksAt: [...looksAt, "which nodes should run a pod"],
  chooses:
    "With maxSurge, a pod of an earlier template is deleted when the new one on its node is available or it is itself not ready; on a node that should run none, when it is not available or enough others are.",
  sentence: (names) =>
    `${names.count === 1 ? "a pod of an earlier template is" : "pods of an earlier template are"} no longer needed → delete ${named(names)}`,
  example: { names: ["web-x7k2p"], count: 1 },
  source: "update.go rollingUpdate, daemon_controller.go podsShouldBeOnNode",
});

interface OnDeleteFacts extends Facts {
  readonly outdated: number;
}

/** With OnDelete, replacing pods is left to others. */
export const onDelete: Rule<OnDeleteFacts> = rule<OnDeleteFacts>({
  id: "on-delete",
  looksAt: ["spec.updateStrategy.type", "labels controller-revision-hash and pod-template-generation of its pods"],
  chooses: "With OnDelete, pods of an earlier template stay until somebody deletes them.",
  sentence: ({ outdated }) =>
    `${outdatedInWords(outdated)}; with OnDelete they stay until they are deleted → nothing to do`,
  example: { outdated: 2 },
  source: "daemon_controller.go updateDaemonSet",
});

/** All of them, in the order in which a sync evaluates them. */
export const rolloutRules: readonly Rule[] = [
  replaceOutdated,
  waitToReplace,
  surge,
  waitToSurge,
  deleteSuperseded,
  onDelete,
];
