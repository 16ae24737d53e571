/** The compiled program, built once for a process from what is in the work tree now. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

let built: Promise<string> | undefined;

/** The folder with `kubectl-reconcile` and `kubectl_complete-reconcile`: to be put on PATH. Removed when the process ends. */
export function binaryFolder(): Promise<string> {
  built ??= build();
  return built;
}

async function build(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), "binary-"));
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
  const script = join(import.meta.dir, "..", "..", "scripts", "build.ts");
  const run = Bun.spawn([process.execPath, script, "--outdir", folder], { stdout: "ignore", stderr: "pipe" });
  const said = await new Response(run.stderr).text();
  if ((await run.exited) !== 0) throw new Error(`Cannot build the program: ${said}`);
  return folder;
}

export interface ProgramRun {
  readonly stdout: string;
  readonly stderr: string;
  readonly code: number;
}

/** Runs a program of that folder to its end, half a minute at most. */
export async function runBinary(
  args: readonly string[],
  options: { readonly program?: string; readonly env?: Readonly<Record<string, string>>; readonly cwd?: string } = {},
): Promise<ProgramRun> {
  const folder = await binaryFolder();
  const run = Bun.spawn([join(folder, options.program ?? "kubectl-reconcile"), ...args], {
    env: { HOME: tmpdir(), PATH: `${folder}:${process.env["PATH"] ?? ""}`, ...options.env },
    ...(options.cwd !== undefined && { cwd: options.cwd }),
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
    timeout: 30_000,
  });
  const [stdout, stderr, code] = await Promise.all([
    new Response(run.stdout).text(),
    new Response(run.stderr).text(),
    run.exited,
  ]);
  return { stdout, stderr, code };
}
