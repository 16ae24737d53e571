import { describe, expect, test } from "bun:test";
import { oneLine, ownSequence, terminalText, visibleText } from "../../src/platform/visible-text.ts";

const hostile: readonly { readonly what: string; readonly text: string; readonly shown: string }[] = [
  { what: "ESC", text: "a\u001b[31mb", shown: "a^[[31mb" },
  { what: "a title set by OSC and BEL", text: "\u001b]0;forged\u0007", shown: "^[]0;forged^G" },
  { what: "a hyperlink of OSC 8", text: "\u001b]8;;http://x\u001b\\y", shown: "^[]8;;http://x^[\\y" },
  { what: "a carriage return", text: "well\rill", shown: "well^Mill" },
  { what: "backspaces", text: "no\b\bok", shown: "no^H^Hok" },
  { what: "NUL", text: "a\u0000b", shown: "a^@b" },
  { what: "DEL", text: "a\u007f", shown: "a\\u007f" },
  { what: "CSI of one byte", text: "\u009b31m", shown: "\\u009b31m" },
  { what: "a direction override", text: "\u202egpj.exe", shown: "\\u202egpj.exe" },
  { what: "a direction isolate", text: "\u2066x\u2069", shown: "\\u2066x\\u2069" },
  { what: "a zero-width space", text: "de\u200bfault", shown: "de\\u200bfault" },
  { what: "a line separator", text: "a\u2028b", shown: "a\\u2028b" },
  { what: "a tag", text: "a\u{e0041}", shown: "a\\udb40\\udc41" },
  { what: "half of a surrogate pair", text: "a\ud800b", shown: "a\\ud800b" },
];

describe("foreign text", () => {
  for (const { what, text, shown } of hostile) {
    test(`${what} is made visible`, () => {
      expect(terminalText(text)).toBe(shown);
      expect(visibleText(text)).toBe(shown);
      expect(visibleText(shown)).toBe(shown);
    });
  }

  test("keeps newlines, tabs, words of every script and emoji", () => {
    const text = "a\n\tb äß 日本語 עברית नमस्ते 👩‍💻 🇪🇺 é";
    expect(terminalText(text)).toBe(text);
  });

  test("as part of a line becomes one line, with marks for line breaks", () => {
    expect(oneLine("denied:\n\n  check: \u001b[31mno\r\nerror: forged")).toBe(
      "denied:\\n\\n  check: ^[[31mno^M\\nerror: forged",
    );
    expect(terminalText(oneLine(`${ownSequence("31", "m")}a\nb`))).toBe("\u001b[31ma\\nb");
  });

  test("has no control character left, whatever it contains", () => {
    const all = Array.from({ length: 0x2100 }, (_, code) => String.fromCharCode(code)).join("");
    const left = terminalText(all).match(/[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/gu) ?? [];
    expect(left.sort()).toEqual(["\t", "\n"]);
  });

  test("stays the same text in JSON", () => {
    const value = { a: String.fromCharCode(...Array.from({ length: 0x3000 }, (_, code) => code)) };
    expect(JSON.parse(terminalText(JSON.stringify(value)))).toEqual(value);
  });
});

describe("our own escape sequences", () => {
  test("reach the terminal, without the mark", () => {
    const red = `${ownSequence("31", "m")}no\u001b[0m${ownSequence("39", "m")}`;
    expect(terminalText(red)).toBe("\u001b[31mno^[[0m\u001b[39m");
    expect(terminalText(ownSequence("4", "A") + ownSequence("0", "J"))).toBe("\u001b[4A\u001b[0J");
  });

  test("keep the mark while a text is measured or laid out", () => {
    const text = `${ownSequence("31", "m")}\u001bx`;
    expect(terminalText(visibleText(text))).toBe("\u001b[31m^[x");
  });

  test("cannot be forged without the mark", () => {
    expect(terminalText("\u001b[31;1234;5678;9012m")).toBe("^[[31;1234;5678;9012m");
  });
});
