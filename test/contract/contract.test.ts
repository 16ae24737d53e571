/**
 * The sandbox compared with the recorded responses of a real kube-apiserver 1.36.3, for every case of every table. `bun
 * test/contract/record.ts` makes the recordings, and contract.cluster.test.ts compares them with a running server.
 */
import { describe, expect, test } from "bun:test";
import { namespaceOf, readRecording } from "./recording.ts";
import { settledResults } from "./settled.ts";
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
        const run = { transport, contractCase, namespace: namespaceOf(table, index), expected, pauses: tries };
        expect(await settledResults(run)).toEqual([...expected]);
      });
    }
  });
}
