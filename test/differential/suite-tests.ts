/** The tests of a suite: its written scripts, its random ones, and a check that every entry of its list of differences is still needed. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { controllersMissing } from "../support/cluster.ts";
import { tries } from "../support/long.ts";
import { allRun, withEnvironment } from "./all.ts";
import { stale } from "./differences.ts";
import { inWords, play, type Played, playAll, type Sides } from "./play.ts";
import { oracleSide, ourSide, sandboxSide } from "./sides.ts";
import type { Script, Suite } from "./suite.ts";
import { chancesOf, verdict } from "./verdict.ts";

const defaultSteps = 14;

interface Part {
  readonly title: string;
  readonly script: Script;
}

/**
 * Registers the tests. `SCRIPT=part of a name` runs only the written scripts whose names contain that part, `SEED=3,17` only these random
 * ones. The name of each random test is the command that runs it again.
 */
export function testSuite(given: Suite): void {
  const suite = withEnvironment(given);
  const all = partsOf(suite);
  const parts = all.filter(({ script }) => !needsOthersOff(script));
  describe.skipIf(controllersMissing !== undefined)(`${suite.name} beside kube-controller-manager`, () => {
    let sides: Sides;
    let played: Promise<Played>[];
    beforeAll(async () => {
      const [oracle, ours, sandbox] = await Promise.all([oracleSide(suite), ourSide(suite), sandboxSide(suite)]);
      sides = { oracle, ours, sandbox };
      played = playAll(
        suite,
        parts.map(({ script }) => script),
        sides,
      );
    });
    afterAll(async () => {
      await Promise.all([sides?.oracle, sides?.ours, sides?.sandbox].map((side) => side?.stop()));
    });

    for (const { title, script } of all.filter((part) => needsOthersOff(part.script))) {
      test.skip(`${title} (with others: ${script.withoutOthers})`, () => undefined);
    }

    const byChance: string[] = [];

    for (const [n, { title, script }] of parts.entries()) {
      test(title, async () => {
        const again = (): Promise<Played> => play(suite, script, sides, 2);
        const { race } = script;
        const { played: judged, byChance: once } = await verdict(
          await (played[n] as Promise<Played>),
          again,
          race !== undefined,
        );
        for (const what of once) console.log(`by chance: ${suite.name}, ${script.name}: ${what}`);
        if (once.length > 0 && race === undefined) byChance.push(script.name);
        expect(inWords(judged.unexplained)).toEqual([]);
        expect(judged.effects).toBeGreaterThan(0);
        if (script.notOnSandbox === undefined) expect(judged.onSandbox).toBeGreaterThan(0);
      });
    }

    test("few scripts differ by chance", () => {
      expect(byChance.length > chancesOf(parts.length) ? byChance : []).toEqual([]);
    });

    const whole = !allRun && process.env["SCRIPT"] === undefined && process.env["SEED"] === undefined;
    test.skipIf(!whole)("every entry of the list of differences is hit", async () => {
      const hits = new Set((await Promise.all(played)).flatMap((one) => [...one.hits]));
      expect(stale(suite.differences, hits)).toEqual([]);
    });
  });
}

/** Whether what it assumes does not hold in this run, because every controller runs. */
function needsOthersOff({ withoutOthers }: Script): boolean {
  return allRun && withoutOthers !== undefined;
}

function partsOf(suite: Suite): readonly Part[] {
  const { SCRIPT: part, SEED: seeds } = process.env;
  const written = part === undefined && seeds !== undefined ? [] : suite.scripts;
  const drawn = Array.from({ length: tries(suite.seeds.short, suite.seeds.long) }, (_, n) => n + 1);
  const chosen = seeds === undefined ? (part === undefined ? drawn : []) : seeds.split(",").map(Number);
  return [
    ...written
      .filter(({ name }) => part === undefined || name.includes(part))
      .map((script) => ({ title: script.name, script })),
    ...chosen.map((seed) => ({
      title: `seed ${seed}: SEED=${seed} npm test -- differential/${suite.name}`,
      script: suite.random(seed, suite.randomSteps ?? defaultSteps),
    })),
  ];
}
