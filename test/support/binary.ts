/** The compiled program, built once per process from the current work tree. */
import { mkdirSync, readdirSync, renameSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type ProgramRun, runProgram } from "./program.ts";

const top = join(import.meta.dir, "..", "..");

let built: Promise<string> | undefined;

/** The folder with `kubectl-reconcile` and `kubectl_complete-reconcile`, for PATH. */
export function binaryFolder(): Promise<string> {
  built ??= build();
  return built;
}

/**
 * One folder per checkout: 116 MB remain once instead of after each run, and checkouts that share their node_modules do not run each
 * other's program. A running program keeps its file.
 */
async function build(): Promise<string> {
  const folder = join(top, "node_modules", ".cache", `test-binary-${Bun.hash(top).toString(36)}`);
  const fresh = `${folder}-${process.pid}`;
  const run = Bun.spawn([process.execPath, join(top, "scripts", "build.ts"), "--outdir", fresh], {
    stdout: "ignore",
    stderr: "pipe",
  });
  const stderr = await new Response(run.stderr).text();
  if ((await run.exited) !== 0) throw new Error(`Cannot build the program: ${stderr}`);
  mkdirSync(folder, { recursive: true });
  for (const name of readdirSync(fresh)) renameSync(join(fresh, name), join(folder, name));
  rmSync(fresh, { recursive: true });
  return folder;
}

/** Runs a program of that folder to its end, for five minutes at most. */
export async function runBinary(
  args: readonly string[],
  options: { readonly program?: string; readonly env?: Readonly<Record<string, string>>; readonly cwd?: string } = {},
): Promise<ProgramRun> {
  const folder = await binaryFolder();
  return runProgram([join(folder, options.program ?? "kubectl-reconcile"), ...args], {
    env: { HOME: tmpdir(), PATH: `${folder}:${process.env["PATH"] ?? ""}`, ...options.env },
    ...(options.cwd !== undefined && { cwd: options.cwd }),
    timeoutMs: 300_000,
  });
}
