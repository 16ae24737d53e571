/** The contract cases against a real kube-apiserver and the sandbox in one run, response by response. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { clusterMissing } from "../support/cluster.ts";
import { long } from "../support/long.ts";
import type { Case, Result, Table } from "./case.ts";
import { realPauses } from "./real.ts";
import { namespaceOf, readRecording } from "./recording.ts";
import { settledResults } from "./settled.ts";
import { startSideBySide, type SideBySide } from "./side-by-side.ts";
import { tables } from "./tables.ts";

interface TableCase {
  readonly table: Table;
  readonly index: number;
  readonly contractCase: Case;
}

/** The real server's responses to a case. */
async function realResults({ real }: SideBySide, { table, index, contractCase }: TableCase): Promise<Result[]> {
  const expected = (await readRecording(table.name))[contractCase.name] ?? [];
  const pauses = [realPauses(), realPauses(1000), realPauses(4000)];
  return settledResults({
    transport: real.transport,
    contractCase,
    namespace: namespaceOf(table, index),
    expected,
    pauses,
  });
}

const casesOf = (some: readonly Table[]): TableCase[] =>
  some.flatMap((table) =>
    table.cases.flatMap((contractCase, index) =>
      contractCase.differs === undefined ? [{ table, index, contractCase }] : [],
    ),
  );

/** Cases that order times and let seconds pass: all start at once, concurrently with the others. Each has its own namespace. */
const passing = casesOf(tables).filter(
  ({ contractCase: { steps, ordersTimes = false } }) => ordersTimes && steps.some(({ method }) => method === "PASS"),
);

const sentAhead = new Map<Case, Promise<Result[]>>();

/**
 * Sends cases to the real server ahead of the tests, `atOnce` at a time. Most of the time is spent waiting: until a kind is served, or a
 * policy is in force.
 */
function sendAhead(both: SideBySide, cases: readonly TableCase[], atOnce: number): void {
  const waiting = cases.filter(({ contractCase }) => !sentAhead.has(contractCase));
  const free: (() => void)[] = [];
  let running = 0;
  for (const one of waiting) {
    const turn = running++ < atOnce ? Promise.resolve() : new Promise<void>((resolve) => void free.push(resolve));
    const results = turn.then(() => realResults(both, one)).finally(() => free.shift()?.());
    // The failure is reported by the case's own test.
    results.catch(() => undefined);
    sentAhead.set(one.contractCase, results);
  }
}

describe.skipIf(clusterMissing !== undefined)("the contract, on the real server and the sandbox side by side", () => {
  let both: SideBySide;
  beforeAll(async () => {
    both = await startSideBySide();
    sendAhead(both, passing, passing.length);
  });
  afterAll(() => both.stop());

  const testsOf = (table: Table): void => {
    const slow = table.slow === undefined || long ? undefined : `by LONG=1: ${table.slow}`;
    for (const [index, contractCase] of table.cases.entries()) {
      const { name, differs } = contractCase;
      const left = differs === undefined ? slow : `differs: ${differs}`;
      test.skipIf(left !== undefined)(`${table.name}: ${left === undefined ? name : `${name} (${left})`}`, async () => {
        const namespace = namespaceOf(table, index);
        const recorded = (await readRecording(table.name))[name] ?? [];
        const theirs = await (sentAhead.get(contractCase) ?? realResults(both, { table, index, contractCase }));
        expect([...recorded]).toEqual(theirs);
        const { transport, pauses } = both.mine;
        const tries = { transport, contractCase, namespace, expected: theirs, pauses: [pauses, pauses, pauses] };
        expect(await settledResults(tries)).toEqual(theirs);
      });
    }
  };

  for (const table of tables.filter(({ sideBySide = false }) => !sideBySide)) testsOf(table);

  // These run after the others, whose discovery must not contain the kinds of these.
  describe("side by side", () => {
    const apart = tables.filter(({ sideBySide = false }) => sideBySide);
    beforeAll(() => {
      sendAhead(both, casesOf(apart.filter(({ slow }) => slow === undefined || long)), 8);
    });
    for (const table of apart) testsOf(table);
  });
});
