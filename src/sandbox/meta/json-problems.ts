/**
 * Why Go refuses a text as JSON, in its words: a client sees them in the error for a body, a Secret or a continue token.
 * Source: Go encoding/json scanner.go, decode.go; sigs.k8s.io/json has the same.
 */
import { goQuoted } from "../../api/go-text.ts";

/** The maximum depth of lists and objects. */
const deepest = 10_000;
const blank = /[ \t\r\n]*/y;
const digits = /[0-9]*/y;
const hex = /[0-9a-fA-F]{0,4}/y;
/** In a string, what needs no escape: all but control characters, `"` and `\`. */
const plain = /[ !#-[\]-\u00ff]*/y;
const words: Readonly<Record<string, string>> = { t: "true", f: "false", n: "null" };

/** What may come next, after blanks. */
type Expected = "value" | "value or ]" | "key" | "key or }" | "colon" | "comma or end" | "nothing";

const where: Readonly<Record<Exclude<Expected, "comma or end">, string>> = {
  value: "looking for beginning of value",
  "value or ]": "looking for beginning of value",
  key: "looking for beginning of object key string",
  "key or }": "looking for beginning of object key string",
  colon: "after object key",
  nothing: "after top-level value",
};
const afterItem = { "{": "after object key:value pair", "[": "after array element" } as const;

const ended = "unexpected end of JSON input";

/** Reads a text of which each character is a byte. Each method moves past what it reads, and returns a problem if it cannot. */
class JsonScanner {
  readonly #text: string;
  #at = 0;
  /** The open lists and objects. */
  readonly #open: ("{" | "[")[] = [];

  constructor(text: string) {
    this.#text = text;
  }

  /** Reads the whole text. */
  scan(): string | undefined {
    let expected: Expected = "value";
    for (;;) {
      this.#skip(blank);
      const character = this.#text[this.#at];
      if (character === undefined) return expected === "nothing" ? undefined : ended;
      const next = this.#token(character, expected);
      if (typeof next === "string") return next;
      expected = next.expected;
    }
  }

  /** Moves past a match; true unless it is empty. */
  #skip(pattern: RegExp): boolean {
    pattern.lastIndex = this.#at;
    const length = pattern.exec(this.#text)?.[0].length ?? 0;
    this.#at += length;
    return length > 0;
  }

  /** The problem with the character here. Inside a token, Go takes the end of the text for a space. */
  #bad(context: string): string {
    const character = this.#text[this.#at] ?? " ";
    const shown = character === "'" ? "\\'" : character === '"' ? character : goQuoted(character).slice(1, -1);
    return `invalid character '${shown}' ${context}`;
  }

  #token(character: string, expected: Expected): string | { readonly expected: Expected } {
    switch (expected) {
      case "value or ]":
        return character === "]" ? this.#close() : this.#value(character);
      case "value":
        return this.#value(character);
      case "key or }":
        if (character === "}") return this.#close();
        return this.#key(character);
      case "key":
        return this.#key(character);
      case "colon":
        if (character !== ":") return this.#bad(where.colon);
        this.#at++;
        return { expected: "value" };
      case "comma or end": {
        const open = this.#open.at(-1) ?? "[";
        if (character === (open === "{" ? "}" : "]")) return this.#close();
        if (character !== ",") return this.#bad(afterItem[open]);
        this.#at++;
        return { expected: open === "{" ? "key" : "value" };
      }
      case "nothing":
        return this.#bad(where.nothing);
    }
  }

  #close(): { readonly expected: Expected } {
    this.#at++;
    this.#open.pop();
    return this.#afterValue();
  }

  #afterValue(): { readonly expected: Expected } {
    return { expected: this.#open.length === 0 ? "nothing" : "comma or end" };
  }

  #key(character: string): string | { readonly expected: Expected } {
    if (character !== '"') return this.#bad(where.key);
    return this.#string() ?? { expected: "colon" };
  }

  #value(character: string): string | { readonly expected: Expected } {
    if (character === "{" || character === "[") {
      if (this.#open.length === deepest) return this.#bad("exceeded max depth");
      this.#open.push(character);
      this.#at++;
      return { expected: character === "{" ? "key or }" : "value or ]" };
    }
    return this.#scalar(character) ?? this.#afterValue();
  }

  #scalar(character: string): string | undefined {
    if (character === '"') return this.#string();
    if (character === "-" || (character >= "0" && character <= "9")) return this.#number();
    const word = words[character];
    return word === undefined ? this.#bad(where.value) : this.#word(word);
  }

  #word(word: string): string | undefined {
    for (const letter of word) {
      if (this.#text[this.#at] !== letter) return this.#bad(`in literal ${word} (expecting '${letter}')`);
      this.#at++;
    }
    return undefined;
  }

  /** Moves past the character if it is one of `some`. */
  #isAt(some: string): boolean {
    const character = this.#text[this.#at];
    if (character === undefined || !some.includes(character)) return false;
    this.#at++;
    return true;
  }

  #number(): string | undefined {
    this.#isAt("-");
    // A zero ends the whole part: what follows is not read as digits.
    if (!this.#isAt("0") && !this.#skip(digits)) return this.#bad("in numeric literal");
    if (this.#isAt(".") && !this.#skip(digits)) return this.#bad("after decimal point in numeric literal");
    if (!this.#isAt("eE")) return undefined;
    this.#isAt("+-");
    return this.#skip(digits) ? undefined : this.#bad("in exponent of numeric literal");
  }

  #string(): string | undefined {
    this.#at++;
    for (;;) {
      while (this.#skip(plain));
      if (this.#isAt('"')) return undefined;
      if (this.#at === this.#text.length) return ended;
      if (!this.#isAt("\\")) return this.#bad("in string literal");
      if (this.#isAt("u")) {
        const start = this.#at;
        this.#skip(hex);
        if (this.#at - start < 4) return this.#bad("in \\u hexadecimal character escape");
      } else if (!this.#isAt('"\\/bfnrt')) return this.#bad("in string escape code");
    }
  }
}

/** Why a text is not JSON; undefined if it is. Each character of `bytes` is a byte, as Go reads a byte at a time. */
export const jsonProblem = (bytes: string): string | undefined => new JsonScanner(bytes).scan();

const goTypes: Readonly<Record<string, string>> = { boolean: "bool", number: "number", string: "string" };
/** Numbers and strings: what looks like a number in a string is no number. */
const pieces = /"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*/g;

/** Why a text cannot be read into a map; undefined if it is an object in JSON, or null. */
export function jsonMapProblem(bytes: string): string | undefined {
  const problem = jsonProblem(bytes);
  if (problem !== undefined) return problem;
  const value: unknown = JSON.parse(bytes);
  const type = Array.isArray(value) ? "array" : goTypes[typeof value];
  if (type !== undefined) return `json: cannot unmarshal ${type} into Go value of type map[string]interface {}`;
  for (const [piece] of bytes.matchAll(pieces)) {
    if (!piece.startsWith('"') && !Number.isFinite(Number(piece)))
      return `json: cannot unmarshal number ${piece} into Go value of type float64`;
  }
  return undefined;
}
