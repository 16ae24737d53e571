/**
 * `npm run under-load -- [RUNS [LOOPS]]`: all tests, five times by default, one run after the other, alongside four endless loops, or LOOPS
 * if the machine has other work. No test may depend on the machine's speed. Each run's output goes to a separate file; a line per run is
 * printed, with the load during it. Stops at the first run that fails, and exits 1.
 */
import { mkdtempSync } from "node:fs";
import { loadavg, tmpdir } from "node:os";
import { join } from "node:path";

/** Together with the tests' own programs, a load of 14 to 16 on two cores. */
const usualLoops = 4;
const sampleEveryMs = 10_000;

/** The integer given as argument `at`; exits with 2 if it is not one or is below `least`. */
function count(at: number, { usual, least }: { usual: number; least: number }): number {
  const given = process.argv[at];
  const number = given === undefined ? usual : Number(given);
  if (Number.isInteger(number) && number >= least) return number;
  console.error(
    `error: ${given} is not a whole number of at least ${least}; usage: npm run under-load -- [RUNS [LOOPS]]`,
  );
  process.exit(2);
}

const runs = count(2, { usual: 5, least: 1 });
const loops = count(3, { usual: usualLoops, least: 0 });
const folder = mkdtempSync(join(tmpdir(), "under-load-"));
/** Counts to a million, again and again, until this process has ended or was killed. */
const loop = 'while kill -0 "$0" 2>&-; do i=0; while [ $i -lt 1000000 ]; do i=$((i + 1)); done; done';
const busy = Array.from({ length: loops }, () =>
  Bun.spawn(["sh", "-c", loop, String(process.pid)], { stdin: "ignore" }),
);
let green = 0;
try {
  for (let run = 1; run <= runs; run++) {
    const output = join(folder, `${run}.log`);
    const samples: number[] = [];
    const sampling = setInterval(() => samples.push(loadavg()[0] ?? 0), sampleEveryMs);
    const started = performance.now();
    const tests = Bun.spawn([process.execPath, join(import.meta.dir, "test.ts")], {
      stdin: "ignore",
      stdout: Bun.file(output),
      stderr: "inherit",
      env: { ...process.env, NO_COLOR: "1" },
    });
    const passOn = (): void => tests.kill("SIGTERM");
    process.once("SIGTERM", passOn);
    const code = await tests.exited;
    process.off("SIGTERM", passOn);
    clearInterval(sampling);
    const seconds = Math.round((performance.now() - started) / 1000);
    const load = samples.reduce((sum, one) => sum + one, 0) / Math.max(1, samples.length);
    const counts =
      (await Bun.file(output).text()).match(/^\d+ passed, \d+ failed, \d+ skipped$/gm)?.at(-1) ?? "no summary";
    console.log(`run ${run}  ${counts}  ${seconds} s  load ${load.toFixed(1)}  ${output}`);
    if (code !== 0) break;
    green++;
  }
} finally {
  for (const each of busy) each.kill("SIGKILL");
}
console.log(`${green} of ${runs} green${green === runs ? "" : `, then run ${green + 1} failed`}`);
process.exit(green === runs ? 0 : 1);
