/** A difference of ours must not pass as random, and kube-controller-manager's own races must not fail us. */
import { describe, expect, test } from "bun:test";
import type { Between, Played } from "./play.ts";
import { chancesOf, type Verdict, verdict } from "./verdict.ts";

function played(...differing: readonly Between[]): Played {
  const unexplained = differing.map((between) => ({
    between,
    step: "s",
    what: "update pods",
    path: "",
    theirs: 1,
    ours: 2,
    refused: false,
  }));
  return { unexplained, hits: new Set(), effects: 1, onSandbox: 1 };
}

const clean = played();
const ours = played("kube-controller-manager and us");
const sandbox = played("our controllers and the sandbox");
const itself = played("kube-controller-manager and itself", "kube-controller-manager and us");

/** The verdict on these plays in order, and how many were played. */
async function on(
  [first, ...later]: readonly [Played, ...Played[]],
  race = false,
): Promise<Verdict & { readonly plays: number }> {
  let plays = 1;
  const again = (): Promise<Played> => Promise.resolve(later[plays++ - 1] as Played);
  const result = await verdict(first, again, race);
  return { ...result, plays };
}

describe("after a single difference", () => {
  test("nothing is reported: one play", async () => {
    expect(await on([clean])).toEqual({ played: clean, byChance: [], plays: 1 });
  });

  test.each([
    ["ours", ours],
    ["the sandbox", sandbox],
  ] as const)("in %s: two clean plays make it chance", async (_name, first) => {
    const { played: last, byChance, plays } = await on([first, clean, clean]);
    expect({ last, plays, named: byChance.length }).toEqual({ last: clean, plays: 3, named: 1 });
  });

  test("that kube-controller-manager has itself, one clean play is enough, before it or after it", async () => {
    for (const later of [
      [itself, clean],
      [clean, itself],
    ]) {
      const { played: last, byChance, plays } = await on([ours, ...later]);
      expect({ last, plays, named: byChance.length }).toEqual({ last: clean, plays: 3, named: 1 });
    }
  });

  test("in a script with a known race, the same holds", async () => {
    expect(await on([ours, ours, clean], true)).toMatchObject({ played: clean, plays: 3 });
  });
});

describe("after repeated differences", () => {
  test("in ours it fails at once, and after a clean play", async () => {
    expect(await on([ours, ours])).toEqual({ played: ours, byChance: [], plays: 2 });
    expect(await on([ours, clean, ours])).toEqual({ played: ours, byChance: [], plays: 3 });
  });

  test("in kube-controller-manager itself it fails each time", async () => {
    expect(await on([ours, itself, ours, ours])).toEqual({ played: ours, byChance: [], plays: 4 });
    expect(await on([ours, itself, itself, itself])).toEqual({ played: itself, byChance: [], plays: 4 });
  });

  test("with a known race it fails after four", async () => {
    expect(await on([ours, ours, ours, ours], true)).toEqual({ played: ours, byChance: [], plays: 4 });
  });
});

test("a suite has a limited number of replays", () => {
  expect([1, 40, 59, 60, 200].map(chancesOf)).toEqual([2, 2, 2, 3, 10]);
});
