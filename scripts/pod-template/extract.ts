/**
 * Generates `src/controller/workload/pod-template/go-types.json` and `test/controller/workload/pod-template/golden.json` from the Go types of
 * k8s.io/api and kube-controller-manager's own hash function: `bun scripts/pod-template/extract.ts`.
 */
import { join } from "node:path";
import type { GoTypes } from "../../src/controller/workload/pod-template/go-types.ts";

const top = join(import.meta.dir, "..", "..");

const run = Bun.spawnSync(["go", "run", join(import.meta.dir, "go", "main.go")], {
  cwd: join(top, "scripts", "control-plane", "kubernetes"),
  env: { ...process.env, TZ: "" },
  stdio: ["ignore", "pipe", "inherit"],
});
if (run.exitCode !== 0) throw new Error("Cannot read the Go types: see above");
const { golden, ...types } = JSON.parse(run.stdout.toString()) as GoTypes & { readonly golden: readonly object[] };

await Bun.write(join(top, "src/controller/workload/pod-template/go-types.json"), `${JSON.stringify(types)}\n`);
// One line per template, so a change to one shows as one line in a diff.
const lines = golden.map((one) => JSON.stringify(one)).join(",\n");
await Bun.write(join(top, "test/controller/workload/pod-template/golden.json"), `[\n${lines}\n]\n`);
console.log(`${Object.keys(types.structs).length} structs, ${golden.length} templates with their hashes`);
