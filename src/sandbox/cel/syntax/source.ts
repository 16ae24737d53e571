/** The source of an expression, and errors with positions in it. Source: cel-go v0.26 common/source.go, error.go, errors.go. */

/** An error in an expression. */
export interface Issue {
  /** Code points from the beginning; negative if there is no position. */
  readonly at: number;
  readonly message: string;
}

/** The position of errors without one. */
export const nowhere = -1;

const mostReported = 100;
const longestSnippet = 16_384;

/** Collects errors, and prints them as cel-go does. */
export class Issues {
  readonly #found: Issue[] = [];
  readonly #characters: readonly string[];
  #count = 0;

  /** @param characters the expression's code points */
  constructor(characters: readonly string[]) {
    this.#characters = characters;
  }

  get isEmpty(): boolean {
    return this.#count === 0;
  }

  /** Adds an error; after a hundred, errors are only counted. */
  report(at: number, message: string): void {
    if (++this.#count <= mostReported) this.#found.push({ at, message });
  }

  /** All errors in source order, each with its line and a caret below it. */
  toString(): string {
    const starts = lineStarts(this.#characters);
    const placed = this.#found.map((issue) => ({ ...issue, ...placeOf(issue.at, starts) }));
    placed.sort((a, b) => a.line - b.line || a.column - b.column);
    const texts = placed.map((issue) => this.#shown(issue, starts));
    if (this.#count > mostReported) texts.push(`${this.#count - mostReported} more errors were truncated`);
    return texts.join("\n");
  }

  #shown({ line, column, message }: Placed, starts: readonly number[]): string {
    // As in cel-go, an empty text has no first column.
    const shownColumn = this.#characters.length === 0 && line === 1 ? 0 : column + 1;
    const head = `ERROR: <input>:${line}:${shownColumn}: ${message}`;
    const start = starts[line - 1];
    if (start === undefined || this.#characters.length === 0) return head;
    const end = (starts[line] ?? this.#characters.length + 1) - 1;
    const snippet = this.#characters.slice(start, end).map((character) => (character === "\t" ? " " : character));
    if (snippet.join("").length > longestSnippet) return head;
    const dots = snippet.slice(0, column).map((character) => (isWide(character) ? "．" : "."));
    return `${head}\n | ${snippet.join("")}\n | ${dots.join("")}${isWide(snippet[column] ?? "") ? "＾" : "^"}`;
  }
}

interface Placed {
  /** Counts from 1. */
  readonly line: number;
  /** Counts from 0. */
  readonly column: number;
  readonly message: string;
}

/** True for characters of more than one byte. */
const isWide = (character: string): boolean => (character.codePointAt(0) ?? 0) > 0x7f;

function lineStarts(characters: readonly string[]): number[] {
  const starts = [0];
  characters.forEach((character, at) => {
    if (character === "\n") starts.push(at + 1);
  });
  return starts;
}

function placeOf(at: number, starts: readonly number[]): { readonly line: number; readonly column: number } {
  if (at < 0) return { line: -1, column: -1 };
  let line = 1;
  while (line < starts.length && (starts[line] ?? 0) <= at) line++;
  return { line, column: at - (starts[line - 1] ?? 0) };
}
