/**
 * Generates `test/api/cron/golden.json` with robfig/cron itself, as kube-controller-manager uses it: `bun scripts/cron/extract.ts`.
 */
import { join } from "node:path";

const top = join(import.meta.dir, "..", "..");

const run = Bun.spawnSync(["go", "run", join(import.meta.dir, "go", "main.go")], {
  cwd: join(top, "scripts", "control-plane", "kubernetes"),
  env: { ...process.env, TZ: "" },
  stdio: ["ignore", "pipe", "inherit"],
});
if (run.exitCode !== 0) throw new Error("Cannot ask robfig/cron: see above");
const golden = JSON.parse(run.stdout.toString()) as readonly object[];
// One line per schedule, so a change to one shows as one line in a diff.
await Bun.write(
  join(top, "test/api/cron/golden.json"),
  `[\n${golden.map((one) => JSON.stringify(one)).join(",\n")}\n]\n`,
);
console.log(`${golden.length} schedules`);
