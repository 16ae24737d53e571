/** Programs under measurement: what they print, and what the kernel reports about them (Linux's /proc). */
import { readFileSync } from "node:fs";
import { linesOf } from "./lines.ts";

/** Ticks per second of the processor times in /proc; 100 on every Linux. */
const ticksPerSecond = 100;

export interface Usage {
  /** User and system time so far. */
  readonly cpuMs: number;
  readonly rssKb: number;
  /** The highest so far. */
  readonly peakKb: number;
}

export interface Child {
  readonly pid: number;
  /** Milliseconds since 1970, just before it was started. */
  readonly startedAt: number;
  /** The next JSON line of one of these phases. @throws Error if the program exits or takes too long. */
  line(phase: string): Promise<Readonly<Record<string, number>>>;
  /** The very first line. */
  firstLine(): Promise<string>;
  usage(): Usage;
  /** Terminates it and waits until it exits. */
  stop(): Promise<void>;
}

const longestMs = 180_000;

/** Starts a program. Its standard input stays open, its standard output is read line by line, or written to a file. */
export function start(
  command: readonly string[],
  options: {
    /** How long to wait for a line, in ms. Default 180 s. */
    readonly longestMs?: number;
    readonly env?: Readonly<Record<string, string>>;
    readonly stdout?: "lines" | "ignored" | { readonly file: string };
  } = {},
): Child {
  const isRead = (options.stdout ?? "lines") === "lines";
  const startedAt = performance.timeOrigin + performance.now();
  const child = Bun.spawn([...command], {
    stdin: "pipe",
    stdout: typeof options.stdout === "object" ? Bun.file(options.stdout.file) : isRead ? "pipe" : "ignore",
    stderr: "pipe",
    env: { ...process.env, ...options.env },
  });
  const errors = lastLines(child.stderr);
  const lines = isRead ? linesOf(child.stdout as ReadableStream<Uint8Array>) : undefined;
  const next = async (): Promise<string> => {
    const timer = setTimeout(() => child.kill("SIGKILL"), options.longestMs ?? longestMs);
    try {
      const { value } = (await lines?.next()) ?? {};
      if (typeof value === "string") return value;
      await child.exited;
      throw new Error(`${command[0]} ended: ${await errors}`);
    } finally {
      clearTimeout(timer);
    }
  };
  return {
    pid: child.pid,
    startedAt,
    firstLine: next,
    async line(phase) {
      for (;;) {
        const line = await next();
        if (!line.startsWith("{")) continue;
        const value = JSON.parse(line) as Record<string, number> & { phase?: unknown };
        if (value.phase === phase) return value;
      }
    },
    usage: () => usageOf(child.pid),
    async stop() {
      child.kill("SIGTERM");
      const timer = setTimeout(() => child.kill("SIGKILL"), 10_000);
      await child.exited;
      clearTimeout(timer);
    },
  };
}

async function lastLines(stream: ReadableStream<Uint8Array>): Promise<string> {
  let text = "";
  const decoder = new TextDecoder();
  for await (const chunk of stream) text = (text + decoder.decode(chunk, { stream: true })).slice(-2000);
  return text.trim().split("\n").slice(-3).join(" · ");
}

/** What the kernel reports about a process; its memory is NaN once it has exited. @throws if there is no such process. */
export function usageOf(pid: number): Usage {
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  const kb = (name: string): number => Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)?.[1] ?? NaN);
  // The name in parentheses may contain spaces.
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8")
    .replace(/^.*\) /, "")
    .split(" ");
  const ticks = Number(fields[11]) + Number(fields[12]);
  return { cpuMs: (ticks / ticksPerSecond) * 1000, rssKb: kb("VmRSS"), peakKb: kb("VmHWM") };
}
