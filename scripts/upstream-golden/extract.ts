/**
 * Generates the golden tables of whole controllers with Kubernetes' own functions: `bun scripts/upstream-golden/extract.ts [TABLE...]`, all of
 * them by default.
 *
 * - `cronjob`: `test/controllers/cronjob/golden-year.json`, a year of CronJobs in zones with daylight saving.
 * - `job`: `test/controllers/job/golden-backoff.json`, how long Jobs and their indexes wait after failures.
 * - `autoscaler`: `test/controllers/horizontal-pod-autoscaler/golden/`, single calculations, sequences of limits, days of load.
 * - `endpointslice`: `test/controllers/endpointslice/golden/`, which slices are written, the order of ports, hints by zones.
 * - `endpoints`: `test/controllers/endpoints/golden/`, how subsets are packed, and which addresses are left out if there are too many.
 */
import { join } from "node:path";
import { periods } from "../../test/controllers/cronjob/year-plans.ts";
import { runInside } from "./inside.ts";

const top = join(import.meta.dir, "..", "..");

async function write(file: string, text: string): Promise<void> {
  await Bun.write(join(top, "test/controllers", file), `${text}\n`);
  console.log(file);
}

const pretty = (table: object): string => JSON.stringify(table, undefined, 2);

/** One line per entry, so a change to one shows as one line in a diff. */
const lines = (entries: readonly object[]): string => `[\n${entries.map((one) => JSON.stringify(one)).join(",\n")}\n]`;

async function cronjob(): Promise<void> {
  const outcomes: [string, object][] = [];
  for (const [name, input] of Object.entries(periods)) {
    const test = join(import.meta.dir, "cronjob/year_test.go");
    outcomes.push([name, await runInside<readonly object[]>({ package: "pkg/controller/cronjob", test, input })]);
  }
  await write("cronjob/golden-year.json", pretty(Object.fromEntries(outcomes)));
}

async function job(): Promise<void> {
  const backoffs = await runInside<object>({
    package: "pkg/controller/job",
    test: join(import.meta.dir, "job/backoff_test.go"),
    input: { seed: 1, jobs: 60, indexes: 120, failures: 12, takes: 3 },
  });
  await write("job/golden-backoff.json", pretty(backoffs));
}

async function autoscaler(): Promise<void> {
  const { replicas, limits, days } = await runInside<
    Readonly<Record<"replicas" | "limits" | "days", readonly object[]>>
  >({
    package: "pkg/controller/podautoscaler",
    test: join(import.meta.dir, "autoscaler/golden_test.go"),
    input: { replicas: 3000, limits: 400 },
  });
  const folder = "horizontal-pod-autoscaler/golden";
  await write(`${folder}/replicas.json`, lines(replicas));
  await write(`${folder}/limits.json`, lines(limits));
  await write(`${folder}/days.json`, lines(days));
}

async function endpointslice(): Promise<void> {
  const { placements, ports, zones } = await runInside<
    Readonly<Record<"placements" | "ports" | "zones", readonly object[]>>
  >({
    module: "k8s.io/endpointslice",
    package: "",
    test: join(import.meta.dir, "endpointslice/golden_test.go"),
    input: { placements: 160, ports: 60, zones: 100 },
  });
  const folder = "endpointslice/golden";
  await write(`${folder}/placements.json`, lines(placements));
  await write(`${folder}/ports.json`, lines(ports));
  await write(`${folder}/zones.json`, lines(zones));
}

async function endpoints(): Promise<void> {
  const { packed, truncated } = await runInside<Readonly<Record<"packed" | "truncated", readonly object[]>>>({
    package: "pkg/controller/endpoint",
    test: join(import.meta.dir, "endpoints/golden_test.go"),
    input: { packed: 150, truncated: 100 },
  });
  await write("endpoints/golden/packed.json", lines(packed));
  await write("endpoints/golden/truncated.json", lines(truncated));
}

const tables: Readonly<Record<string, () => Promise<void>>> = { cronjob, job, autoscaler, endpointslice, endpoints };
const requested = process.argv.slice(2);
for (const name of requested.length === 0 ? Object.keys(tables) : requested) {
  const make = tables[name];
  if (make === undefined) throw new Error(`${name} is not a table: ${Object.keys(tables).join(", ")}`);
  await make();
}
