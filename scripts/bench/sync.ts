/** First sync of all pods, and the memory used after it. */
import { type Child, start } from "./child.ts";
import { type Goal, figure, type Result } from "./figures.ts";
import type { Program } from "./peers.ts";

export interface SyncOptions {
  readonly rounds: number;
  readonly kubeconfig: string;
  readonly ours: string;
  readonly clientGo: Program;
  readonly kubeRs: Program;
  /** How long a program is idle after its sync before its memory is read. */
  readonly idleMs: number;
}

type Side = "ours" | "client-go protobuf" | "client-go JSON" | "kube-rs";

interface Measured {
  readonly ms: number[];
  readonly rssMb: number[];
}

/** Longer than any round: the peers then wait for updates that never come, and can be measured. */
const forever = "1000000000";

const goals: readonly { readonly side: Side; readonly of: keyof Measured; readonly goal: Goal }[] = [
  { side: "client-go protobuf", of: "ms", goal: { is: "at most", ratio: 1.1 } },
  { side: "client-go JSON", of: "ms", goal: { is: "at most", ratio: 0.25 } },
  { side: "kube-rs", of: "ms", goal: { is: "at most", ratio: 0.6 } },
  { side: "client-go protobuf", of: "rssMb", goal: { is: "at most", ratio: 0.8 } },
  { side: "client-go JSON", of: "rssMb", goal: { is: "at most", ratio: 0.8 } },
];

/** All sides take turns, each in a separate process. */
export async function syncFigures(options: SyncOptions): Promise<readonly Result[]> {
  const commands = commandsOf(options);
  const measured = new Map<Side, Measured>();
  for (const side of commands.keys()) measured.set(side, { ms: [], rssMb: [] });
  for (let round = 0; round < options.rounds; round++) {
    for (const [side, command] of commands) {
      const child = start(command, { env: { KUBECONFIG: options.kubeconfig } });
      try {
        const into = measured.get(side) as Measured;
        into.ms.push(await synced(child, side));
        await Bun.sleep(options.idleMs);
        into.rssMb.push(child.usage().rssKb / 1024);
      } finally {
        await child.stop();
      }
    }
  }
  const ours = measured.get("ours") as Measured;
  return goals.map(({ side, of, goal }) => {
    const what = of === "ms" ? "first sync of 10,000 pods" : "resident memory after it, idle";
    const name = `${what}, against ${side}`;
    const peer = measured.get(side);
    if (peer === undefined) return { name, why: whyNot(side, options) };
    return figure(name, of === "ms" ? "ms" : "MB", goal, { ours: ours[of], peer: peer[of] });
  });
}

/** The peers count from the start of `main`, ours from the start of the process. */
async function synced(child: Child, side: Side): Promise<number> {
  const { objects, ms } = await child.line("sync");
  if (objects !== 10_000 || ms === undefined) throw new Error(`${side} has ${objects} pods`);
  return ms;
}

function commandsOf({ ours, clientGo, kubeRs }: SyncOptions): ReadonlyMap<Side, readonly string[]> {
  const commands = new Map<Side, readonly string[]>([["ours", [ours, "sync"]]]);
  if (clientGo.is === "there") {
    commands.set("client-go protobuf", [clientGo.path, "-mode", "watch", "-n", forever, "-proto"]);
    commands.set("client-go JSON", [clientGo.path, "-mode", "watch", "-n", forever]);
  }
  if (kubeRs.is === "there") commands.set("kube-rs", [kubeRs.path, "watch", forever]);
  return commands;
}

function whyNot(side: Side, { clientGo, kubeRs }: SyncOptions): string {
  const program = side === "kube-rs" ? kubeRs : clientGo;
  return program.is === "missing" ? program.why : "not run";
}
