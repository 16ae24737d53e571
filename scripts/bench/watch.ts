/** Watch events per second: from the firehose through delta queue, Indexer and one handler. */
import { join } from "node:path";
import { start } from "./child.ts";
import { type Goal, figure, type Result } from "./figures.ts";
import { firehoseKubeconfig } from "./firehose.ts";
import type { Program } from "./peers.ts";

export interface WatchOptions {
  readonly rounds: number;
  /** A saved PodList. */
  readonly pods: string;
  readonly dir: string;
  readonly ours: string;
  readonly firehose: Program;
  readonly clientGo: Program;
  readonly kubeRs: Program;
}

interface Side {
  readonly name: "kube-rs" | "client-go JSON";
  readonly program: Program;
  /** Enough for a few seconds. */
  readonly events: number;
  readonly arguments: (events: string) => readonly string[];
  readonly goal: Goal;
}

const ourEvents = 100_000;

export async function watchFigures(options: WatchOptions): Promise<readonly Result[]> {
  const { firehose, rounds, clientGo, kubeRs } = options;
  const sides: readonly Side[] = [
    {
      name: "kube-rs",
      program: kubeRs,
      events: 30_000,
      arguments: (events) => ["watch", events],
      goal: { is: "at least", ratio: 2.5 },
    },
    {
      name: "client-go JSON",
      program: clientGo,
      events: 10_000,
      arguments: (events) => ["-mode", "watch", "-n", events],
      goal: { is: "at least", ratio: 8 },
    },
  ];
  if (firehose.is === "missing")
    return sides.map(({ name }) => ({ name: `watch events, against ${name}`, why: firehose.why }));
  const server = start([firehose.path, "-pods", options.pods, "-n", "1000", "-events", String(ourEvents)]);
  try {
    const kubeconfig = join(options.dir, "firehose.kubeconfig");
    await Bun.write(kubeconfig, firehoseKubeconfig(await server.firstLine()));
    const ours: number[] = [];
    const theirs = new Map(sides.map(({ name }) => [name, [] as number[]]));
    for (let round = 0; round < rounds; round++) {
      ours.push(await eventsPerSecond([options.ours, "watch", String(ourEvents)], kubeconfig));
      for (const side of sides) {
        if (side.program.is === "missing") continue;
        const command = [side.program.path, ...side.arguments(String(side.events))];
        theirs.get(side.name)?.push(await eventsPerSecond(command, kubeconfig));
      }
    }
    return sides.map(({ name, program, goal }) => {
      const title = `watch events, against ${name}`;
      if (program.is === "missing") return { name: title, why: program.why };
      return figure(title, "/s", goal, { ours, peer: theirs.get(name) ?? [] });
    });
  } finally {
    await server.stop();
  }
}

async function eventsPerSecond(command: readonly string[], kubeconfig: string): Promise<number> {
  const child = start(command, { env: { KUBECONFIG: kubeconfig } });
  try {
    return (await child.line("watch"))["events_s"] ?? NaN;
  } finally {
    await child.stop();
  }
}
