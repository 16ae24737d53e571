import { describe, expect, test } from "bun:test";
import { goQuoted, goQuotedList, unprintableIn } from "../../src/api/go-text.ts";

// Each is what `fmt.Printf("%q", …)` of Go 1.26 prints.
describe("a string as Go quotes it", () => {
  test.each([
    ["web", `"web"`],
    ['say "hi"\\', String.raw`"say \"hi\"\\"`],
    ["a\tb\nc\rd\u0007\b\f\v", String.raw`"a\tb\nc\rd\a\b\f\v"`],
    ["\u0000\u001b\u007f", String.raw`"\x00\x1b\x7f"`],
    ["größe 日本 🙂", `"größe 日本 🙂"`],
    ["\u0085\u00a0\u200b\u2028\ufeff", String.raw`"\u0085\u00a0\u200b\u2028\ufeff"`],
    ["\u{e0001}", String.raw`"\U000e0001"`],
  ])("%p", (text, quoted) => {
    expect(goQuoted(text)).toBe(quoted);
  });

  test("several are separated by spaces", () => {
    expect(goQuotedList(["get", 'li"st'])).toBe(String.raw`["get" "li\"st"]`);
    expect(goQuotedList([])).toBe("[]");
  });
});

test("unprintable characters have their offset in bytes", () => {
  expect(unprintableIn("ü\tü\u200b")).toEqual([
    { code: 9, at: 2 },
    { code: 0x200b, at: 5 },
  ]);
});
