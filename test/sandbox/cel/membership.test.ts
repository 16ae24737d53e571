import { describe, expect, test } from "bun:test";
import { compile } from "../../../src/sandbox/cel/program/compile.ts";

function valueOf(expression: string): unknown {
  const compiled = compile(expression, { variables: new Map() });
  if (compiled.is === "refused") throw new Error(compiled.issues);
  return compiled.program.evaluate({}, 1000).value;
}

describe("x in [constants]", () => {
  test.each([
    ["dyn(0u) in [0]", true],
    ["dyn(0) in [0u]", true],
    ["dyn(0.0) in [0u]", true],
    ["dyn(1.5) in [1]", false],
    ["dyn(0u) in [-1]", false],
    ["dyn(18446744073709551615u) in [-1]", false],
  ])("%s is %p: numbers of different types are equal as their values are", (expression, expected) => {
    expect(valueOf(expression)).toBe(expected);
  });
});
