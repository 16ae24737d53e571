/** Runs a program of this project on Deno, as a user of the library would. */
import { join } from "node:path";
import type { ProgramRun } from "./binary.ts";

const top = join(import.meta.dir, "..", "..");

/** `deno run` of `path` (from the top of the work tree) with nothing from the network; a minute at most. */
export async function runDeno(
  path: string,
  args: readonly string[] = [],
  env: Readonly<Record<string, string>> = {},
): Promise<ProgramRun> {
  const deno = join(top, "node_modules", ".bin", "deno");
  const run = Bun.spawn([deno, "run", "-A", "--no-lock", "--cached-only", join(top, path), ...args], {
    cwd: top,
    env: { ...process.env, NO_COLOR: "1", DENO_NO_UPDATE_CHECK: "1", ...env },
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
    timeout: 60_000,
  });
  const [stdout, stderr, code] = await Promise.all([
    new Response(run.stdout).text(),
    new Response(run.stderr).text(),
    run.exited,
  ]);
  return { stdout, stderr, code };
}
