import { expect, test } from "bun:test";
import { join } from "node:path";
import { runDeno } from "../support/deno.ts";
import { tries } from "../support/long.ts";

const scenes = [
  { name: "a whole scene", script: "scene.ts", seeds: 20 },
  { name: "a whole embedded cluster", script: "embedded.ts", seeds: 10 },
];

test.each(scenes)(
  "$name on virtual time takes the same order on Bun and on Deno, seed by seed",
  async (scene) => {
    const seeds = tries(scene.seeds);
    const onBun = Bun.spawn([process.execPath, join(import.meta.dir, scene.script), String(seeds)], {
      stdout: "pipe",
      stderr: "pipe",
    });
    const [said, complaint, code] = await Promise.all([
      new Response(onBun.stdout).text(),
      new Response(onBun.stderr).text(),
      onBun.exited,
    ]);
    expect({ complaint, code }).toEqual({ complaint: "", code: 0 });
    const onDeno = await runDeno(`test/determinism/${scene.script}`, [String(seeds)]);
    expect({ stderr: onDeno.stderr, code: onDeno.code }).toEqual({ stderr: "", code: 0 });
    expect(onDeno.stdout).toBe(said);
    expect(said.match(/^hash /gm)?.length).toBe(seeds);
  },
  // A bound, not a measure: it takes 10 to 20 s where nothing else is at work.
  600_000,
);
