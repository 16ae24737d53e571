/** This process: its arguments, the signals that ask it to end, and its end. */
import { hostname } from "node:os";
import process from "node:process";

/**
 * Calls `fn` for each SIGINT, SIGTERM and SIGHUP; `count` is 1 for the first. The process no longer ends by itself then.
 * The function returned gives the signals back.
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

/** Ends the process at once with an exit code. */
export function exit(code: number): never {
  process.exit(code);
}

/** The arguments behind the program's name. */
export function programArguments(): readonly string[] {
  return process.argv.slice(2);
}

/** This process, as others on the machine know it. */
export function processId(): number {
  return process.pid;
}

/** Whether a process of this machine lives; one that may not be asked counts as living. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as { code?: string }).code !== "ESRCH";
  }
}

/** The name of this machine, without underscores. */
export function hostName(): string {
  return hostname().replaceAll("_", "-");
}
