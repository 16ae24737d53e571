/** The contract cases against a real kube-apiserver and the sandbox in one run, answer by answer. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Transport } from "../../src/api/transport.ts";
import { seededRandom } from "../../src/platform/random.ts";
import { realTimeline } from "../../src/platform/real-timeline.ts";
import { createSandbox } from "../../src/sandbox/sandbox.ts";
import { type Cluster, clusterMissing, startCluster } from "../support/cluster.ts";
import { namespaceOf, readRecording } from "./recording.ts";
import { realTransport } from "./real.ts";
import { runCase } from "./run.ts";
import { tables } from "./tables.ts";

/** How long kube-apiserver's own caches may take to know what was written. */
const settleMs = 200;

describe.skipIf(clusterMissing !== undefined)("the contract, real and sandbox side by side", () => {
  let cluster: Cluster;
  let real: Transport;
  let mine: Transport;
  beforeAll(async () => {
    cluster = await startCluster();
    real = realTransport(cluster.url, cluster.token);
    const sandbox = await createSandbox({
      timeline: realTimeline(),
      random: seededRandom(1),
      defaultServiceAccounts: false,
    });
    mine = sandbox.transport({ actor: "contract" });
  }, 120_000);
  afterAll(() => cluster.stop());

  for (const table of tables) {
    for (const [index, contractCase] of table.cases.entries()) {
      const { name, differs } = contractCase;
      test.skipIf(differs !== undefined)(
        `${table.name}: ${differs === undefined ? name : `${name} (differs: ${differs})`}`,
        async () => {
          const namespace = namespaceOf(table, index);
          const theirs = await runCase(real, contractCase, namespace, () => Bun.sleep(settleMs));
          expect([...((await readRecording(table.name))[name] ?? [])]).toEqual(theirs);
          expect(await runCase(mine, contractCase, namespace)).toEqual(theirs);
        },
        20_000,
      );
    }
  }
});
