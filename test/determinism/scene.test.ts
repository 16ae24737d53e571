import { expect, test } from "bun:test";
import { tries } from "../support/long.ts";
import { onBothRuntimes } from "./both-runtimes.ts";

const scenes = [
  { name: "a whole scene", script: "scene.ts", seeds: 20 },
  { name: "a whole embedded cluster", script: "embedded.ts", seeds: 10 },
  { name: "an autoscaler's day of load", script: "day.ts", seeds: 1 },
];

test.each(scenes)(
  "$name on virtual time takes the same order on Bun and on Deno, seed by seed",
  async (scene) => {
    const seeds = tries(scene.seeds);
    const stdout = await onBothRuntimes(scene.script, [String(seeds)]);
    expect(stdout.match(/^hash /gm)?.length).toBe(seeds);
  },
  // Only an upper bound: it takes 10 to 20 s on an idle machine.
  600_000,
);
