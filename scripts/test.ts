/**
 * `npm test`: the gate (scripts/check.ts), the compiled binary, all tests. Its last line on standard output is
 * `N passed, N failed, N skipped`; exits 1 if any failed, or if no test ran.
 *
 * `npm test -- PART...` runs only the files whose path contains one of the parts, without the gate.
 * Files that start a cluster run in parallel, six at a time on two processors: they mostly wait. LANES=N sets another number.
 * CONTROL_PLANE=required: a missing control plane that cannot be built is a failure. Otherwise the tests that need one are skipped in that
 * case. LONG=1 (`npm run long`): more seeds, more steps.
 */
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { runBunTests, signalBunTests } from "./bun-tests.ts";
import { buildControlPlane, clusterBinaries, controllerBinaries, missingFor } from "./control-plane.ts";
import type { TestResult } from "./junit.ts";

const top = join(import.meta.dir, "..");
const minute = 60_000;
const long = process.env["LONG"] === "1";
const required = process.env["CONTROL_PLANE"] === "required";

const results: TestResult[] = [];
/** What differed in the first run of a differential script and not in later ones. */
const byChance: string[] = [];

/** A step that counts as one result: a separate line, with its output if it failed. */
function report(step: TestResult, ms: number, output = ""): void {
  results.push(step);
  const mark = { passed: "ok     ", failed: "FAILED ", skipped: "skipped" }[step.outcome];
  console.log(`${mark} ${step.file}${step.name === "" ? "" : `: ${step.name}`}  ${seconds(ms)}`);
  if (step.outcome === "failed" && output !== "") console.log(output);
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`;
}

/** Runs a script of this folder; each line that begins with `ok` or `FAILED` is a separate result. */
async function gate(): Promise<void> {
  const start = performance.now();
  const run = Bun.spawn([process.execPath, join(import.meta.dir, "check.ts")], { stdout: "pipe", stderr: "pipe" });
  const [out, err, code] = await Promise.all([
    new Response(run.stdout).text(),
    new Response(run.stderr).text(),
    run.exited,
  ]);
  const lines = out.split("\n");
  const findings = `${err}${lines.filter((line) => !/^(ok|FAILED) /.test(line)).join("\n")}`;
  const steps = lines.flatMap((line) => /^(ok|FAILED) +(.*)$/.exec(line)?.slice(1) ?? []);
  for (let i = 0; i + 1 < steps.length; i += 2) {
    const outcome = steps[i] === "ok" ? "passed" : "failed";
    report({ file: "check", name: steps[i + 1] ?? "", outcome }, performance.now() - start, findings);
  }
  if (steps.length === 0) report({ file: "check", name: "", outcome: code === 0 ? "passed" : "failed" }, 0, findings);
}

async function buildBinary(): Promise<void> {
  const start = performance.now();
  const run = Bun.spawn([process.execPath, join(import.meta.dir, "build.ts")], { stdout: "pipe", stderr: "pipe" });
  const output = (await Promise.all([new Response(run.stdout).text(), new Response(run.stderr).text()])).join("");
  const outcome = (await run.exited) === 0 ? "passed" : "failed";
  report({ file: "build", name: "dist/kubectl-reconcile", outcome }, performance.now() - start, output);
}

/** Returns why tests that need a control plane are skipped; undefined if they run. */
async function controlPlane(): Promise<string | undefined> {
  const all = [...clusterBinaries, ...controllerBinaries];
  if (missingFor(all) === undefined) return undefined;
  const start = performance.now();
  const built = await buildControlPlane();
  const why = built.is === "failed" ? built.why : missingFor(all);
  if (why === undefined) return undefined;
  const partly = missingFor(clusterBinaries) === undefined ? "only kube-apiserver is there" : "it is not there";
  const reason = `no control plane: ${partly}, and it cannot be built (${why})`;
  const outcome = required ? "failed" : "skipped";
  if (required) report({ file: "control plane", name: "", outcome }, performance.now() - start, reason);
  return reason;
}

interface TestGroup {
  readonly title: string;
  readonly files: readonly string[];
  /** For one test that sets no limit itself: an upper bound, far above what it takes on a busy machine. */
  readonly testTimeoutMs: number;
  /** For the whole group. Both are ten times as long in the long form. */
  readonly timeoutMs: number;
}

/** For the control planes: memory is plentiful, and Go's collector then takes a fifth less of kube-apiserver's processor time. */
const goSettings = { GOGC: "400" };

async function bunTests({ title, files, testTimeoutMs, timeoutMs }: TestGroup): Promise<void> {
  if (files.length === 0) return;
  const times = long ? 10 : 1;
  const run = await runBunTests({
    files,
    env: goSettings,
    testTimeoutMs: times * testTimeoutMs,
    timeoutMs: times * timeoutMs,
  });
  results.push(...run.results);
  byChance.push(...[...run.output.matchAll(/^by chance: (.*)$/gm)].map(([, what = ""]) => what));
  const failed = run.results.some(({ outcome }) => outcome === "failed");
  console.log(
    `${failed ? "FAILED " : "ok     "} ${title}  ${counted(run.results)}  ${seconds(run.ms)}, ${seconds(run.processorMs)} of processor time`,
  );
  if (failed) console.log(run.output);
}

function counted(some: readonly TestResult[]): string {
  const count = (outcome: TestResult["outcome"]): number => some.filter((result) => result.outcome === outcome).length;
  return `${count("passed")} passed, ${count("failed")} failed, ${count("skipped")} skipped`;
}

/** Repeats what failed and what was skipped at the end, where a reader looks. */
function lastScreen(noControlPlane: string | undefined): void {
  const failed = results.filter(({ outcome }) => outcome === "failed");
  if (failed.length > 0) console.log("\nfailed:");
  for (const { file, name } of failed) console.log(`  ${file}${name === "" ? "" : `: ${name}`}`);
  const skipped = results.filter(({ outcome }) => outcome === "skipped");
  if (skipped.length > 0) console.log("\nskipped:");
  for (const file of new Set(skipped.map((result) => result.file))) {
    const here = skipped.filter((result) => result.file === file);
    const why = file.endsWith(".cluster.test.ts") ? noControlPlane : undefined;
    if (why === undefined) for (const line of byReason(here)) console.log(`  ${line}`);
    else console.log(`  ${here.length} of ${file}: ${why}`);
  }
  if (noControlPlane !== undefined && !required) {
    console.log("  with Go, or with KUBEBUILDER_ASSETS set, these run too; CONTROL_PLANE=required makes it a failure");
  }
  if (byChance.length > 0) console.log("\nby chance, and not again:");
  for (const what of byChance) console.log(`  ${what.length > 240 ? `${what.slice(0, 240)}…` : what}`);
  if (results.length === 0) console.log("\nno test was run");
  console.log(`\n${counted(results)}`);
}

/** Skipped tests, one line per reason: it is in brackets at the end of their names. */
function byReason(skipped: readonly TestResult[]): string[] {
  const groups = Map.groupBy(skipped, ({ name }) => / \(([^()]*)\)$/.exec(name)?.[1] ?? "");
  return [...groups].flatMap(([reason, tests]) => {
    const [first] = tests;
    if (reason === "" || tests.length === 1) return tests.map(({ file, name }) => `${file}: ${name}`);
    return [`${tests.length} of ${first?.file}: ${reason}`];
  });
}

/** Runs the tasks in order, `lanes` at a time. */
async function inLanes(tasks: readonly (() => Promise<void>)[], lanes: number): Promise<void> {
  const waiting = [...tasks];
  const lane = async (): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) await next();
  };
  await Promise.all(Array.from({ length: lanes }, lane));
}

/** LANES from the environment, otherwise the number of processors plus four, at most six. */
function laneCount(): number {
  const requested = process.env["LANES"];
  if (requested === undefined) return Math.min(6, availableParallelism() + 4);
  if (/^[1-9]$/.test(requested)) return Number(requested);
  console.error(`error: LANES is ${JSON.stringify(requested)}: must be 1 to 9`);
  process.exit(2);
}

process.on("SIGTERM", () => {
  signalBunTests("SIGTERM");
  console.error("ended by SIGTERM");
  process.exit(143);
});

const parts = process.argv.slice(2);
const lanes = laneCount();
const files = [...new Bun.Glob("test/**/*.test.ts").scanSync(top)]
  .filter((file) => parts.length === 0 || parts.some((part) => file.includes(part)))
  .sort();
const isCluster = (file: string): boolean => file.endsWith(".cluster.test.ts");

if (parts.length === 0) await buildBinary();
const alone = files.filter((file) => !isCluster(file));
const noControlPlane = files.some(isCluster) ? await controlPlane() : undefined;
// Each file in a separate process: a cluster that hangs affects only one file.
const clusterGroups = files.filter(isCluster).map((file) => ({
  title: file,
  files: [file],
  testTimeoutMs: 10 * minute,
  timeoutMs: 20 * minute,
}));
// In several processes, which together take about as long as all others: a single one would be the last to end.
const shares = Math.ceil(Math.min(3, alone.length / 50));
const aloneGroups = Array.from({ length: shares }, (_, share) => ({
  title: shares === 1 ? "tests" : `tests, part ${share + 1} of ${shares}`,
  files: alone.filter((_, index) => index % shares === share),
  testTimeoutMs: 10 * minute,
  timeoutMs: 40 * minute,
}));
const groups = [...aloneGroups, ...clusterGroups];
await inLanes([...(parts.length === 0 ? [gate] : []), ...groups.map((group) => () => bunTests(group))], lanes);
lastScreen(noControlPlane);
process.exit(results.length === 0 || results.some(({ outcome }) => outcome === "failed") ? 1 : 0);
