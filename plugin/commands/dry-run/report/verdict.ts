/** How a dry-run ends the process: what a script or a CI job is told. */
import { controllerOf } from "../../../../src/api/owner-references.ts";
import type { DryRun } from "../../../../src/modes/dry-run/dry-run.ts";
import type { Verdicts } from "../../../../src/modes/dry-run/verdicts.ts";
import { cannotTellExitCode } from "../../../../src/verdict/verdict.ts";
import type { ObjectChange } from "../../../../src/views/outcome.ts";
import { UserError } from "../../../cli/user-error.ts";

/** What `--fail-on` can name. */
export const fearable = ["delete", "unavailable", "dangling", "never-steady"] as const;
export type Fear = (typeof fearable)[number];
export type Fears = ReadonlySet<Fear>;

/** `delete,unavailable`, given once or more often. @throws UserError for a word that is none of them. */
export function readFears(words: readonly string[] | undefined): Fears | undefined {
  if (words === undefined) return undefined;
  const fears = new Set<Fear>();
  for (const word of words.flatMap((list) => list.split(",")).map((each) => each.trim())) {
    const fear = fearable.find((each) => each === word);
    if (fear === undefined) {
      throw new UserError(`--fail-on does not know ${JSON.stringify(word)}`, [`it takes: ${fearable.join(", ")}`]);
    }
    fears.add(fear);
  }
  return fears;
}

/** Whether it fails a job. Without `--fail-on` a lost object counts as the change that it is, and a dangling reference is told. */
export function isFeared(fears: Fears | undefined, fear: Fear): boolean {
  return fears === undefined ? fear === "unavailable" || fear === "never-steady" : fears.has(fear);
}

export interface VerdictOptions {
  /** Of `--fail-on`: only these count. */
  readonly fears?: Fears | undefined;
  /** Of `--exit-code=never`: changes alone do not count. */
  readonly never: boolean;
  /** Whether there is something to differ from. */
  readonly hasBaseline: boolean;
}

/**
 * What was found comes before what cannot be told, and that before changes: 3 never steady, 4 unavailable, 1 what `--fail-on` names,
 * 5 cannot tell, 1 something would change, 0 otherwise; see `dry-run --help`.
 */
export function exitCodeOf(run: DryRun, verdicts: Verdicts, { fears, never, hasBaseline }: VerdictOptions): number {
  const counts = (fear: Fear): boolean => isFeared(fears, fear);
  const { available, references, unchanged } = verdicts;
  if ((run.settled.is !== "steady" || run.before.is !== "steady") && counts("never-steady")) return 3;
  if (available.is === "found" && counts("unavailable")) return 4;
  if (references.is === "found" && counts("dangling")) return 1;
  if (counts("delete") && lostObjects(run).length > 0) return 1;
  const isOpen =
    (available.is === "cannot tell" && counts("unavailable")) ||
    (references.is === "cannot tell" && counts("dangling"));
  if (isOpen) return cannotTellExitCode;
  if (fears !== undefined || !hasBaseline || never) return 0;
  if (unchanged.is === "found") return 1;
  return unchanged.is === "well" ? 0 : cannotTellExitCode;
}

/**
 * What is deleted for good: not a pod or a ReplicaSet that its owner replaces or no longer needs, but what goes although nobody is
 * left to look after it.
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
