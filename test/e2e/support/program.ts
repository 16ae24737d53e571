/** `kubectl reconcile` as a child process, as a user runs it: the compiled program if it is up to date, otherwise its source. */
import { existsSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const top = join(import.meta.dir, "..", "..", "..");

/** RECONCILE_BINARY, or dist/kubectl-reconcile unless a source file is newer, or plugin/main.ts on this Bun. */
export const programCommand: readonly string[] = findProgram();

function findProgram(): readonly string[] {
  const named = process.env["RECONCILE_BINARY"];
  if (named !== undefined && named !== "") return [named];
  const built = join(top, "dist", "kubectl-reconcile");
  const sources = [...new Bun.Glob("{src,plugin}/**/*.{ts,json}").scanSync(top)];
  const changedAt = Math.max(...sources.map((file) => statSync(join(top, file)).mtimeMs));
  if (existsSync(built) && statSync(built).mtimeMs > changedAt) return [built];
  return [process.execPath, join(top, "plugin", "main.ts")];
}

export interface ProgramOptions {
  /** Unset: none, not even the user's own. */
  readonly kubeconfig?: string;
  /** A shell command line to run instead of the program, in which `"$@"` is the program and its arguments. */
  readonly through?: string;
  /** TMPDIR; the system's default folder if unset. */
  readonly temporary?: string;
}

export interface ProgramEnd {
  readonly stdout: string;
  /** Without the line about a slow server. */
  readonly stderr: string;
  /** -1 if it was ended by a signal. */
  readonly code: number;
}

export interface Program {
  readonly pid: number;
  /** Output so far. */
  readonly stdout: string;
  readonly stderr: string;
  /** Resolves when its output matches. @throws Error with all output if it ends first, or after `withinMs`, by default a minute. */
  says(pattern: RegExp, withinMs?: number): Promise<void>;
  signal(name: NodeJS.Signals): void;
  /** Resolves when it has exited. @throws Error if that takes more than a minute; it is then killed. */
  end(): Promise<ProgramEnd>;
  /** Kills it if it is still running. */
  [Symbol.asyncDispose](): Promise<void>;
}

/** Printed when the first response of a server takes more than two seconds: this shows a busy machine and is irrelevant to a test. */
const slowContact = /^connecting to https:\S+ …\n/gm;

/** Starts the program; `await using program = startProgram([…])` cleans up. */
export function startProgram(args: readonly string[], options: ProgramOptions = {}): Program {
  const { kubeconfig = join(tmpdir(), "no-kubeconfig"), through, temporary = tmpdir() } = options;
  const words = [...programCommand, ...args];
  const run = Bun.spawn(through === undefined ? words : ["bash", "-c", through, "bash", ...words], {
    env: { HOME: "/nonexistent", PATH: process.env["PATH"] ?? "", KUBECONFIG: kubeconfig, TMPDIR: temporary },
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
  });
  const output = { out: "", err: "" };
  const reading = Promise.all([
    collect(run.stdout, (text) => (output.out += text)),
    collect(run.stderr, (text) => (output.err += text)),
  ]);
  const all = (): string => `${args.join(" ")}\n${output.out}${output.err}`;
  const isOver = (): boolean => run.exitCode !== null || run.signalCode !== null;
  return {
    pid: run.pid,
    get stdout() {
      return output.out;
    },
    get stderr() {
      return output.err;
    },
    async says(pattern, withinMs = 60_000) {
      for (let tries = 0; tries < withinMs / 10; tries++) {
        if (pattern.test(output.out) || pattern.test(output.err)) return;
        if (isOver()) break;
        await Bun.sleep(10);
      }
      await Bun.sleep(50);
      if (!pattern.test(output.out) && !pattern.test(output.err)) throw new Error(`It never said ${pattern}: ${all()}`);
    },
    signal: (name) => run.kill(name),
    async end() {
      for (let tries = 0; tries < 6000 && !isOver(); tries++) await Bun.sleep(10);
      if (!isOver()) {
        run.kill("SIGKILL");
        throw new Error(`It did not end: ${all()}`);
      }
      await reading;
      return { stdout: output.out, stderr: output.err.replace(slowContact, ""), code: run.exitCode ?? -1 };
    },
    async [Symbol.asyncDispose]() {
      if (!isOver()) run.kill("SIGKILL");
      await run.exited;
    },
  };
}

/** Runs the program until it exits. */
export async function runProgram(args: readonly string[], options: ProgramOptions = {}): Promise<ProgramEnd> {
  await using program = startProgram(args, options);
  return await program.end();
}

async function collect(stream: ReadableStream<Uint8Array>, add: (text: string) => void): Promise<void> {
  const decoder = new TextDecoder();
  for await (const chunk of stream) add(decoder.decode(chunk, { stream: true }));
}
