/** Standard output and standard error, the same on Bun, Deno and Node. */
import process from "node:process";
import { oneLine, terminalText } from "./visible-text.ts";

/** Standard output or standard error. */
export interface Output {
  /** Control characters are made visible, except newlines, tabs and our own escape sequences (`visible-text.ts`). */
  write(text: string): void;
  /**
   * Writes one line and its end; newlines inside it are made visible, so that foreign text cannot imitate a line of
   * ours.
   */
  line(text: string): void;
  /** Characters per line, 80 on a terminal that does not know its size; undefined if it is not a terminal. */
  readonly columns: number | undefined;
  /** Lines on the screen, 24 on a terminal that does not know its size; undefined if it is not a terminal. */
  readonly rows: number | undefined;
  /** Whether to use colours: on a terminal, with neither NO_COLOR nor TERM=dumb. */
  readonly colours: boolean;
  /** Bytes written that the reader has not consumed yet. */
  readonly pendingBytes: number;
  /** Resolves when everything written has been consumed, or the reader has closed. */
  flush(): Promise<void>;
}

/** Calls back once when the reader of an output has closed (EPIPE), as in `… | head`. */
export type OnBroken = (fn: () => void) => void;

/** The size of a terminal that reports 0 columns, as a pseudo-terminal does until a program sets its size. */
const usualSize = { columns: 80, rows: 24 };

function output(stream: NodeJS.WriteStream, broken: (() => void)[]): Output {
  let gone = false;
  stream.on("error", () => {
    gone = true;
    for (const fn of broken.splice(0)) fn();
  });
  const { env } = process;
  return {
    write(text) {
      if (!gone) stream.write(terminalText(text));
    },
    line(text) {
      this.write(`${oneLine(text)}\n`);
    },
    get columns() {
      return stream.isTTY ? stream.columns || usualSize.columns : undefined;
    },
    get rows() {
      return stream.isTTY ? stream.rows || usualSize.rows : undefined;
    },
    get colours() {
      return stream.isTTY && (env["NO_COLOR"] ?? "") === "" && env["TERM"] !== "dumb";
    },
    get pendingBytes() {
      return stream.writableLength;
    },
    flush() {
      return new Promise((resolve) => {
        if (gone) resolve();
        else stream.write("", () => resolve());
      });
    },
  };
}

/** The standard streams. */
export interface Terminal {
  readonly out: Output;
  readonly err: Output;
  readonly onBroken: OnBroken;
}

/** To be called once: it listens for errors of the streams. */
export function openTerminal(): Terminal {
  const broken: (() => void)[] = [];
  return {
    out: output(process.stdout, broken),
    err: output(process.stderr, broken),
    onBroken: (fn) => void broken.push(fn),
  };
}
