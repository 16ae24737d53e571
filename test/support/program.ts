/** Programs that a test runs to their end. */

export interface ProgramRun {
  readonly stdout: string;
  readonly stderr: string;
  readonly code: number;
}

export interface ProgramOptions {
  readonly timeoutMs: number;
  /** Instead of this process's own. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly cwd?: string;
  readonly stdin?: string;
}

/** Runs a program to its end; it is killed after `timeoutMs`. */
export async function runProgram(command: readonly string[], options: ProgramOptions): Promise<ProgramRun> {
  const run = Bun.spawn([...command], {
    ...(options.env !== undefined && { env: options.env }),
    ...(options.cwd !== undefined && { cwd: options.cwd }),
    stdin: options.stdin === undefined ? "ignore" : new Blob([options.stdin]),
    stdout: "pipe",
    stderr: "pipe",
    timeout: options.timeoutMs,
  });
  const [stdout, stderr, code] = await Promise.all([
    new Response(run.stdout).text(),
    new Response(run.stderr).text(),
    run.exited,
  ]);
  return { stdout, stderr, code };
}
