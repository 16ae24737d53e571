/**
 * The sandbox against what a real kube-apiserver 1.36.3 answered: every case of every table. The recordings are made by
 * `bun test/contract/record.ts`, and compared with a running one by contract.cluster.test.ts.
 */
import { describe, expect, test } from "bun:test";
import { namespaceOf, readRecording } from "./recording.ts";
import { settledAnswers } from "./settled.ts";
import { bareSandbox } from "./side-by-side.ts";
import { tables } from "./tables.ts";

const { transport, pauses } = await bareSandbox();

for (const table of tables) {
  const recorded = await readRecording(table.name);
  describe(`${table.name}, as on the real API server`, () => {
    for (const [index, contractCase] of table.cases.entries()) {
      const { name, differs } = contractCase;
      test.skipIf(differs !== undefined)(differs === undefined ? name : `${name} (differs: ${differs})`, async () => {
        const expected = recorded[name] ?? [];
        const tries = [pauses, pauses, pauses];
        const asked = { transport, contractCase, namespace: namespaceOf(table, index), expected, pauses: tries };
        expect(await settledAnswers(asked)).toEqual([...expected]);
      });
    }
  });
}
