/**
 * `npm run mutate [ROOM...] [--mutate FILE] [--concurrency N]`: changes the sources of workqueue, cache, controllers and trace one place at
 * a time and runs their tests: a change that no test detects is a survivor. Exits 1 if a room kills fewer than 90 of 100, or if a survivor
 * has no reason in `mutate/survivors/`, or a reason no survivor.
 *
 * `--mutate FILE` mutates only this file, or these lines of it (`src/trace/bus.ts:20-30`); the reasons are then not judged stale.
 * `--concurrency`: mutants at a time, by default half the processors. All rooms take about half an hour with one at a time; a group of
 * sources that alone takes longer than half an hour, as on a busy machine, is an error.
 *
 * The mutation tester is StrykerJS, with its own lock file in `scripts/mutate/`, installed there on the first run.
 */
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { judgeMutants, mutantsOf, type Judged, type Mutant, type MutationReport } from "./mutate/report.ts";
import { mutatedRooms, type MutatedGroup } from "./mutate/rooms.ts";
import { knownSurvivors } from "./mutate/survivors.ts";

const top = join(import.meta.dir, "..");
const home = join(import.meta.dir, "mutate");
const stryker = join(home, "node_modules", "@stryker-mutator", "core", "bin", "stryker.js");
const leastPercent = 90;
const groupTimeoutMs = 30 * 60_000;

async function installed(): Promise<void> {
  if (existsSync(stryker)) return;
  console.log("installing the mutation tester in scripts/mutate (once)");
  const install = Bun.spawn(["npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund"], {
    cwd: home,
    stdin: "ignore",
    stdout: "ignore",
    stderr: "inherit",
  });
  if ((await install.exited) !== 0) stop("npm ci in scripts/mutate failed: see above");
}

function stop(why: string): never {
  console.error(`error: ${why}`);
  process.exit(2);
}

function filesOf(globs: readonly string[]): string[] {
  return globs.flatMap((glob) => [...new Bun.Glob(glob).scanSync(top)].sort());
}

/** The tester's configuration for a group, as the text of a JSON file. */
function configFor({ sources, tests }: MutatedGroup, folder: string, concurrency: number): string {
  const alone = filesOf(tests).filter((file) => !file.endsWith(".cluster.test.ts"));
  if (alone.length === 0) stop(`there is no test file ${tests.join(", ")}`);
  return JSON.stringify({
    testRunner: "command",
    commandRunner: { command: ["node_modules/.bin/bun test --bail --timeout 10000", ...alone].join(" ") },
    mutate: sources,
    // The texts of errors and log lines are for readers and not tested word by word.
    mutator: { excludedMutations: ["StringLiteral"] },
    reporters: ["json", "progress-append-only"],
    jsonReporter: { fileName: join(folder, "report.json") },
    tempDirName: join(folder, "sandbox"),
    concurrency,
    timeoutMS: 15_000,
    ignorePatterns: ["dist", "scripts/mutate/node_modules"],
    plugins: [],
    checkers: [],
    // Bun does not need the compiler configuration rewritten for the copy.
    tsconfigFile: "none.json",
    disableTypeChecks: false,
    allowEmpty: true,
  });
}

async function mutate(group: MutatedGroup, concurrency: number): Promise<Mutant[]> {
  const folder = mkdtempSync(join(tmpdir(), "mutate-"));
  try {
    const config = join(folder, "stryker.json");
    writeFileSync(config, configFor(group, folder, concurrency));
    const run = Bun.spawn(["node", stryker, "run", config, "--logLevel", "warn"], {
      cwd: top,
      stdin: "ignore",
      stdout: "inherit",
      stderr: "inherit",
      timeout: groupTimeoutMs,
    });
    const code = await run.exited;
    const report = join(folder, "report.json");
    if (code !== 0 || !existsSync(report))
      stop(`the mutation run of ${group.sources.join(", ")} ended with exit code ${code}`);
    return mutantsOf(JSON.parse(readFileSync(report, "utf8")) as MutationReport);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function show(results: ReadonlyMap<string, Judged>): void {
  console.log("\nroom          mutants  killed  survived  of 100");
  for (const [name, { killed, survived, percent }] of results) {
    const cells = [name.padEnd(12), ...[killed + survived, killed, survived].map((count) => String(count).padStart(8))];
    console.log(`${cells.join("")}${String(percent).padStart(8)}`);
  }
  for (const { unexplained, stale } of results.values()) {
    for (const { file, lineNumber, line, replacement, mutator } of unexplained)
      console.log(`\nsurvived: ${file}:${lineNumber} (${mutator})\n  - ${line}\n  + … ${replacement} …`);
    for (const { file, line, replacement } of stale)
      console.log(`\nno survivor any more, remove its reason: ${file}: ${line}\n  + … ${replacement} …`);
  }
}

const { values, positionals: selectedRooms } = parseArgs({
  allowPositionals: true,
  options: { mutate: { type: "string" }, concurrency: { type: "string" } },
});
const concurrency = Number(values.concurrency ?? Math.max(1, Math.floor(availableParallelism() / 2)));
if (!Number.isInteger(concurrency) || concurrency < 1) stop("--concurrency must be a whole number from 1");
const unknown = selectedRooms.filter((name) => !mutatedRooms.some((room) => room.name === name));
if (unknown.length > 0)
  stop(`there is no room ${unknown.join(", ")}: must be ${mutatedRooms.map(({ name }) => name).join(", ")}`);
const only = values.mutate;

/** The groups to run; with `--mutate` the one that contains the file, narrowed to it. */
function chosen(groups: readonly MutatedGroup[]): readonly MutatedGroup[] {
  if (only === undefined) return groups;
  const [file = ""] = only.split(":");
  const holding = groups.filter(({ sources }) => filesOf(sources).includes(file));
  return holding.map((group) => ({ ...group, sources: [only] }));
}

await installed();
const results = new Map<string, Judged>();
for (const { name, groups } of mutatedRooms) {
  if (selectedRooms.length > 0 && !selectedRooms.includes(name)) continue;
  const mutants: Mutant[] = [];
  for (const group of chosen(groups)) mutants.push(...(await mutate(group, concurrency)));
  if (mutants.length === 0) continue;
  const judged = judgeMutants(mutants, knownSurvivors);
  results.set(name, only === undefined ? judged : { ...judged, stale: [] });
}
if (results.size === 0) stop(`no room mutates ${only}`);
show(results);
const bad = [...results.values()].some(
  ({ percent, unexplained, stale }) => percent < leastPercent || unexplained.length > 0 || stale.length > 0,
);
process.exit(bad ? 1 : 0);
