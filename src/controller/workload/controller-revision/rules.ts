/** The rules by which controllers keep revisions of their templates. */
import type { Facts, Rule } from "../../api/rule.ts";
import { rule } from "../../api/rule.ts";

interface RevisionFacts extends Facts {
  readonly name: string;
  readonly revision: number;
}

interface NewRevisionFacts extends RevisionFacts {
  /** Paths at which the template differs from that of the latest revision. */
  readonly changed: readonly string[];
}

/** A template that no revision has gets one. */
export const newRevision: Rule<NewRevisionFacts> = rule<NewRevisionFacts>({
  id: "new-revision",
  looksAt: ["spec.template", "data of its ControllerRevisions", "status.collisionCount"],
  chooses: "If no ControllerRevision has the template, one is created, named after its hash.",
  sentence: ({ name, revision, changed }) => {
    const why = revision === 1 ? "it has no revision yet" : `the template changed${atPaths(changed)}`;
    return `${why} → create ControllerRevision ${name} as revision ${revision}`;
  },
  example: { name: "web-6d5f4c", revision: 2, changed: [".spec.containers[web].image"] },
  source:
    "stateful_set_control.go getStatefulSetRevisions, controller_history.go CreateControllerRevision; daemon/update.go snapshot",
});

function atPaths(paths: readonly string[]): string {
  if (paths.length === 0) return "";
  return ` at ${paths.length > 2 ? `${paths.slice(0, 2).join(", ")} and ${paths.length - 2} more` : paths.join(" and ")}`;
}

interface ReusedFacts extends RevisionFacts {
  readonly before: number;
}

/** A template that an earlier revision has makes that one the latest. */
export const reusedRevision: Rule<ReusedFacts> = rule<ReusedFacts>({
  id: "reused-revision",
  looksAt: ["spec.template", "data and revision of its ControllerRevisions"],
  chooses: "If an earlier ControllerRevision has the template, it gets the highest revision: a rollback.",
  sentence: ({ name, before, revision }) => `${name} has the template already → its revision ${before} → ${revision}`,
  example: { name: "web-6d5f4c", before: 1, revision: 3 },
  source:
    "stateful_set_control.go getStatefulSetRevisions, controller_history.go UpdateControllerRevision; daemon/update.go constructHistory",
});

interface CollisionFacts extends Facts {
  readonly name: string;
  readonly after: number;
}

/** The name of a new revision is taken. */
export const revisionCollision: Rule<CollisionFacts> = rule<CollisionFacts>({
  id: "revision-collision",
  looksAt: ["data of the ControllerRevision that has the name already", "status.collisionCount"],
  chooses:
    "If a ControllerRevision with other data has the name, the collision is counted; the count changes the hash.",
  sentence: ({ name, after }) => `${name} exists, with other data → collisionCount ${after}, so the next name differs`,
  example: { name: "web-6d5f4c", after: 1 },
  source: "controller_history.go CreateControllerRevision; daemon/update.go snapshot",
});

interface TruncateFacts extends Facts {
  readonly names: readonly string[];
  readonly limit: number;
  /** Revisions that neither a pod nor the status has. */
  readonly historic: number;
}

/** Revisions beyond the limit are deleted, the oldest first. */
export const truncateHistory: Rule<TruncateFacts> = rule<TruncateFacts>({
  id: "truncate-history",
  looksAt: ["spec.revisionHistoryLimit", "revisions of its pods", "status.currentRevision, status.updateRevision"],
  chooses: "Of the revisions that no pod uses, only the latest revisionHistoryLimit are kept.",
  sentence: ({ names, limit, historic }) =>
    `${historic} revisions are in use by no pod, ${limit} may be kept → delete ${names.join(", ")}`,
  example: { names: ["web-6d5f4c"], limit: 10, historic: 11 },
  source: "stateful_set_control.go truncateHistory",
});

/** All of them. */
export const revisionRules: readonly Rule[] = [newRevision, reusedRevision, revisionCollision, truncateHistory];
