/** `watch pods -A` as a user runs it, on a stream of changes over HTTPS: whether it keeps up, and whether its memory stays flat. */
import { join } from "node:path";
import { type Child, start, usageOf } from "./child.ts";
import { figure, median, type Result } from "./figures.ts";
import { firehoseKubeconfig } from "./firehose.ts";
import type { Program } from "./peers.ts";

/** Per second; a busy cluster of thousands of nodes has no more. */
const rate = 5000;
/** Its maximum speed is measured on the deltas of this many seconds. */
const fastestSeconds = 5;
const listed = 1000;

export interface WatchCommandOptions {
  readonly rounds: number;
  /** `dist/kubectl-reconcile`. */
  readonly program: string;
  /** A saved PodList. */
  readonly pods: string;
  readonly dir: string;
  readonly firehose: Program;
  /** The number of deltas over which memory has to stay flat. */
  readonly deltas: number;
}

export async function watchCommandFigures(options: WatchCommandOptions): Promise<readonly Result[]> {
  const { firehose, rounds } = options;
  if (firehose.is === "missing") return [{ name: "the command watch", why: firehose.why }];
  const { deltas } = options;
  // At full speed, what is not shown yet accumulates in memory: it has to stay flat at a rate that the command keeps up with.
  const paced = await watched({ ...options, firehose }, { deltas, rate });
  const fastest: Watched[] = [];
  for (let round = 0; round < rounds; round++) {
    fastest.push(await watched({ ...options, firehose }, { deltas: rate * fastestSeconds, rate: 0 }));
  }
  // Memory has settled between the first and the second tenth; the last tenth is compared with that.
  const tenth = deltas / 10;
  const [early, late] = [rssFrom(paced, tenth, 2 * tenth), rssFrom(paced, deltas - tenth, deltas)];
  const [sent, shown] = [rate.toLocaleString("en"), deltas.toLocaleString("en")];
  return [
    figure(
      `watch: deltas shown a second, of ${sent} sent over HTTPS`,
      "/s",
      { is: "at least", ratio: 0.98 },
      { ours: [paced.perSecond], peer: [rate] },
    ),
    figure(
      "watch: from the last delta sent to the last shown, beside a second",
      "ms",
      { is: "at most", ratio: 1 },
      { ours: [paced.behindMs], peer: [1000] },
    ),
    figure(
      `watch: resident memory after ${shown} deltas, beside after ${tenth.toLocaleString("en")}`,
      "MB",
      { is: "at most", ratio: 1.1 },
      { ours: [late], peer: [early] },
    ),
    figure(
      `watch: deltas shown a second at most, beside ${sent}`,
      "/s",
      { is: "at least", ratio: 1 },
      { ours: fastest.map((each) => each.perSecond), peer: fastest.map(() => rate) },
    ),
  ];
}

interface Watched {
  readonly perSecond: number;
  /** Between the server's last write and the last line read. */
  readonly behindMs: number;
  readonly samples: readonly Sample[];
}

interface Sample {
  readonly shown: number;
  readonly rssMb: number;
}

/** The median of the samples taken while these deltas were shown. */
function rssFrom({ samples }: Watched, from: number, to: number): number {
  return median(
    samples
      .filter(({ shown }) => shown >= from && shown <= to)
      .map(({ rssMb }) => rssMb)
      .filter((rssMb) => rssMb > 0),
  );
}

interface Sending {
  readonly deltas: number;
  /** Per second; 0: as many as are read. */
  readonly rate: number;
}

async function watched(
  options: WatchCommandOptions & { readonly firehose: Program & { readonly is: "there" } },
  sending: Sending,
): Promise<Watched> {
  const ca = join(options.dir, "firehose.crt");
  const events = ["-events", String(sending.deltas), "-rate", String(sending.rate)];
  const command = [options.firehose.path, "-pods", options.pods, "-n", String(listed), "-tls", ca, ...events];
  const paceMs = sending.rate === 0 ? 0 : (sending.deltas / sending.rate) * 1000;
  const server = start(command, { longestMs: 180_000 + 2 * paceMs });
  try {
    const kubeconfig = join(options.dir, "firehose-tls.kubeconfig");
    await Bun.write(kubeconfig, firehoseKubeconfig(await server.firstLine(), ca));
    return await readLines([options.program, "watch", "pods", "-A", "--kubeconfig", kubeconfig], sending, server);
  } finally {
    await server.stop();
  }
}

/** Reads what the command prints to its end, as a pipe would. */
async function readLines(command: readonly string[], { deltas }: Sending, server: Child): Promise<Watched> {
  const run = Bun.spawn([...command, "--count", String(deltas)], { stdin: "ignore", stdout: "pipe", stderr: "ignore" });
  const samples: Sample[] = [];
  const progress = { shown: 0, firstAt: 0, sentAt: NaN };
  void server.line("sent").then(
    () => (progress.sentAt = performance.now()),
    () => undefined,
  );
  const sampling = setInterval(() => {
    if (progress.shown > 0 && run.exitCode === null)
      samples.push({ shown: progress.shown, rssMb: usageOf(run.pid).rssKb / 1024 });
  }, 250);
  for await (const chunk of run.stdout) {
    if (progress.shown === 0) progress.firstAt = performance.now();
    for (let at = chunk.indexOf(0x0a); at >= 0; at = chunk.indexOf(0x0a, at + 1)) progress.shown++;
  }
  clearInterval(sampling);
  const endedAt = performance.now();
  const code = await run.exited;
  if (code !== 0 || progress.shown < deltas) {
    throw new Error(`${command.join(" ")} ended with ${code} after ${progress.shown} of ${deltas} lines`);
  }
  const seconds = (endedAt - progress.firstAt) / 1000;
  return { perSecond: deltas / seconds, behindMs: Math.max(0, endedAt - progress.sentAt), samples };
}
