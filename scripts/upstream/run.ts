/** Runs one of upstream's integration tests in a separate process. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { controlPlaneFolder } from "../control-plane.ts";
import { packageFolder, testBinary } from "./build.ts";

/** A finished test. */
export interface Outcome {
  readonly is: "passed" | "failed" | "skipped";
  /** Its cases, or the test itself if it has none. */
  readonly passed: number;
  readonly cases: number;
  readonly seconds: number;
  /** Everything that it printed. */
  readonly output: string;
}

/** What runs and where its tests are. */
export interface RunOptions {
  /** The folder that `buildTests` built. */
  readonly tests: string;
  /** Runs the controllers; empty for Kubernetes' own, in the process of the test. */
  readonly program: string;
  /** The program is ours: a controller that a test configures runs from the sources. */
  readonly isOwn: boolean;
}

function here(file: string): string {
  return join(import.meta.dir, file);
}

/** The names of the tests of a package, in the order of its files. */
export async function testNames(tests: string, packageName: string): Promise<string[]> {
  const run = Bun.spawn([testBinary(tests, packageName), "-test.list", "."], {
    cwd: packageFolder(tests, packageName),
    env: environment({ tests, program: "", isOwn: false }, tmpdir()),
    stdin: "ignore",
    stdout: "pipe",
    stderr: "ignore",
  });
  const out = await new Response(run.stdout).text();
  return out.split("\n").filter((line) => /^Test\w/.test(line));
}

/** A test has ten minutes; its process then waits up to ten more for goroutines to finish (framework/goleak.go). */
const processTimeoutMs = 21 * 60_000;

/** Runs a test. One that takes more than ten minutes fails. */
export async function runTest(packageName: string, test: string, options: RunOptions): Promise<Outcome> {
  const { tests } = options;
  const scratch = mkdtempSync(join(tmpdir(), "upstream-"));
  const start = Date.now();
  try {
    const run = Bun.spawn(
      [testBinary(tests, packageName), "-test.run", `^${test}$`, "-test.v", "-test.timeout", "10m"],
      {
        cwd: packageFolder(tests, packageName),
        env: environment(options, scratch),
        stdin: "ignore",
        stdout: "pipe",
        stderr: "pipe",
        timeout: processTimeoutMs,
      },
    );
    const [out, err] = await Promise.all([new Response(run.stdout).text(), new Response(run.stderr).text()]);
    const code = await run.exited;
    return { ...outcomeOf(out, test, code), seconds: (Date.now() - start) / 1000, output: `${out}\n${err}` };
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

/** Reads the results that `-test.v` prints: `--- PASS: Test/case (1.00s)`. Of nested cases, the innermost count. */
export function outcomeOf(out: string, test: string, code: number): Pick<Outcome, "is" | "passed" | "cases"> {
  const results = new Map<string, string>();
  for (const [, result = "", name = ""] of out.matchAll(/^\s*--- (PASS|FAIL|SKIP): (\S+) \(/gm))
    results.set(name, result);
  const names = [...results.keys()];
  const leaves = names.filter((name) => !names.some((other) => other.startsWith(`${name}/`)));
  const passed = leaves.filter((name) => results.get(name) === "PASS").length;
  if (results.get(test) === "SKIP" && code === 0) return { is: "skipped", passed: 0, cases: 0 };
  const is = results.get(test) === "PASS" && code === 0 ? "passed" : "failed";
  return { is, passed, cases: Math.max(1, leaves.length) };
}

/**
 * The tests look for etcd in PATH and put its data below TMPDIR. TEST_SRCDIR and TEST_WORKSPACE point them to files beside their sources if
 * a binary does not know its folder (cmd/kube-apiserver/app/testing/testserver.go pkgPath).
 */
function environment({ program, tests, isOwn }: RunOptions, scratch: string): Record<string, string | undefined> {
  const path = `${controlPlaneFolder()}:${process.env["PATH"] ?? ""}`;
  const sources = { TEST_SRCDIR: tests, TEST_WORKSPACE: "." };
  const configured = isOwn
    ? { KUBECTL_RECONCILE_CONFIGURED: here("configured.ts"), KUBECTL_RECONCILE_FROM_SOURCES: here("from-sources.sh") }
    : {};
  return { ...process.env, ...sources, ...configured, PATH: path, TMPDIR: scratch, KUBECTL_RECONCILE: program };
}
