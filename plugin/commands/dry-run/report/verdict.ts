/** The exit code of a dry run, for scripts and CI jobs. */
import type { DryRun } from "../../../../src/modes/dry-run/result.ts";
import type { Verdicts } from "../../../../src/modes/dry-run/verdicts.ts";
import { cannotTellExitCode } from "../../../../src/verdict/verdict.ts";
import { UserError } from "../../../cli/user-error.ts";

/** The conditions of `--fail-on`. */
export const failConditions = ["delete", "unavailable", "dangling", "held", "never-steady"] as const;
/** One of these conditions. */
export type FailCondition = (typeof failConditions)[number];
/** The conditions given by the user. */
export type FailConditions = ReadonlySet<FailCondition>;

/** Parses one or more values such as `delete,unavailable`. @throws UserError for an unknown condition. */
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

/** Whether a condition fails the job. Without `--fail-on`, a lost object counts as a change, and a dangling reference is only reported. */
export function failsOn(failOn: FailConditions | undefined, condition: FailCondition): boolean {
  return failOn === undefined ? condition === "unavailable" || condition === "never-steady" : failOn.has(condition);
}

/** Options that determine the exit code. */
export interface VerdictOptions {
  /** The value of `--fail-on`: only these conditions count. */
  readonly failOn?: FailConditions | undefined;
  /** `--exit-code=never`: changes alone do not count. */
  readonly never: boolean;
  /** Whether there is a baseline to compare with. */
  readonly hasBaseline: boolean;
}

/**
 * The first of these that applies: 3 never steady, 4 unavailable, 1 a condition of `--fail-on`, 5 cannot tell, 1 something would change, and
 * 0 otherwise; see `dry-run --help`.
 */
export function exitCodeOf(run: DryRun, verdicts: Verdicts, { failOn, never, hasBaseline }: VerdictOptions): number {
  const counts = (condition: FailCondition): boolean => failsOn(failOn, condition);
  const { available, references, deletions, unchanged } = verdicts;
  if ((run.settled.is !== "steady" || run.before.is !== "steady") && counts("never-steady")) return 3;
  if (available.is === "found" && counts("unavailable")) return 4;
  if (references.is === "found" && counts("dangling")) return 1;
  if (deletions.is === "found" && counts("delete")) return 1;
  if (counts("held") && run.nodes?.fates.some(({ fate }) => fate === "held") === true) return 1;
  const isOpen =
    // A key that fails is retried for ever.
    (run.notSynced.some(({ isDecisive }) => isDecisive) && counts("never-steady")) ||
    (available.is === "cannot tell" && counts("unavailable")) ||
    (references.is === "cannot tell" && counts("dangling")) ||
    (deletions.is === "cannot tell" && (failOn === undefined || counts("delete")));
  if (isOpen) return cannotTellExitCode;
  if (failOn !== undefined || !hasBaseline || never) return 0;
  if (unchanged.is === "found") return 1;
  return unchanged.is === "well" ? 0 : cannotTellExitCode;
}
