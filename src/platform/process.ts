/** This process: arguments, stop signals, exit. */
import { createHash } from "node:crypto";
import { readFileSync, readlinkSync } from "node:fs";
import { hostname } from "node:os";
import { basename } from "node:path";
import process from "node:process";
import { longestTimerMs } from "./real-timeline.ts";

/**
 * Calls `fn` for each SIGINT, SIGTERM and SIGHUP, instead of exiting; `count` is 1 for the first. Returns a function that restores the
 * default.
 */
export function onStopSignal(fn: (signal: string, count: number) => void): () => void {
  let count = 0;
  const listeners = (["SIGINT", "SIGTERM", "SIGHUP"] as const).map((signal) => {
    const listener = (): void => fn(signal, ++count);
    process.on(signal, listener);
    return () => void process.off(signal, listener);
  });
  return () => {
    for (const off of listeners) off();
  };
}

/** Exits the process at once with an exit code. */
export function exit(code: number): never {
  process.exit(code);
}

/**
 * Keeps the process until it exits. With nothing but background timers and a promise to wait for, Deno would end it, and Bun would poll
 * without a pause, at the price of a whole processor.
 */
export function stayUntilExit(): void {
  setInterval(() => undefined, longestTimerMs);
}

/** The command-line arguments after the program's name. */
export function programArguments(): readonly string[] {
  return process.argv.slice(2);
}

/** The name by which the program was called, without its folder and `.exe`; if called through a link, the link's name. */
export function calledName(): string {
  return basename(process.argv0).replace(/\.exe$/i, "");
}

/** The file of the compiled program; undefined if a runtime runs its source. */
export function compiledProgram(): string | undefined {
  // Where Bun mounts the contents of a compiled program.
  return /^(\/\$bunfs\/|[A-Z]:[\\/]~BUN[\\/])/i.test(process.argv[1] ?? "") ? process.execPath : undefined;
}

/** This process's id. */
export function processId(): number {
  return process.pid;
}

/** Whether a process of this machine exists; also true if this user may not signal it. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as { code?: string }).code !== "ESRCH";
  }
}

/**
 * Which processes this process's ids stand for: the same for all of this machine since it started, in the same container. Empty where
 * that cannot be known, on other systems than Linux.
 */
export function processSpace(): string {
  try {
    const startOfMachine = readFileSync("/proc/sys/kernel/random/boot_id", "utf8");
    const container = readlinkSync("/proc/self/ns/pid");
    return createHash("sha256").update(startOfMachine).update(container).digest("hex").slice(0, 8);
  } catch {
    return "";
  }
}

/** The name of this machine, without underscores. */
export function hostName(): string {
  return hostname().replaceAll("_", "-");
}
