/** The final page for three real operators in trouble: test/golden/record-troubles.ts records them again. */
import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { styleOf } from "../../../plugin/cli/style.ts";
import { processPage, usageSummary } from "../../../plugin/render/usage-text.ts";
import type { ProcessUsage } from "../../../src/views/process/usage.ts";
import type { WrittenLoop } from "../../../src/views/process/written-loops.ts";
import { fakeIo } from "../../support/fake-io.ts";
import { expectGolden } from "../../support/golden.ts";

interface Recorded {
  readonly afterMs: number;
  readonly now: number;
  readonly usage: ProcessUsage;
  readonly loops: readonly WrittenLoop[];
}

const recorded = JSON.parse(readFileSync(join(import.meta.dir, "../../golden/troubles.json"), "utf8")) as Readonly<
  Record<string, Recorded>
>;

/** Number of lines that a terminal of 24 lines shows without scrolling back. */
const screen = 24;

function page(name: string, columns: number): string {
  const found = recorded[name];
  if (found === undefined) throw new Error(`Not recorded: ${name}`);
  const style = { ...styleOf(fakeIo().out), columns };
  return [usageSummary(found.usage, found.afterMs), "", ...processPage(found, style)].join("\n");
}

describe("an operator in trouble", () => {
  test.each([
    ["fight", /loop +ConfigMap default\/a-pages: written \d+ times/, /\.data\.theme/, /gitops/],
    ["conflicts", /^conflicts \(409\)$/, /on Site/, /written in between by gitops/],
    ["missing", /^refused: missing rights$/, /patch shrubs\.kopf\.example\.com/, /in namespace default/],
  ] as readonly (readonly [string, ...RegExp[]])[])(
    "%s: the answer is on the first screen, at 80 and 120 columns",
    (name, ...patterns) => {
      for (const columns of [80, 120]) {
        const text = page(name, columns);
        expectGolden(`trouble-${name}-${columns}.txt`, `${text}\n`);
        const lines = text.split("\n").slice(0, screen);
        for (const pattern of patterns) expect(lines.filter((line) => pattern.test(line))).not.toEqual([]);
        // The first line is a message, which a terminal wraps.
        expect(lines.slice(1).filter((line) => line.length > columns)).toEqual([]);
      }
    },
  );
});
