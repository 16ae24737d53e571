/** The tests of an agreement: each controller against the real one, shadow's own verdict against the judge, and detection of mutants. */
import { beforeAll, describe, expect, test } from "bun:test";
import { splitKey } from "../../../src/api/key.ts";
import { type Finding, textOf } from "./judge/verdict.ts";
import type { Mutant } from "./mutants.ts";
import { isHere, type Played } from "./played.ts";
import { falselySame, stillDiffering } from "./product-verdict.ts";

export interface Suite {
  readonly name: string;
  /** Writes that the owner must have made and we must have intended: comparing nothing would prove nothing. */
  readonly shows: readonly string[];
  /** Maximum percentage of the owner's writes that cannot be judged; default 10. */
  readonly mostNotComparable?: number;
}

export interface Agreement {
  readonly seed: number;
  readonly suites: readonly Suite[];
  /** Empty if mutants are not run for this seed. */
  readonly mutants: readonly Mutant[];
  /** Plays the rounds of all sides. */
  readonly play: () => Promise<readonly Played[]>;
}

/** Defines the tests of one seed. */
export function describeAgreement({ seed, suites, mutants, play }: Agreement): void {
  describe(`with seed ${seed}`, () => {
    let played: readonly Played[] = [];
    const playedBy = (name: string, does?: string): Played => {
      const found = played.find(({ side }) => side.controller.name === name && side.mutant?.does === does);
      if (found === undefined) throw new Error(`${name} did not play`);
      return found;
    };
    beforeAll(async () => {
      played = await play();
      for (const each of played) console.log(summaryOf(each));
    });

    test.each(suites)("our $name means what the owner does", ({ name, shows, mostNotComparable = 10 }) => {
      const { rounds: all } = playedBy(name);
      const verdicts = all.map(({ verdict }) => verdict);
      const same = verdicts.flatMap((verdict) => verdict.same);
      const kinds = new Set(same.map(({ verb, resource }) => `${verb} ${resource}`));
      for (const each of shows) expect(kinds).toContain(each);
      const differs = all.flatMap(({ verdict, done }) =>
        verdict.differs.map((finding) => `${textOf(finding)}\n    after ${done.join("; ")}`),
      );
      // In the short form this allows none.
      if (differs.length > same.length / 100) expect(differs).toEqual([]);
      const notComparable = verdicts.flatMap((verdict) => verdict.notComparable.map(textOf));
      if (notComparable.length > ((same.length + notComparable.length) * mostNotComparable) / 100) {
        expect(notComparable).toEqual([]);
      }
    });

    test.each(suites)("shadow's own verdict of our $name holds before the judge", ({ name }) => {
      const one = playedBy(name);
      expect(falselySame(one)).toEqual([]);
      // Others are of an earlier seed, or of another controller's scripts, whose steps may leave ours nothing to do.
      const agreements = one.rounds.flatMap((round) =>
        round.agreements.filter(({ target }) => isHere(one.side, splitKey(target))),
      );
      const wrong = stillDiffering(agreements);
      const intentions = new Set(agreements.map(({ intention }) => intention));
      // Shadow compares writes object by object, also where the owner distributes contents in the order of a Go map.
      const mostPercent = one.side.recycles === undefined ? 1 : 5;
      if (wrong.length > (intentions.size * mostPercent) / 100) expect(wrong).toEqual([]);
    });

    test.each(mutants)("$controller that $does is found out", (mutant) => {
      const one = playedBy(mutant.controller, mutant.does);
      const found = one.rounds
        .flatMap(({ verdict }) => verdict.differs)
        .filter(({ of }) => of === (mutant.shownOf ?? "owner"));
      expect(found.map(({ write }) => `${write.verb} ${write.resource}`)).toContain(mutant.shownBy);
      expect(falselySame(one)).toEqual([]);
    });
  });
}

function summaryOf({ side, rounds: all }: Played): string {
  const sum = (count: (round: Played["rounds"][number]) => number): number =>
    all.reduce((total, round) => total + count(round), 0);
  const name = side.controller.name + (side.mutant === undefined ? "" : ` that ${side.mutant.does}`);
  const counts = Map.groupBy(
    all.flatMap(({ agreements }) => agreements),
    ({ is }) => is,
  );
  const lines = (findings: readonly Finding[]): string[] => findings.map((finding) => `\n    ${textOf(finding)}`);
  const reasons = all.flatMap(({ verdict }) => lines(verdict.notComparable));
  // A mutant is expected to have some.
  const differences = side.mutant === undefined ? all.flatMap(({ verdict }) => lines(verdict.differs)) : [];
  return [
    `${name}: of the owner's writes ${sum(({ verdict }) => verdict.same.length)} meant`,
    `${sum(({ verdict }) => verdict.differs.length)} differ`,
    `${reasons.length} not comparable`,
    `${sum(({ verdict }) => verdict.movedOn)} of ours overtaken by a change`,
    `shadow says: ${[...counts].map(([is, each]) => `${each.length} ${is}`).join(", ")}${[...differences, ...reasons].join("")}`,
  ].join("; ");
}
