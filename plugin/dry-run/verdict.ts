/** How a dry-run ends the process: what a script or a CI job is told. */
import { controllerOf } from "../../src/api/owner-references.ts";
import { isShort } from "../../src/modes/dry-run/availability.ts";
import type { DryRun } from "../../src/modes/dry-run/dry-run.ts";
import type { ObjectChange } from "../../src/views/outcome.ts";
import { UserError } from "../user-error.ts";

const fearable = ["delete", "unavailable", "never-steady"] as const;
export type Fear = (typeof fearable)[number];

/** `delete,unavailable`, given once or more often. @throws UserError for a word that is none of them. */
export function readFears(words: readonly string[] | undefined): ReadonlySet<Fear> | undefined {
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

export interface VerdictOptions {
  /** Of `--fail-on`: only these count. */
  readonly fears?: ReadonlySet<Fear>;
  /** Of `--exit-code=never`: changes alone do not count. */
  readonly never: boolean;
  /** Whether there is something to differ from. */
  readonly hasBaseline: boolean;
}

/** 3 never steady, 4 unavailable, 1 something would change, 0 otherwise; see `dry-run --help`. */
export function exitCodeOf(run: DryRun, { fears, never, hasBaseline }: VerdictOptions): number {
  const counts = (fear: Fear): boolean => fears === undefined || fears.has(fear);
  if ((run.settled.is !== "steady" || run.before.is !== "steady") && counts("never-steady")) return 3;
  if (run.availability.some(isShort) && counts("unavailable")) return 4;
  if (fears !== undefined) return fears.has("delete") && lostObjects(run).length > 0 ? 1 : 0;
  return run.groups.length > 0 && hasBaseline && !never ? 1 : 0;
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
