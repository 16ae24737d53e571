/**
 * `npm run upstream`: Kubernetes' own integration tests of ReplicaSet, Deployment, DaemonSet, garbage collector, Namespace and others,
 * their functions unchanged, with our program instead of the controllers in Go (`upstream/README.md`).
 *
 *     npm run upstream                            all of them; about 20 minutes, 15 more the first time
 *     npm run upstream -- deployment namespace/TestNamespaceCondition
 *     npm run upstream -- --program upstream      with the controllers in Go, to compare
 *     npm run upstream -- --program scripts/upstream/idle.sh      can they fail?
 */
import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { buildControlPlane } from "./control-plane.ts";
import { buildTests, copySources } from "./upstream/build.ts";
import { runTest, testNames } from "./upstream/run.ts";
import { followsFromGate, packages } from "./upstream/tests.ts";

const { values, positionals } = parseArgs({
  options: { program: { type: "string" }, verbose: { type: "boolean", default: false } },
  allowPositionals: true,
});

/** The table's row of a package. */
interface Row {
  passed: number;
  failed: number;
  skipped: number;
  gate: number;
  cases: number;
  passedCases: number;
  seconds: number;
}

function fail(message: string): never {
  console.error(`error: ${message}`);
  process.exit(2);
}

function programPath(): string {
  if (values.program === "upstream") return "";
  // The tests run in separate folders.
  const path = resolve(values.program ?? join(import.meta.dir, "..", "dist", "kubectl-reconcile"));
  return existsSync(path) ? path : fail(`${path} does not exist: run \`npm run build\` first`);
}

/** Whether `positionals` name a test of the package; without any, all tests run. */
function isSelected(packageName: string): boolean {
  return positionals.length === 0 || positionals.some((selector) => selector.split("/")[0] === packageName);
}

/** The same for one of its tests. */
function isTestSelected(packageName: string, test: string): boolean {
  return (
    positionals.length === 0 || positionals.includes(packageName) || positionals.includes(`${packageName}/${test}`)
  );
}

const program = programPath();
const names = packages.map(({ name }) => name);
const stranger = positionals.find((selector) => !names.includes(selector.split("/")[0] ?? ""));
if (stranger !== undefined) fail(`no package ${stranger}: there are ${names.join(", ")}, or PACKAGE/TEST`);
const controlPlane = await buildControlPlane();
if (controlPlane.is === "failed") fail(controlPlane.why);
const copied = await copySources();
if (copied.is === "failed") fail(copied.why);
const tests = copied.folder;

const rows = new Map<string, Row>();
for (const { name: packageName, only } of packages) {
  if (!isSelected(packageName)) continue;
  const built = await buildTests(tests, packageName);
  if (built.is === "failed") fail(built.why);
  const row: Row = { passed: 0, failed: 0, skipped: 0, gate: 0, cases: 0, passedCases: 0, seconds: 0 };
  for (const test of only ?? (await testNames(tests, packageName))) {
    if (!isTestSelected(packageName, test)) continue;
    const name = `${packageName}/${test}`;
    const outcome = await runTest(packageName, test, { tests, program, isOwn: values.program === undefined });
    const gate = outcome.is === "failed" && program !== "" && followsFromGate(name, outcome.output);
    console.log(`${gate ? "gate" : outcome.is}  ${name}  ${outcome.seconds.toFixed(1)} s`);
    if ((outcome.is === "failed" && !gate) || values.verbose) console.log(outcome.output);
    row.seconds += outcome.seconds;
    if (gate) row.gate++;
    else row[outcome.is]++;
    if (gate || outcome.is === "skipped") continue;
    row.cases += outcome.cases;
    row.passedCases += outcome.passed;
  }
  if (row.seconds > 0) rows.set(packageName, row);
}
if (rows.size === 0) fail(`no test of that name: ${positionals.join(" ")}`);

const columns = ["passed", "failed", "skipped", "gate"] as const;
console.log(`\n${"package".padEnd(24)}passed  failed  skipped  gate  cases    seconds`);
const widths = [6, 8, 9, 6];
for (const [name, row] of rows) {
  const counts = columns.map((column, index) => String(row[column]).padStart(widths[index] ?? 0)).join("");
  console.log(
    `${name.padEnd(24)}${counts}  ${`${row.passedCases} of ${row.cases}`.padEnd(9)}${row.seconds.toFixed(0).padStart(7)}`,
  );
}
const failed = [...rows.values()].reduce((sum, row) => sum + row.failed, 0);
process.exit(failed > 0 ? 1 : 0);
