/**
 * The same user's actions, played to kube-controller-manager 1.36.3 and to our controllers: the same objects in, the same writes
 * out. `SCRIPT=part of a name` plays only the scripts whose name has that part.
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { controllersMissing } from "../support/cluster.ts";
import { stale } from "./differences.ts";
import { inWords, type Played, playAll } from "./play.ts";
import { scripts } from "./scripts/index.ts";
import { oracleSide, ourSide, type Side } from "./sides.ts";

const part = process.env["SCRIPT"];
const chosen = scripts.filter(({ name }) => part === undefined || name.includes(part));
const atATime = 8;

describe.skipIf(controllersMissing !== undefined)("beside kube-controller-manager", () => {
  let oracle: Side;
  let ours: Side;
  let played: Promise<Played>[];
  beforeAll(async () => {
    [oracle, ours] = await Promise.all([oracleSide(), ourSide()]);
    played = playAll(chosen, atATime, { oracle, ours });
  }, 120_000);
  afterAll(async () => {
    await Promise.all([oracle?.stop(), ours?.stop()]);
  });

  for (const [n, { name }] of chosen.entries()) {
    test(
      name,
      async () => {
        const { unexplained, effects } = (await played[n]) as Played;
        expect(inWords(unexplained)).toEqual([]);
        expect(effects).toBeGreaterThan(0);
      },
      300_000,
    );
  }

  test.skipIf(part !== undefined)("every entry of the list of differences is hit", async () => {
    const hits = new Set((await Promise.all(played)).flatMap(({ hits }) => [...hits]));
    expect(stale(hits)).toEqual([]);
  });
});
