/** Blocks recorded from a run: other tests check what a block contains, this one its presentation. */
import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { outcomeText } from "../../../../plugin/commands/trace/shadow-text.ts";
import { wrapHanging, styleOf } from "../../../../plugin/cli/style.ts";
import { SyncBlockText } from "../../../../plugin/commands/trace/sync-block-text.ts";
import { splitKey } from "../../../../src/api/key.ts";
import type { AgreementEvent } from "../../../../src/trace/events.ts";
import { shownBlock, shownOrigin } from "../../../../src/views/shown-block.ts";
import { type Origin, type SyncBlock, writesOf } from "../../../../src/views/sync-block.ts";
import { terminalText } from "../../../../src/platform/visible-text.ts";
import { embeddedStart } from "../../../support/embedded-scene.ts";
import { fakeIo } from "../../../support/fake-io.ts";
import { expectGolden } from "../../../support/golden.ts";

/** A ReplicaSet of 12 is created, loses a pod, and is scaled down to 1: test/golden/record-trace.ts records it again. */
const recorded = readFileSync(join(import.meta.dir, "../../../golden/trace-blocks.json"), "utf8");
const blocks = JSON.parse(recorded) as readonly { readonly block: SyncBlock; readonly origin: Origin }[];

/** The output of shadow next to a real kube-controller-manager: test/golden/record-shadow.ts records it again. */
const shown = JSON.parse(
  readFileSync(join(import.meta.dir, "../../../golden/shadow-blocks.json"), "utf8"),
) as readonly (
  { readonly is: "block"; readonly block: SyncBlock } | { readonly is: "difference"; readonly event: AgreementEvent }
)[];

function text(columns: number | undefined, colours = false): string {
  const style = { ...styleOf({ ...fakeIo().out, colours }), columns };
  const lines = new SyncBlockText({ style, shadow: false, sinceStartAt: embeddedStart });
  return blocks.flatMap(({ block, origin }) => lines.lines(shownBlock(block), shownOrigin(origin))).join("\n");
}

function shadowText(columns: number | undefined): string {
  const style = { ...styleOf(fakeIo().out), columns };
  const [first] = shown;
  const sinceStartAt = first?.is === "block" ? first.block.at : 0;
  const lines = new SyncBlockText({ style, shadow: true, sinceStartAt });
  return shown
    .flatMap((each) =>
      each.is === "block"
        ? lines.lines(shownBlock(each.block))
        : [...wrapHanging(outcomeText([each.event]), columns), ""],
    )
    .join("\n");
}

describe("a block of trace", () => {
  test.each([
    { name: "a terminal of 80 columns", columns: 80, file: "trace-80.txt" },
    { name: "a terminal of 200 columns", columns: 200, file: "trace-200.txt" },
    { name: "a pipe", columns: undefined, file: "trace-piped.txt" },
  ])("reads well on $name", ({ columns, file }) => {
    expectGolden(file, `${text(columns)}\n`);
  });

  test.each([
    { name: "a terminal of 80 columns", columns: 80, file: "shadow-80.txt" },
    { name: "a terminal of 200 columns", columns: 200, file: "shadow-200.txt" },
    { name: "a pipe", columns: undefined, file: "shadow-piped.txt" },
  ])("reads well in shadow on $name", ({ columns, file }) => {
    expectGolden(file, `${shadowText(columns)}\n`);
  });

  test("colors take no space", () => {
    const bare = new RegExp(`${String.fromCharCode(27)}\\[\\d+m`, "g");
    const coloured = terminalText(text(80, true));
    expect(coloured).not.toBe(text(80));
    expect(coloured.replace(bare, "")).toBe(text(80));
  });

  test("names that shadow generated are not shown: they do not exist", () => {
    const madeUp = shown.flatMap((each) =>
      each.is === "block" ? writesOf(each.block).filter(({ generatedName }) => generatedName === true) : [],
    );
    expect(madeUp.length).toBeGreaterThan(3);
    for (const { key } of madeUp) expect(shadowText(200)).not.toContain(splitKey(key).name);
  });

  test.each([
    { name: "acting", of: text },
    { name: "in shadow", of: shadowText },
  ])("no line is wider than the terminal, at any width: $name", ({ of }) => {
    for (const columns of [60, 80, 100, 132, 200]) {
      const wide = of(columns)
        .split("\n")
        .filter((line) => line.length > columns);
      expect(wide).toEqual([]);
    }
  });
});
