/**
 * Whether one of our controllers intends the same writes as the real one: judged from the decisions of our syncs, as recorded at the
 * controllers' own client, and from the owner's writes in the API server's audit log. Shadow's own verdicts are not used.
 *
 * The owner is stopped while the objects are changed, and until our syncs have decided: so each of its writes must be one that we had
 * decided before, or decide within `graceMs` of it.
 */
import { countedWrites } from "./counted.ts";
import { judgeExact } from "./exact.ts";
import { distributedAlike } from "./recycled.ts";
import type { Round, Write } from "./round.ts";
import type { Verdict } from "./verdict.ts";

/** Judges one controller's round. */
export function judge(asPlayed: Round): Verdict {
  const round = { ...asPlayed, owner: distributedAlike(asPlayed) };
  const counted = countedWrites(round);
  const byCount = new Set<Write>(counted.flatMap(({ owner, ours }) => [...owner, ...ours]));
  const rest = (write: Write): boolean => !byCount.has(write);
  const exact = judgeExact(round, rest);
  return {
    same: [...counted.flatMap(({ same }) => same), ...exact.same],
    differs: [...counted.flatMap(({ differs }) => differs), ...exact.differs],
    notComparable: exact.notComparable,
    movedOn: exact.movedOn + counted.reduce((sum, each) => sum + each.movedOn, 0),
  };
}
