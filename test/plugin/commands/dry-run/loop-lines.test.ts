/** What is printed about a run that never becomes steady. */
import { describe, expect, test } from "bun:test";
import type { Loop } from "../../../../src/modes/dry-run/recurrence.ts";
import { type DryRunReport, loopLines } from "../../../../plugin/commands/dry-run/report/report.ts";

const of = { group: "", kind: "ConfigMap" };
const synced = { of, key: "shop/a" as const, paths: [] };
const written = { of, key: "shop/a" as const, paths: [".data.n"] };

function linesOf(loop: Omit<Loop, "writers">): readonly string[] {
  const run = {
    before: { is: "steady", afterMs: 0 },
    settled: { is: "loop", loop: { ...loop, writers: ["one", "two"] } },
  };
  // Only these parts are read.
  return loopLines({ run, clock: "simulated" } as unknown as DryRunReport);
}

describe("a loop is described by what goes on", () => {
  test.each([
    {
      loop: { is: "recurring", objects: [written], roundMs: 2000 },
      lines: [
        "loop: the cluster returns to the same state every 2 s of simulated time; written by one, two",
        "  ConfigMap shop/a  .data.n",
      ],
    },
    {
      loop: { is: "endless", objects: [written], roundMs: 0 },
      lines: [
        "loop: new values are written over and over within 1 s of simulated time; written by one, two",
        "  ConfigMap shop/a  .data.n",
      ],
    },
    {
      loop: { is: "endless", objects: [synced], roundMs: 0 },
      lines: [
        "loop: a key is synced over and over within 1 s of simulated time; synced by one, two",
        "  ConfigMap shop/a",
      ],
    },
    {
      loop: { is: "spreading", objects: [synced], roundMs: 0 },
      lines: [
        "loop: objects are created without end, each by the sync of an earlier one; created by one, two",
        "  ConfigMap shop/a",
      ],
    },
  ] as const)("$loop.is: $lines.0", ({ loop, lines }) => {
    expect(linesOf(loop)).toEqual([...lines]);
  });
});
