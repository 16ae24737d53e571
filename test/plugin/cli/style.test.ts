import { describe, expect, test } from "bun:test";
import { plainTable } from "../../../plugin/cli/table.ts";
import { wrapHanging, shorten, shownLength, styleOf, wrapWords } from "../../../plugin/cli/style.ts";
import { terminalText } from "../../../src/platform/visible-text.ts";
import { fakeIo } from "../../support/fake-io.ts";

const coloured = styleOf({ ...fakeIo({ columns: 80 }).out, colours: true }).colour;
const plain = styleOf(fakeIo().out).colour;

describe("colours", () => {
  test("reach the terminal unchanged, and are absent without color support", () => {
    expect(terminalText(coloured.red("no"))).toBe("\u001b[31mno\u001b[39m");
    expect(terminalText(coloured.dim(`a ${coloured.bold("b")}`))).toBe("\u001b[2ma \u001b[1mb\u001b[22m\u001b[22m");
    expect(plain.red("no")).toBe("no");
  });

  test("in foreign text are shown, not executed", () => {
    expect(terminalText(coloured.red("\u001b[32mwell"))).toBe("\u001b[31m^[[32mwell\u001b[39m");
    expect(terminalText(plain.red("\u001b[32mwell"))).toBe("^[[32mwell");
  });
});

describe("columns", () => {
  test("count wide characters as two, colors as none, and escaped ones as their replacement", () => {
    expect(shownLength("web")).toBe(3);
    expect(shownLength("日本")).toBe(4);
    expect(shownLength("👩‍💻")).toBe(2);
    expect(shownLength("e\u0301")).toBe(1);
    expect(shownLength(coloured.red("web"))).toBe(3);
    expect(shownLength("\u001b[31m")).toBe(6);
  });

  test("decide where words are wrapped", () => {
    expect(wrapWords(["日本語", "日本語", "web"], 10)).toEqual(["日本語", "日本語 web"]);
    expect(wrapHanging("a 日本語日本語 b", 12)).toEqual(["a", `${" ".repeat(8)}日本語日本語`, `${" ".repeat(8)}b`]);
  });

  test("decide where a text is cut, never inside a character", () => {
    expect(shorten("web", 3)).toBe("web");
    expect(shorten("webs", 3)).toBe("we…");
    expect(shorten("日本語", 6)).toBe("日本語");
    expect(shorten("日本語", 5)).toBe("日本…");
    expect(shorten("日本語", 4)).toBe("日…");
    expect(shorten("a👩‍💻b", 3)).toBe("a…");
    expect(shorten("a\u001b[31mb", 4)).toBe("a^[…");
    expect(shorten("web", 0)).toBe("");
  });

  test("of a table are aligned", () => {
    const lines = plainTable(
      ["NAME", "AGE"],
      [
        ["日本", "1"],
        ["a\u001bb", "2"],
        ["web", "3"],
      ],
    ).split("\n");
    expect(lines).toEqual(["NAME   AGE", "日本   1", "a^[b   2", "web    3"]);
  });
});
