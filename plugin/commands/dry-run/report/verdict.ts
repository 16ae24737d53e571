/** The exit code of a dry run: what scripts and CI jobs decide by. */
import { controllerOf } from "../../../../src/api/owner-references.ts";
import type { DryRun } from "../../../../src/modes/dry-run/result.ts";
import type { Verdicts } from "../../../../src/modes/dry-run/verdicts.ts";
import { cannotTellExitCode } from "../../../../src/verdict/verdict.ts";
import type { ObjectChange } from "../../../../src/views/outcome.ts";
import { UserError } from "../../../cli/user-error.ts";

/** What `--fail-on` can name. */
export const failConditions = ["delete", "unavailable", "dangling", "held", "never-steady"] as const;
/** One of them. */
export type FailCondition = (typeof failConditions)[number];
/** Those that were given. */
export type FailConditions = ReadonlySet<FailCondition>;

/** `delete,unavailable`, given once or more often. @throws UserError for a word that is none of them. */
export function parseFailOn(words: readonly string[] | undefined): FailConditions | undefined {
  if (words === undefined) return undefined;
  const failOn = new Set<FailCondition>();
  for (const word of words.flatMap((list) => list.split(",")).map((each) => each.trim())) {
    const condition = failConditions.find((each) => each === word);
    if (condition === undefined) {
      throw new UserError(`--fail-on does not know ${JSON.stringify(word)}`, [
        `it takes: ${failConditions.join(", ")}`,
      ]);
    }
    failOn.add(condition);
  }
  return failOn;
}

/** Whether it fails a job. Without `--fail-on` a lost object counts as a change, and a dangling reference is only reported. */
export function failsOn(failOn: FailConditions | undefined, condition: FailCondition): boolean {
  return failOn === undefined ? condition === "unavailable" || condition === "never-steady" : failOn.has(condition);
}

/** What decides between exit codes, beside what was found. */
export interface VerdictOptions {
  /** Of `--fail-on`: only these count. */
  readonly failOn?: FailConditions | undefined;
  /** Of `--exit-code=never`: changes alone do not count. */
  readonly never: boolean;
  /** Whether there is something to differ from. */
  readonly hasBaseline: boolean;
}

/**
 * What was found comes before what cannot be told, and that before changes: 3 never steady, 4 unavailable, 1 what `--fail-on` names,
 * 5 cannot tell, 1 something would change, 0 otherwise; see `dry-run --help`.
 */
export function exitCodeOf(run: DryRun, verdicts: Verdicts, { failOn, never, hasBaseline }: VerdictOptions): number {
  const counts = (condition: FailCondition): boolean => failsOn(failOn, condition);
  const { available, references, unchanged } = verdicts;
  if ((run.settled.is !== "steady" || run.before.is !== "steady") && counts("never-steady")) return 3;
  if (available.is === "found" && counts("unavailable")) return 4;
  if (references.is === "found" && counts("dangling")) return 1;
  if (counts("delete") && lostObjects(run).length > 0) return 1;
  if (counts("held") && run.nodes?.fates.some(({ fate }) => fate === "held") === true) return 1;
  const isOpen =
    (available.is === "cannot tell" && counts("unavailable")) ||
    (references.is === "cannot tell" && counts("dangling"));
  if (isOpen) return cannotTellExitCode;
  if (failOn !== undefined || !hasBaseline || never) return 0;
  if (unchanged.is === "found") return 1;
  return unchanged.is === "well" ? 0 : cannotTellExitCode;
}

/**
 * What is deleted for good: not a pod or a ReplicaSet that its owner replaces or no longer needs, but what is deleted without an
 * owner that would recreate it.
 */
export function lostObjects({ groups, state }: Pick<DryRun, "groups" | "state">): readonly ObjectChange[] {
  const uids = new Set([...state.values()].map(({ object }) => object.metadata.uid));
  return groups
    .flatMap(({ changes }) => changes)
    .filter((change) => {
      if (change.did !== "deleted" || change.before === undefined) return false;
      const owner = controllerOf(change.before);
      return owner === undefined || !uids.has(owner.uid);
    });
}
