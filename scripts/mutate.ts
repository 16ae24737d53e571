/**
 * `npm run mutate [ROOM...]`: changes the sources of workqueue, cache, controllers and trace one place at a time and runs their
 * tests: a change that no test notices is a survivor. Exits 1 if a room kills fewer than 90 of 100, or if a survivor has no
 * reason in `mutate/survivors.ts`, or a reason no survivor. Takes about half an hour on two processors.
 *
 * The mutation tester is StrykerJS, with a lock file of its own in `scripts/mutate/`, installed there on the first run.
 */
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { judgeMutants, mutantsOf, type Judged, type MutationReport } from "./mutate/report.ts";
import { mutatedRooms, type MutatedRoom } from "./mutate/rooms.ts";
import { knownSurvivors } from "./mutate/survivors.ts";

const top = join(import.meta.dir, "..");
const home = join(import.meta.dir, "mutate");
const stryker = join(home, "node_modules", "@stryker-mutator", "core", "bin", "stryker.js");
const leastPercent = 90;
const roomTimeoutMs = 90 * 60_000;

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

/** The tester's configuration for a room, as the text of a JSON file. */
function configFor({ sources, tests }: MutatedRoom, folder: string): string {
  const files = tests.flatMap((test) => [...new Bun.Glob(`${test}/**/*.test.ts`).scanSync(top)]);
  const alone = files.filter((file) => !file.endsWith(".cluster.test.ts")).sort();
  return JSON.stringify({
    testRunner: "command",
    commandRunner: { command: ["node_modules/.bin/bun test --bail --timeout 20000", ...alone].join(" ") },
    mutate: sources,
    // The texts of errors and of log lines are read, not tested word by word.
    mutator: { excludedMutations: ["StringLiteral"] },
    reporters: ["json", "progress-append-only"],
    jsonReporter: { fileName: join(folder, "report.json") },
    tempDirName: join(folder, "sandbox"),
    concurrency: 2,
    timeoutMS: 30_000,
    ignorePatterns: ["dist", "scripts/mutate/node_modules"],
    plugins: [],
    checkers: [],
    // Bun needs no configuration of the compiler rewritten for the copy.
    tsconfigFile: "none.json",
    disableTypeChecks: false,
    allowEmpty: true,
  });
}

async function mutate(room: MutatedRoom): Promise<Judged> {
  const folder = mkdtempSync(join(tmpdir(), "mutate-"));
  try {
    const config = join(folder, "stryker.json");
    writeFileSync(config, configFor(room, folder));
    const run = Bun.spawn(["node", stryker, "run", config, "--logLevel", "warn"], {
      cwd: top,
      stdin: "ignore",
      stdout: "inherit",
      stderr: "inherit",
      timeout: roomTimeoutMs,
    });
    const code = await run.exited;
    const report = join(folder, "report.json");
    if (code !== 0 || !existsSync(report)) stop(`the mutation run of ${room.name} ended with exit code ${code}`);
    const found = JSON.parse(readFileSync(report, "utf8")) as MutationReport;
    return judgeMutants(mutantsOf(found), knownSurvivors);
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
    for (const { file, line } of stale) console.log(`\nno survivor any more, remove its reason: ${file}: ${line}`);
  }
}

const asked = process.argv.slice(2);
const unknown = asked.filter((name) => !mutatedRooms.some((room) => room.name === name));
if (unknown.length > 0)
  stop(`there is no room ${unknown.join(", ")}: must be ${mutatedRooms.map(({ name }) => name).join(", ")}`);
await installed();
const results = new Map<string, Judged>();
for (const room of mutatedRooms)
  if (asked.length === 0 || asked.includes(room.name)) results.set(room.name, await mutate(room));
show(results);
const bad = [...results.values()].some(
  ({ percent, unexplained, stale }) => percent < leastPercent || unexplained.length > 0 || stale.length > 0,
);
process.exit(bad ? 1 : 0);
