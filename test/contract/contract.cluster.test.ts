/** The contract cases against a real kube-apiserver and the sandbox in one run, answer by answer. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { clusterMissing } from "../support/cluster.ts";
import { namespaceOf, readRecording } from "./recording.ts";
import { runCase } from "./run.ts";
import { startSideBySide, type SideBySide } from "./side-by-side.ts";
import { tables } from "./tables.ts";

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
          const theirs = await runCase(both.real.transport, contractCase, namespace, both.real.pauses);
          expect([...((await readRecording(table.name))[name] ?? [])]).toEqual(theirs);
          expect(await runCase(both.mine.transport, contractCase, namespace, both.mine.pauses)).toEqual(theirs);
        },
        20_000,
      );
    }
  }
});
