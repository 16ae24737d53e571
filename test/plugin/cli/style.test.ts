import { describe, expect, test } from "bun:test";
import { plainTable } from "../../../plugin/cli/table.ts";
import { wrapHanging, shorten, shownLength, styleOf, wrapWords } from "../../../plugin/cli/style.ts";
import { terminalText } from "../../../src/platform/visible-text.ts";
import { fakeIo } from "../../support/fake-io.ts";

const coloured = styleOf({ ...fakeIo({ columns: 80 }).out, colours: true }).colour;
const plain = styleOf(fakeIo().out).colour;

describe("colours", () => {
  test("reach the terminal as they are, and leave no trace where there are none", () => {
    expect(terminalText(coloured.red("no"))).toBe("\u001b[31mno\u001b[39m");
    expect(terminalText(coloured.dim(`a ${coloured.bold("b")}`))).toBe("\u001b[2ma \u001b[1mb\u001b[22m\u001b[22m");
    expect(plain.red("no")).toBe("no");
  });

  test("in the text of somebody else are shown, not followed", () => {
    expect(terminalText(coloured.red("\u001b[32mwell"))).toBe("\u001b[31m^[[32mwell\u001b[39m");
    expect(terminalText(plain.red("\u001b[32mwell"))).toBe("^[[32mwell");
  });
});

describe("columns", () => {
  test("wide characters take two, colours none, hidden ones what stands for them", () => {
    expect(shownLength("web")).toBe(3);
    expect(shownLength("日本")).toBe(4);
    expect(shownLength("👩‍💻")).toBe(2);
    expect(shownLength("e\u0301")).toBe(1);
    expect(shownLength(coloured.red("web"))).toBe(3);
    expect(shownLength("\u001b[31m")).toBe(6);
  });

  test("words are wrapped by what they take on the screen", () => {
    expect(wrapWords(["日本語", "日本語", "web"], 10)).toEqual(["日本語", "日本語 web"]);
    expect(wrapHanging("a 日本語日本語 b", 12)).toEqual(["a", `${" ".repeat(8)}日本語日本語`, `${" ".repeat(8)}b`]);
  });

  test("a text is cut by what it takes, never inside of a character", () => {
    expect(shorten("web", 3)).toBe("web");
    expect(shorten("webs", 3)).toBe("we…");
    expect(shorten("日本語", 6)).toBe("日本語");
    expect(shorten("日本語", 5)).toBe("日本…");
    expect(shorten("日本語", 4)).toBe("日…");
    expect(shorten("a👩‍💻b", 3)).toBe("a…");
    expect(shorten("a\u001b[31mb", 4)).toBe("a^[…");
    expect(shorten("web", 0)).toBe("");
  });

  test("the columns of a table stand under each other", () => {
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
