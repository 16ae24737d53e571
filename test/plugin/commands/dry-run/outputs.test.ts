/** The printed output of dry-run. */
import { describe, expect, test } from "bun:test";
import { githubLines } from "../../../../plugin/commands/dry-run/report/github.ts";
import { reportAsJson } from "../../../../plugin/commands/dry-run/report/json.ts";
import { markdownLines } from "../../../../plugin/commands/dry-run/report/markdown.ts";
import { endingNotes, textLines } from "../../../../plugin/commands/dry-run/report/text.ts";
import { yamlLines } from "../../../../plugin/commands/dry-run/report/yaml.ts";
import { styleOf } from "../../../../plugin/cli/style.ts";
import { seededRandom } from "../../../../src/platform/random.ts";
import { fakeIo } from "../../../support/fake-io.ts";
import { expectGolden } from "../../../support/golden.ts";
import { reportOf, rollout } from "./scene.ts";

describe("dry-run prints a rollout", () => {
  const outputs = [
    { name: "on a terminal of 80 columns", file: "dry-run-80.txt", columns: 80, steps: true },
    { name: "on a terminal of 200 columns", file: "dry-run-200.txt", columns: 200, steps: true },
    { name: "piped", file: "dry-run-piped.txt", columns: undefined, steps: false },
  ];
  for (const { name, file, columns, steps } of outputs) {
    test(`${name} as in test/golden/${file}`, () => {
      const { out } = fakeIo(columns === undefined ? {} : { columns });
      const text = textLines(reportOf(rollout, { steps }), styleOf(out)).join("\n");
      expectGolden(file, `${text}\n`);
      // Diff lines are not wrapped; all other lines are.
      const lines = text
        .split("\n")
        .filter((line) => !/^[ +@-]/.test(line) || /^[+-] (\d+ )?[A-Z]\w+ shop\//.test(line));
      if (columns !== undefined) expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(columns);
    });
  }

  test("as Markdown, YAML, lines of JSON and annotations", () => {
    const report = reportOf(rollout);
    expectGolden("dry-run-markdown.txt", `${markdownLines(report).join("\n")}\n`);
    expectGolden("dry-run-yaml.txt", `${yamlLines(report).join("\n")}\n`);
    expectGolden("dry-run-json.txt", `${reportAsJson(reportOf(rollout, { steps: true })).join("\n")}\n`);
    expectGolden("dry-run-github.txt", `${githubLines(report, seededRandom(1)).join("\n")}\n`);
  });

  test("without the values of Secrets, in any format", () => {
    const report = reportOf(rollout);
    const { out } = fakeIo();
    const all = [
      textLines(report, styleOf(out)),
      markdownLines(report),
      yamlLines(report),
      reportAsJson(report),
      githubLines(report, seededRandom(1)),
    ];
    const text = all.flat().join("\n");
    for (const value of ["before-it", "after-it"]) {
      expect(text).not.toContain(value);
      expect(text).not.toContain(btoa(value));
    }
    expect(text).toContain("*** (before)");
    expect(text).toContain("*** (after)");
  });

  test("claims that wait for the same reason share a note", () => {
    const report = reportOf(rollout);
    const of = { group: "", kind: "PersistentVolumeClaim" };
    const binding = { is: "waits", why: "there is no StorageClass fast" } as const;
    const notesWith = (...keys: string[]): string[] => {
      const claims = keys.map((key) => ({ of, key, binding }));
      return endingNotes({ ...report, run: { ...report.run, claims } });
    };
    expect(notesWith("shop/a")).toContain("PersistentVolumeClaim shop/a: stays Pending: there is no StorageClass fast");
    expect(notesWith("shop/a", "shop/b")).toContain(
      "PersistentVolumeClaim shop/a, PersistentVolumeClaim shop/b: stay Pending: there is no StorageClass fast",
    );
  });
});
