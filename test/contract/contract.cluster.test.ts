/** The contract cases against a real kube-apiserver and the sandbox in one run, answer by answer. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { clusterMissing } from "../support/cluster.ts";
import { namespaceOf, readRecording } from "./recording.ts";
import { runCase } from "./run.ts";
import { startSideBySide, type SideBySide } from "./side-by-side.ts";
import { tables } from "./tables.ts";

/** How long kube-apiserver's own caches may take to know what was written. */
const settleMs = 200;

describe.skipIf(clusterMissing !== undefined)("the contract, real and sandbox side by side", () => {
  let both: SideBySide;
  beforeAll(async () => {
    both = await startSideBySide();
  }, 120_000);
  afterAll(() => both.stop());

  for (const table of tables) {
    for (const [index, contractCase] of table.cases.entries()) {
      const { name, differs } = contractCase;
      test.skipIf(differs !== undefined)(
        `${table.name}: ${differs === undefined ? name : `${name} (differs: ${differs})`}`,
        async () => {
          const namespace = namespaceOf(table, index);
          const theirs = await runCase(both.real, contractCase, namespace, () => Bun.sleep(settleMs));
          expect([...((await readRecording(table.name))[name] ?? [])]).toEqual(theirs);
          expect(await runCase(both.mine, contractCase, namespace)).toEqual(theirs);
        },
        20_000,
      );
    }
  }
});
