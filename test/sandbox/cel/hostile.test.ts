/** Expressions designed to take long: each terminates, most with an error. */
import { describe, expect, test } from "bun:test";
import { compile, type Environment } from "../../../src/sandbox/cel/program/compile.ts";
import { shown } from "./answers.ts";

const nothing: Environment = { variables: new Map() };
const limit = 1_000_000;
const ten = "[0,1,2,3,4,5,6,7,8,9]";
const nested = (open: string, close: string): string => `${open.repeat(5000)}1${close.repeat(5000)}`;

/** The outcome of an expression: its value or its error. */
function outcomeOf(expression: string): string {
  const compiled = compile(expression, nothing);
  if (compiled.is === "refused") return compiled.issues.split("\n")[0] ?? "";
  const { value, isCancelled } = compiled.program.evaluate({}, limit);
  return isCancelled ? "cancelled" : shown(value);
}

const tooDeep = "ERROR: <input>:-1:0: max recursion depth exceeded";
const tooNested = "ERROR: <input>:-1:0: expression recursion limit exceeded: 250";

describe("hostile expressions", () => {
  const cases: readonly (readonly [string, string, string])[] = [
    ["brackets", nested("(", ")"), tooNested],
    ["lists", nested("[", "]"), tooNested],
    ["conditions", `${"true ? 1 : ".repeat(3000)}1`, tooNested],
    ["sums", `1${"+1".repeat(5000)}`, tooDeep],
    ["fields", `a${".a".repeat(5000)}`, tooDeep],
    ["negations, of which pairs cancel out", `${"!".repeat(10_001)}true`, "false"],
    ["alternatives, which are balanced", `true${" || true".repeat(5000)}`, "true"],
    ["a pattern that backtracks", `"${"a".repeat(30_000)}".matches("(a*)*b")`, "false"],
    [
      "a pattern that multiplies",
      `"a".matches("((a{100}){100}){100}")`,
      "ERROR: <input>:1:13: invalid matches argument",
    ],
    [
      "a long text",
      "x".repeat(200_000),
      "ERROR: <input>:-1:0: expression code point size exceeds limit: size: 200000, limit 100000",
    ],
  ];
  for (const [what, expression, outcome] of cases) test(what, () => expect(outcomeOf(expression)).toBe(outcome));

  test("nested loops end when their cost is used up", () => {
    const loops = Array.from("abcdefg").reduceRight((inner, name) => `${ten}.all(${name}, ${inner})`, "a >= 0");
    expect(outcomeOf(loops)).toBe("cancelled");
  });
});
