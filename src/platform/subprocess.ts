/** Running other programs. */
import { spawn } from "node:child_process";
import { constants } from "node:os";
import { createInterface } from "node:readline";
import { onStopSignal } from "./process.ts";

/** A program to be run. */
export interface Program {
  readonly command: string;
  readonly args: readonly string[];
  /** The complete environment. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Whether the program may read this process's standard input; it always inherits standard error. */
  readonly interactive: boolean;
}

/** How a program ended. `missing`: it does not exist. */
export type ProgramEnd =
  | { readonly is: "ended"; readonly code: number; readonly out: string }
  | { readonly is: "missing" }
  | { readonly is: "failed"; readonly why: string };

/** A program that replaces this process at the terminal. */
export type AttachedProgram = Pick<Program, "command" | "args" | "env">;

/**
 * Runs a program with this process's standard streams, and forwards termination signals. Resolves with its exit code; as in a shell, 128
 * plus the signal's number if a signal killed it.
 * @throws Error with the system's `code` if it cannot be started.
 */
export function runAttached({ command, args, env }: AttachedProgram): Promise<number> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, [...args], { env, stdio: "inherit" });
    // The names are those of signals.
    const off = onStopSignal((signal) => child.kill(signal as NodeJS.Signals));
    child.on("error", reject);
    child.on("close", (code, signal) => {
      off();
      resolve(signal === null ? (code ?? 0) : 128 + constants.signals[signal]);
    });
  });
}

const mostOutputBytes = 10 * 1024 * 1024;

/** Runs a program to its end, capturing its standard output. */
export function runProgram(program: Program): Promise<ProgramEnd> {
  return new Promise((resolve) => {
    const failed = (error: unknown): void => {
      const { code, message } = error as { code?: string; message?: string };
      if (code === "ENOENT") return resolve({ is: "missing" });
      // The runtime's message about an invalid argument or variable quotes it: it may be a secret.
      const quotes = code?.startsWith("ERR_") === true;
      const why = quotes ? "its arguments or its environment cannot be handed over" : (message ?? String(error));
      resolve({ is: "failed", why });
    };
    try {
      const child = spawn(program.command, [...program.args], {
        env: program.env,
        stdio: [program.interactive ? "inherit" : "ignore", "pipe", "inherit"],
      });
      const chunks: Buffer[] = [];
      let length = 0;
      child.stdout?.on("data", (chunk: Buffer) => {
        length += chunk.length;
        if (length > mostOutputBytes) child.kill();
        else chunks.push(chunk);
      });
      child.on("error", failed);
      child.on("close", (code, signal) => {
        if (signal !== null) resolve({ is: "failed", why: `it was ended by ${signal}` });
        else resolve({ is: "ended", code: code ?? 0, out: Buffer.concat(chunks).toString("utf8") });
      });
    } catch (error) {
      // For a missing program some runtimes throw, others emit an error.
      failed(error);
    }
  });
}

/** A program that runs beside this one. */
export interface CompanionProgram extends AttachedProgram {
  /** Called with each line that it writes to standard output or standard error. */
  readonly onLine: (line: string) => void;
}

/** A program that was started, and may have exited. */
export interface Companion {
  readonly pid: number;
  /** Its exit code; as in a shell, 128 plus the signal's number if a signal killed it. Never rejects. */
  readonly exited: Promise<number>;
  /** Sends it a signal; no-op once it has exited. */
  signal(name: string): void;
}

/**
 * Starts a program beside this one. It shares standard input and nothing else of the terminal: its output is delivered line by line.
 * @throws Error with the system's `code` if it cannot be started: `ENOENT` if it does not exist.
 */
export function startCompanion({ command, args, env, onLine }: CompanionProgram): Promise<Companion> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, [...args], { env, stdio: ["inherit", "pipe", "pipe"] });
    child.on("error", reject);
    const exited = new Promise<number>((ended) => {
      child.on("close", (code, signal) => ended(signal === null ? (code ?? 0) : 128 + constants.signals[signal]));
    });
    for (const stream of [child.stdout, child.stderr]) createInterface({ input: stream }).on("line", onLine);
    child.on("spawn", () => {
      resolve({
        pid: child.pid ?? 0,
        exited,
        // The names are those of signals.
        signal: (name) => void child.kill(name as NodeJS.Signals),
      });
    });
  });
}
