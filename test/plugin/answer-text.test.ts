/** Answers of `why` to what was so on a real cluster: what an answer says is tested elsewhere, here how it reads. */
import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Chalk } from "chalk";
import { answerLines } from "../../plugin/render/answer-text.ts";
import type { Snapshot } from "../../src/views/snapshot.ts";
import { answerFor } from "../../src/views/waiting.ts";
import { expectGolden } from "../support/golden.ts";

interface Recorded {
  readonly name: string;
  readonly object: string;
  readonly snapshot: Snapshot;
}

/** test/golden/record-why.ts records them anew. */
const snapshots = JSON.parse(
  readFileSync(join(import.meta.dir, "../golden/why-snapshots.json"), "utf8"),
) as readonly Recorded[];

function answer({ object, snapshot }: Recorded, columns: number | undefined): string[] {
  const style = { columns, colour: new Chalk({ level: 0 }) };
  const traced = snapshot.kind === "Deployment" || snapshot.kind === "ReplicaSet";
  const follow = traced ? `kubectl reconcile trace ${snapshot.kind.toLowerCase()} -n shop --why ${object}` : undefined;
  return answerLines(answerFor(snapshot), { style, now: snapshot.now, follow });
}

function text(columns: number | undefined): string {
  return snapshots.map((each) => [`# ${each.name}`, ...answer(each, columns), ""].join("\n")).join("\n");
}

describe("an answer of why", () => {
  test.each([
    { name: "a terminal of 80 columns", columns: 80, file: "why-80.txt" },
    { name: "a terminal of 200 columns", columns: 200, file: "why-200.txt" },
    { name: "a pipe", columns: undefined, file: "why-piped.txt" },
  ])("reads well on $name", ({ columns, file }) => {
    expectGolden(file, text(columns));
  });

  test("fits a first screen of 80 columns and 24 lines, and no line is wider or ends in blanks", () => {
    for (const each of snapshots) {
      const lines = answer(each, 80);
      expect(lines.length).toBeLessThan(24);
      expect(lines.filter((line) => line.length > 80 || line !== line.trimEnd())).toEqual([]);
    }
  });
});
