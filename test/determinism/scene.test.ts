import { expect, test } from "bun:test";
import { join } from "node:path";
import { runDeno } from "../support/deno.ts";
import { tries } from "../support/long.ts";

test("a whole scene on virtual time takes the same order on Bun and on Deno, seed by seed", async () => {
  const seeds = tries(20);
  const onBun = Bun.spawn([process.execPath, join(import.meta.dir, "scene.ts"), String(seeds)], {
    stdout: "pipe",
    stderr: "pipe",
  });
  const [said, complaint, code] = await Promise.all([
    new Response(onBun.stdout).text(),
    new Response(onBun.stderr).text(),
    onBun.exited,
  ]);
  expect({ complaint, code }).toEqual({ complaint: "", code: 0 });
  const onDeno = await runDeno("test/determinism/scene.ts", [String(seeds)]);
  expect({ stderr: onDeno.stderr, code: onDeno.code }).toEqual({ stderr: "", code: 0 });
  expect(onDeno.stdout).toBe(said);
  expect(said.match(/^hash /gm)?.length).toBe(seeds);
}, 120_000);
