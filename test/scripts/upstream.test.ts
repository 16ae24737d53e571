import { describe, expect, test } from "bun:test";
import { type Insertion, withInsertions } from "../../scripts/upstream/insertions.ts";
import { outcomeOf } from "../../scripts/upstream/run.ts";
import { followsFromGate } from "../../scripts/upstream/tests.ts";

const insertion: Insertion = { file: "a.go", line: "func Run() {", where: "after", text: "\tours.Run()" };

describe("insertions into sources of Kubernetes", () => {
  test("are placed after or before their line", () => {
    const source = "package a\nfunc Run() {\n\twork()\n}\n";
    expect(withInsertions(source, [insertion, { ...insertion, where: "before", text: "// note" }])).toBe(
      "package a\n// note\nfunc Run() {\n\tours.Run()\n\twork()\n}\n",
    );
  });

  test.each([
    ["is not there", "package a\n", 'a.go: no line "func Run() {"'],
    ["is there twice", "func Run() {\nfunc Run() {\n", 'a.go: more than one line "func Run() {"'],
  ])("a line that %s is an error", (_, source, message) => {
    expect(() => withInsertions(source, [insertion])).toThrow(message);
  });
});

describe("the results of a Go test", () => {
  const out = [
    "=== RUN   TestA",
    "=== RUN   TestA/one",
    "--- FAIL: TestA (3.20s)",
    "    --- PASS: TestA/one (1.00s)",
    "    --- FAIL: TestA/two (2.20s)",
    "    --- SKIP: TestA/three (0.00s)",
    "FAIL",
  ].join("\n");

  test("are counted by innermost cases", () => {
    expect(outcomeOf(out, "TestA", 1)).toEqual({ is: "failed", passed: 1, cases: 3 });
    expect(outcomeOf("--- PASS: TestA (1.00s)\nPASS\n", "TestA", 0)).toEqual({ is: "passed", passed: 1, cases: 1 });
    expect(outcomeOf("--- SKIP: TestA (0.00s)\nPASS\n", "TestA", 0)).toEqual({ is: "skipped", passed: 0, cases: 0 });
  });

  test("include a failure of the process after its tests have passed", () => {
    expect(outcomeOf("--- PASS: TestA (1.00s)\nPASS\n", "TestA", 1)).toMatchObject({ is: "failed" });
  });

  test("include a failure for a process that ends without a result", () => {
    expect(outcomeOf("panic: the program ended\n", "TestA", 2)).toEqual({ is: "failed", passed: 0, cases: 1 });
  });
});

describe("a failure caused by a feature gate", () => {
  const name = "job/TestJobPodReplacementPolicy";
  const off = "--- FAIL: TestJobPodReplacementPolicy/feature_flag_off,_delete (60.45s)";
  const on = "--- FAIL: TestJobPodReplacementPolicy/feature_flag_true,_delete (60.45s)";
  const failure = "    job_test.go:3248: Waiting for Job Status: context deadline exceeded";
  const rows = [
    { says: "is the listed one, in a listed case", of: name, lines: [failure, off], is: true },
    { says: "is not the same of another test", of: "job/TestIndexedJob", lines: [failure, off], is: false },
    { says: "is not another failure", of: name, lines: ["    job_test.go:1: Unexpected pods", off], is: false },
    { says: "is not one where another case fails as well", of: name, lines: [failure, off, on], is: false },
    {
      says: "is not one after which the program has ended",
      of: name,
      lines: [failure, off, "panic: job ended"],
      is: false,
    },
  ];
  for (const { says, of, lines, is } of rows) {
    test(says, () => expect(followsFromGate(of, lines.join("\n"))).toBe(is));
  }
});
