/**
 * Random scripts, played to kube-controller-manager 1.36.3 and to our controllers. `SEED=n` plays only that seed: what fails
 * prints the command.
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { controllersMissing } from "../support/cluster.ts";
import { tries } from "../support/long.ts";
import { stale } from "./differences.ts";
import { randomScript } from "./grammar.ts";
import { inWords, type Played, playAll } from "./play.ts";
import { oracleSide, ourSide, type Side } from "./sides.ts";

const asked = process.env["SEED"];
const seeds =
  asked === undefined ? Array.from({ length: tries(8, 100) }, (_, n) => n + 1) : asked.split(",").map(Number);
const steps = 14;
const atATime = 8;

describe.skipIf(controllersMissing !== undefined)("random scripts beside kube-controller-manager", () => {
  let oracle: Side;
  let ours: Side;
  let played: Promise<Played>[];
  beforeAll(async () => {
    [oracle, ours] = await Promise.all([oracleSide(), ourSide()]);
    const scripts = seeds.map((seed) => randomScript(seed, steps));
    played = playAll(scripts, atATime, { oracle, ours });
  }, 120_000);
  afterAll(async () => {
    await Promise.all([oracle?.stop(), ours?.stop()]);
  });

  for (const [n, seed] of seeds.entries()) {
    test(`seed ${seed}: SEED=${seed} npm test -- differential/random`, async () => {
      const { unexplained, effects } = (await played[n]) as Played;
      expect(inWords(unexplained)).toEqual([]);
      expect(effects).toBeGreaterThan(0);
    }, 300_000);
  }

  test.skipIf(asked !== undefined)("every entry of the list of differences is hit", async () => {
    const hits = new Set((await Promise.all(played)).flatMap((one) => [...one.hits]));
    expect(stale(hits)).toEqual([]);
  });
});
