/** One run of a command: its signals, its end, and its status messages. */
import type { Output } from "../../src/platform/terminal.ts";
import type { Io } from "./io.ts";
import { waitUntilIdle } from "./idle.ts";
import { wrapHanging } from "./style.ts";

/** The first signal: `drain` ends the session gracefully, a second signal exits; `exit` exits at once. Both exit with 130. */
export type OnSignal = "drain" | "exit";

/** The parts of a session. */
export interface SessionOptions {
  readonly io: Io;
  /** The command's, for the timeline. */
  readonly name: string;
  /** Where `say` writes. */
  readonly status: Output;
  readonly onSignal: OnSignal | undefined;
}

const interruptedExitCode = 130;

/**
 * What a command's `run` gets. It ends once: by `end`, after `endAfter`, when `endWhenIdle` has nothing left to wait for, or by a signal.
 * Later events have no effect.
 */
export class Session {
  readonly io: Io;
  /** In ms since 1970. */
  readonly startedAt: number;
  /** Resolves at the end of the session; never rejects. */
  readonly ended: Promise<void>;
  readonly #options: SessionOptions;
  readonly #startedSteady: number;
  readonly #interrupted = new AbortController();
  readonly #end: () => void;
  readonly #beforeExit: (() => void)[] = [];
  #isOver = false;

  constructor(options: SessionOptions) {
    const { timeline } = options.io;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#options = options;
    this.io = options.io;
    this.startedAt = timeline.now();
    this.#startedSteady = timeline.clocks().steady;
    this.ended = promise;
    this.#end = resolve;
  }

  /** Aborted by the first signal. */
  get signal(): AbortSignal {
    return this.#interrupted.signal;
  }

  /** Whether it has ended. */
  get isOver(): boolean {
    return this.#isOver;
  }

  /** Since the start, by the monotonic clock. */
  get elapsedMs(): number {
    return this.io.timeline.clocks().steady - this.#startedSteady;
  }

  /** Prints a line about the session, wrapped at words if the terminal is narrower. */
  say(line: string): void {
    const { status } = this.#options;
    for (const text of wrapHanging(line, status.columns)) status.line(text);
  }

  /** Prints a line on standard error. */
  warn(line: string): void {
    this.io.err.line(line);
  }

  /** Ends the session. */
  end(): void {
    this.#isOver = true;
    this.#end();
  }

  /** Ends it after this time; undefined: never. */
  endAfter(ms: number | undefined): void {
    if (ms === undefined) return;
    this.io.timeline.after(ms, `${this.#options.name} --for`, () => this.end(), { background: true });
  }

  /** Ends it when nothing has been left to do for 0.3 s. */
  endWhenIdle(isIdle: () => boolean): void {
    const wait = { who: `${this.#options.name} --once`, isIdle, isOver: () => this.#isOver };
    void waitUntilIdle(this.io.timeline, wait).then(() => this.end());
  }

  /** The result of `start`; undefined if it failed after a signal: then there is nothing to run and nothing to report. */
  async unlessInterrupted<T>(start: () => Promise<T>): Promise<T | undefined> {
    try {
      return await start();
    } catch (error) {
      if (this.signal.aborted) return undefined;
      throw error;
    }
  }

  /** Registers cleanup for when a second signal exits this process at once. Called at most once. */
  beforeExit(fn: () => void): void {
    this.#beforeExit.push(fn);
  }

  /** For `Io.onStopSignal`. */
  readonly onStopSignal = (signal: string, count: number): void => {
    const { io, status, onSignal } = this.#options;
    if (count > 1 || onSignal === "exit") {
      for (const fn of this.#beforeExit.splice(0)) fn();
      io.exit(interruptedExitCode);
    }
    // The terminal has just written ^C.
    if (signal === "SIGINT" && status.columns !== undefined) status.write("\n");
    this.#interrupted.abort(new Error("stopped by a signal"));
    this.end();
  };
}

/** Runs a command in a session that listens for signals while it runs. @returns its exit code. */
export async function inSession(options: SessionOptions, run: (session: Session) => Promise<number>): Promise<number> {
  const session = new Session(options);
  const off = options.onSignal === undefined ? undefined : options.io.onStopSignal(session.onStopSignal);
  try {
    return await run(session);
  } finally {
    off?.();
  }
}
