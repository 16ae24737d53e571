/** Standard output and standard error, the same on Bun, Deno and Node. */
import process from "node:process";
import { oneLine, terminalText } from "./visible-text.ts";

export interface Output {
  /** Control characters are made visible, but for newlines, tabs and sequences of our own (`visible-text.ts`). */
  write(text: string): void;
  /** One line, with its end; a newline that is inside it is made visible, so that no text of others looks like a line of ours. */
  line(text: string): void;
  /** Characters a line; undefined where it is no terminal. */
  readonly columns: number | undefined;
  /** Lines of the screen; undefined where it is no terminal. */
  readonly rows: number | undefined;
  /** Whether colours may be used: a terminal, and neither NO_COLOR nor TERM=dumb. */
  readonly colours: boolean;
  /** Bytes written that the reader has not taken yet. */
  readonly pendingBytes: number;
  /** Resolves when everything written was taken, or the reader is gone. */
  flush(): Promise<void>;
}

/** Calls back once when the reader of an output is gone (EPIPE), as in `… | head`. */
export type OnBroken = (fn: () => void) => void;

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
      return stream.isTTY ? stream.columns : undefined;
    },
    get rows() {
      return stream.isTTY ? stream.rows : undefined;
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

export interface Terminal {
  readonly out: Output;
  readonly err: Output;
  readonly onBroken: OnBroken;
}

/** Called once: it listens for errors of the streams. */
export function openTerminal(): Terminal {
  const broken: (() => void)[] = [];
  return {
    out: output(process.stdout, broken),
    err: output(process.stderr, broken),
    onBroken: (fn) => void broken.push(fn),
  };
}
