/** Runs test files with `bun test`, within a time limit, and returns the result of each test. */
import { closeSync, existsSync, mkdtempSync, openSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readJunit, type TestResult } from "./junit.ts";

const top = join(import.meta.dir, "..");

export interface BunTestsOptions {
  /** From the top of the work tree. */
  readonly files: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** For one test, unless it sets its own. */
  readonly testTimeoutMs: number;
  /** For all of them. */
  readonly timeoutMs: number;
}

export interface BunTests {
  readonly results: readonly TestResult[];
  /** What to show of a failed run: everything except the tests that passed. */
  readonly output: string;
  readonly ms: number;
  /** Processor time of the tests and of the programs that they started and waited for. */
  readonly processorMs: number;
}

const running = new Set<Bun.Subprocess>();

/** Sends a signal to the runs in progress. A terminal's Ctrl-C reaches them without this. */
export function signalBunTests(signal: NodeJS.Signals): void {
  for (const run of running) run.kill(signal);
}

/**
 * A run that was terminated, that crashed or that found no test adds one failed result, named after the cause: results never look better
 * than the run.
 */
export async function runBunTests(options: BunTestsOptions): Promise<BunTests> {
  const folder = mkdtempSync(join(tmpdir(), "bun-tests-"));
  const report = join(folder, "junit.xml");
  const log = join(folder, "output");
  const start = performance.now();
  try {
    // A file, not a pipe: a program that a test left behind would keep a pipe open.
    const output = openSync(log, "w");
    const reporter = ["--reporter=junit", `--reporter-outfile=${report}`];
    const timeout = ["--timeout", String(options.testTimeoutMs)];
    const run = Bun.spawn(
      [process.execPath, "test", ...timeout, ...reporter, ...options.files.map((file) => `./${file}`)],
      {
        cwd: top,
        env: { ...process.env, ...options.env },
        stdin: "ignore",
        stdout: output,
        stderr: output,
        timeout: options.timeoutMs,
        killSignal: "SIGKILL",
      },
    );
    running.add(run);
    const code = await run.exited;
    running.delete(run);
    closeSync(output);
    const found = existsSync(report) ? readJunit(readFileSync(report, "utf8")) : [];
    const extra = unexplained(found, code, run.signalCode !== null, options);
    return {
      results: [...found, ...extra],
      output: readFileSync(log, "utf8")
        .replace(/^\((?:pass|skip)\).*\n/gm, "")
        .replace(/^\S+\.test\.ts:\n\n/gm, ""),
      ms: performance.now() - start,
      processorMs: Number(run.resourceUsage()?.cpuTime.total ?? 0) / 1000,
    };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** What went wrong outside any test: an error while a file was loaded, a run that was terminated. */
function unexplained(
  results: readonly TestResult[],
  code: number,
  wasEnded: boolean,
  { files, timeoutMs }: BunTestsOptions,
): TestResult[] {
  const file = files.length === 1 ? (files[0] ?? "") : "bun test";
  const failed = (name: string): TestResult[] => [{ file, name, outcome: "failed" }];
  if (wasEnded) return failed(`was ended by a signal, after ${timeoutMs / 1000} s at most`);
  if (results.length === 0) return failed("ran no test");
  if (code !== 0 && !results.some(({ outcome }) => outcome === "failed")) return failed("broke outside its tests");
  return [];
}
