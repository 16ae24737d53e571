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

/**
 * Why an output can no longer be written. `closed`: its reader has closed (EPIPE), as in `… | head`. `failed`: the system refused the text,
 * which is lost; `why` is the system's reason, such as `no space left on device`.
 */
export type BrokenOutput = { readonly is: "closed" } | { readonly is: "failed"; readonly why: string };

/** Calls back once when an output breaks. */
export type OnBroken = (fn: (broken: BrokenOutput) => void) => void;

/** The size of a terminal that reports 0 columns, as a pseudo-terminal does until a program sets its size. */
const usualSize = { columns: 80, rows: 24 };

type Listeners = ((broken: BrokenOutput) => void)[];

function output(stream: NodeJS.WriteStream, listeners: Listeners): Output {
  let gone = false;
  /** Writes that are not completed, and who waits until there are none. */
  let pending = 0;
  const waiting: (() => void)[] = [];
  const fail = (error: Error): void => {
    gone = true;
    const broken = brokenBy(error);
    for (const fn of listeners.splice(0)) fn(broken);
    for (const resolve of waiting.splice(0)) resolve();
  };
  const completed = (error?: Error | null): void => {
    pending--;
    if (error) fail(error);
    else if (pending === 0) for (const resolve of waiting.splice(0)) resolve();
  };
  stream.on("error", fail);
  const { env } = process;
  return {
    write(text) {
      if (gone) return;
      pending++;
      try {
        stream.write(terminalText(text), completed);
      } catch (error) {
        // Deno throws, where Bun and Node report an error of the stream.
        fail(error as Error);
      }
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
        else
          stream.write("", () => {
            // On Bun, this is called before an earlier write is known to have failed.
            if (gone || pending === 0) resolve();
            else waiting.push(resolve);
          });
      });
    },
  };
}

function brokenBy({ message, ...error }: Error & { readonly code?: string }): BrokenOutput {
  if (error.code === "EPIPE") return { is: "closed" };
  // `ENOSPC: no space left on device, write`; on Deno, `No space left on device (os error 28)`.
  const why = message.replace(/^E[A-Z]+: /, "").replace(/(, write| \(os error \d+\))$/, "");
  return { is: "failed", why: why.charAt(0).toLowerCase() + why.slice(1) };
}

/** The standard streams. */
export interface Terminal {
  readonly out: Output;
  readonly err: Output;
  readonly onBroken: OnBroken;
}

/** To be called once: it listens for errors of the streams. */
export function openTerminal(): Terminal {
  const listeners: Listeners = [];
  return {
    out: output(process.stdout, listeners),
    err: output(process.stderr, listeners),
    onBroken: (fn) => void listeners.push(fn),
  };
}

/** What a library's function writes with `console.log`, with its line ends; nothing of it is printed. */
export function loggedBy(fn: () => void): string {
  const { log } = console;
  let text = "";
  console.log = (line: string): void => void (text += `${line}\n`);
  try {
    fn();
  } finally {
    console.log = log;
  }
  return text;
}
