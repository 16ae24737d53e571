import { describe, expect, test } from "bun:test";
import { compareAsGo, goJson, sortedGoJson } from "../../src/api/go-json.ts";

describe("JSON as Go writes it", () => {
  test("escapes HTML characters, and two line separators", () => {
    expect(goJson({ b: "<a> & \u2028\u2029", a: "ä\n" })).toBe(
      '{"b":"\\u003ca\\u003e \\u0026 \\u2028\\u2029","a":"ä\\n"}',
    );
  });

  test("has the keys of maps in the order of their bytes, and omits undefined fields", () => {
    const value = { "9": 1, "10": 2, b: [{ d: 1, c: null }], a: undefined, "<": "x", "\u{1f600}": 3, "\uff5e": 4 };
    expect(sortedGoJson(value)).toBe('{"10":2,"9":1,"\\u003c":"x","b":[{"c":null,"d":1}],"\uff5e":4,"\u{1f600}":3}');
  });
});

test("strings are compared by their bytes", () => {
  expect(["b", "a", "ab", "", "\u{1f600}", "\uff5e"].sort(compareAsGo)).toEqual([
    "",
    "a",
    "ab",
    "b",
    "\uff5e",
    "\u{1f600}",
  ]);
  expect(compareAsGo("a", "a")).toBe(0);
});
