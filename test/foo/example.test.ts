/** The test next to the example docs/examples/foo, run as its user runs it. */
import { expect, test } from "bun:test";
import { join } from "node:path";
import { tries } from "../support/long.ts";
import { runProgram } from "../support/program.ts";

test("the example's own test passes for its seeds", async () => {
  const seeds = String(tries(50, 1000));
  const file = join(import.meta.dir, "..", "..", "docs", "examples", "foo", "thousand-seeds.ts");
  const run = await runProgram([process.execPath, file], { env: { ...process.env, SEEDS: seeds }, timeoutMs: 600_000 });
  expect(run).toEqual({ stdout: `${seeds} seeds: as expected\n`, stderr: "", code: 0 });
}, 600_000);
