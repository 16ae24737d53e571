/** Blocks as they came from a run: what a block says is tested elsewhere, here how it reads. */
import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Chalk } from "chalk";
import { SyncBlockText } from "../../plugin/render/sync-block-text.ts";
import type { Origin, SyncBlock } from "../../src/views/sync-block.ts";
import { embeddedStart } from "../support/embedded-scene.ts";
import { expectGolden } from "../support/golden.ts";

/** A ReplicaSet of 12 comes to be, loses a pod, and is scaled down to 1: test/golden/record-trace.ts records it anew. */
const recorded = readFileSync(join(import.meta.dir, "../golden/trace-blocks.json"), "utf8");
const blocks = JSON.parse(recorded) as readonly { readonly block: SyncBlock; readonly origin: Origin }[];

function text(columns: number | undefined, shadow = false): string {
  const style = { columns, colour: new Chalk({ level: 0 }) };
  const lines = new SyncBlockText({ style, shadow, sinceStartAt: embeddedStart });
  return blocks.flatMap(({ block, origin }) => lines.lines(block, origin)).join("\n");
}

describe("a block of trace", () => {
  test.each([
    { name: "a terminal of 80 columns", columns: 80, file: "trace-80.txt" },
    { name: "a terminal of 200 columns", columns: 200, file: "trace-200.txt" },
    { name: "a pipe", columns: undefined, file: "trace-piped.txt" },
  ])("reads well on $name", ({ columns, file }) => {
    expectGolden(file, `${text(columns)}\n`);
  });

  test("no line is wider than the terminal, at any width", () => {
    for (const columns of [60, 80, 100, 132, 200]) {
      const wide = text(columns)
        .split("\n")
        .filter((line) => line.length > columns);
      expect(wide).toEqual([]);
    }
  });
});
