/** Records the responses of a real kube-apiserver to contract cases: `bun test/contract/record.ts [TABLE...]`, all tables by default. */
import { startCluster } from "../support/cluster.ts";
import { namespaceOf, recordingPath } from "./recording.ts";
import { realPauses, realTransport } from "./real.ts";
import { runCase } from "./run.ts";
import { tables } from "./tables.ts";

const names = process.argv.slice(2);
const chosen = tables.filter(({ name }) => names.length === 0 || names.includes(name));

/** Long enough for the server's caches to contain all writes before the next response is recorded. */
const pauses = realPauses(1000);
const cluster = await startCluster();
try {
  const transport = realTransport(cluster.url, cluster.token);
  for (const table of chosen) {
    const cases: Record<string, unknown> = {};
    for (const [index, contractCase] of table.cases.entries()) {
      // The responses are not compared with anything and can differ between runs.
      if (contractCase.differs !== undefined) continue;
      cases[contractCase.name] = await runCase(transport, contractCase, namespaceOf(table, index), pauses);
    }
    const lines = Object.entries(cases).map(([name, results]) => `${JSON.stringify(name)}: ${JSON.stringify(results)}`);
    await Bun.write(recordingPath(table.name), `{\n${lines.join(",\n")}\n}\n`);
    console.log(`${table.name}: ${lines.length} cases`);
  }
} finally {
  await cluster.stop();
}
