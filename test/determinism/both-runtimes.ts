/** Runs a script on virtual time, on Bun and on Deno. */
import { expect } from "bun:test";
import { join } from "node:path";
import { runDeno } from "../support/deno.ts";

/** Returns the script's output. Fails unless both runtimes exit with 0 and print the same bytes. */
export async function onBothRuntimes(script: string, args: readonly string[]): Promise<string> {
  const onBun = Bun.spawn([process.execPath, join(import.meta.dir, script), ...args], {
    stdout: "pipe",
    stderr: "pipe",
  });
  const [stdout, complaint, code] = await Promise.all([
    new Response(onBun.stdout).text(),
    new Response(onBun.stderr).text(),
    onBun.exited,
  ]);
  expect({ complaint, code }).toEqual({ complaint: "", code: 0 });
  const onDeno = await runDeno(`test/determinism/${script}`, args);
  expect({ stderr: onDeno.stderr, code: onDeno.code }).toEqual({ stderr: "", code: 0 });
  expect(onDeno.stdout).toBe(stdout);
  return stdout;
}
