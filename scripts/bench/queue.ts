/** Queue cycles, and the cost of stage events without listeners. */
import { start } from "./child.ts";
import { figure, type Figure, type Result } from "./figures.ts";
import type { Program } from "./peers.ts";

const cycles = 100_000;
const emitRounds = 5_000_000;
const emitGoalNs = 5;

export interface QueueOptions {
  readonly rounds: number;
  readonly ours: string;
  readonly clientGo: Program;
}

export async function queueFigures({ rounds, ours, clientGo }: QueueOptions): Promise<readonly Result[]> {
  const name = `queue cycles (add, get, forget, done) of ${cycles.toLocaleString("en")} keys, against client-go`;
  if (clientGo.is === "missing") return [{ name, why: clientGo.why }];
  const sides = { ours: [] as number[], peer: [] as number[] };
  for (let round = 0; round < rounds; round++) {
    sides.ours.push((await once([ours, "queue", String(cycles)], "queue"))["ops_s"] ?? NaN);
    const theirs = await once([clientGo.path, "-mode", "queue", "-n", String(cycles)], "queue");
    sides.peer.push(theirs["ops_s"] ?? NaN);
  }
  return [figure(name, "/s", { is: "at least", ratio: 1 }, sides)];
}

/** The peer of an emit site is the upper limit: 5 ns, and for a delta with all its sites 1 % of the delta. */
export async function emitFigures(rounds: number, ours: string): Promise<readonly Figure[]> {
  const costs: number[] = [];
  const shares: number[] = [];
  const deltas: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const { ns = NaN } = await once([ours, "emit", String(emitRounds)], "emit");
    const delta = await once([ours, "delta", "50000"], "delta");
    costs.push(ns);
    shares.push(ns * (delta["events"] ?? NaN));
    deltas.push(delta["ns"] ?? NaN);
  }
  const allowed = costs.map(() => emitGoalNs);
  return [
    figure("an emit site with no listener", "ns", { is: "at most", ratio: 1 }, { ours: costs, peer: allowed }),
    figure(
      "all emit sites of a delta, of its cost",
      "ns",
      { is: "at most", ratio: 0.01 },
      { ours: shares, peer: deltas },
    ),
  ];
}

async function once(command: readonly string[], phase: string): Promise<Readonly<Record<string, number>>> {
  const child = start(command);
  try {
    return await child.line(phase);
  } finally {
    await child.stop();
  }
}
