/** Runs a program of this project on Deno, as a user of the library would. */
import { join } from "node:path";
import { type ProgramRun, runProgram } from "./program.ts";

const top = join(import.meta.dir, "..", "..");

/** Runs `path` (relative to the top of the work tree) with cached dependencies only, for ten minutes at most. */
export async function runDeno(
  path: string,
  args: readonly string[] = [],
  env: Readonly<Record<string, string>> = {},
): Promise<ProgramRun> {
  const deno = join(top, "node_modules", ".bin", "deno");
  return runProgram([deno, "run", "-A", "--no-lock", "--cached-only", join(top, path), ...args], {
    cwd: top,
    env: { ...process.env, NO_COLOR: "1", DENO_NO_UPDATE_CHECK: "1", ...env },
    timeoutMs: 600_000,
  });
}
