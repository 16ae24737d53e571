import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "bun:test";
import { judgeMutants, type Mutant, mutantsOf } from "../../scripts/mutate/report.ts";
import { mutatedRooms } from "../../scripts/mutate/rooms.ts";
import { knownSurvivors } from "../../scripts/mutate/survivors.ts";

const top = join(import.meta.dir, "../..");

const mutant = (is: Mutant["is"], replacement = "true", file = "src/a.ts"): Mutant => ({
  file,
  lineNumber: 2,
  line: "if (a) b();",
  mutator: "ConditionalExpression",
  replacement,
  is,
});
const known = (replacement: string, file = "src/a.ts") => ({
  file,
  line: "if (a) b();",
  replacement,
  why: "equivalent",
});

describe("A mutation report", () => {
  test("counts a mutant that hangs as killed, one that no test covers as survived, and one that does not load as neither", () => {
    const statuses = ["Killed", "Timeout", "Survived", "NoCoverage", "CompileError", "RuntimeError"];
    const mutants = statuses.map((status) => ({
      mutatorName: "ConditionalExpression",
      replacement: "{\n  a\n}",
      status,
      location: { start: { line: 2 } },
    }));
    const read = mutantsOf({ files: { "src/a.ts": { source: "const a = 1;\n  if (a) b();\n", mutants } } });
    expect(read.map(({ is }) => is)).toEqual(["killed", "killed", "survived", "survived", "invalid", "invalid"]);
    expect(read[0]).toEqual({ ...mutant("killed"), replacement: "{ a }" });
  });

  test("rounds down the share of killed mutants among those that load", () => {
    const mutants = [...Array<Mutant>(8).fill(mutant("killed")), mutant("survived"), mutant("invalid")];
    expect(judgeMutants(mutants, [])).toMatchObject({ killed: 8, survived: 1, invalid: 1, percent: 88 });
    expect(judgeMutants([], []).percent).toBe(0);
  });

  test("names survivors without a reason, and reasons without a survivor in the mutated files", () => {
    const mutants = [mutant("survived", "true"), mutant("survived", "false"), mutant("killed", "a >= 0")];
    const reasons = [known("true"), known("a >= 0"), known("true", "src/other.ts")];
    const { unexplained, stale } = judgeMutants(mutants, reasons);
    expect([unexplained.map(({ replacement }) => replacement), stale]).toEqual([["false"], [known("a >= 0")]]);
  });
});

test("every reason is for a file of a mutated room", () => {
  const globs = mutatedRooms.flatMap(({ groups }) => groups.flatMap(({ sources }) => sources));
  for (const { file } of knownSurvivors) expect(globs.some((glob) => new Bun.Glob(glob).match(file))).toBe(true);
});

test("every reason quotes a line of its file", () => {
  const missing = knownSurvivors.filter(
    ({ file, line }) =>
      !readFileSync(join(top, file), "utf8")
        .split("\n")
        .some((there) => there.trim() === line),
  );
  expect(missing.map(({ file, line }) => `${file}: ${line}`)).toEqual([]);
});
