/** All controllers at once on a real cluster full of pods: `run all` compared with kube-controller-manager running the same ones. */
import type { Cluster } from "../../test/support/cluster.ts";
import { controllersEnabledByDefault } from "../../src/controllers/index.ts";
import type { Child } from "./child.ts";
import { type RoundsOf, type Side, sides, startManager, startOurs } from "./contestants.ts";
import { post } from "./api-server.ts";
import { figure, type Result } from "./figures.ts";
import { watchObjects } from "./object-watch.ts";

export interface RunAllOptions {
  readonly rounds: number;
  /** With nodes, filled with pods, without controllers. */
  readonly cluster: Cluster;
  readonly pods: number;
  readonly nodes: number;
  /** `dist/kubectl-reconcile`. */
  readonly program: string;
  readonly dir: string;
  /** How long each side is idle after startup before its memory is read. */
  readonly idleMs: number;
}

interface Round {
  readonly firstWriteMs: number;
  readonly peakMb: number;
  readonly idleMb: number;
  readonly idleCpuMs: number;
}

/** How long the processor time of an idle side is measured. */
const idleCpuOverMs = 30_000;

/** What `all` means, with kube-controller-manager's names. */
const controllers = controllersEnabledByDefault
  .filter(({ upstreamComponent, companionOf }) => upstreamComponent === undefined && companionOf === undefined)
  .map(({ name }) => `${name}-controller`);

/** Each side in turn, in a separate process. */
export async function runAllFigures(options: RunAllOptions): Promise<readonly Result[]> {
  // Does not count: the first one to run creates what every namespace needs.
  await oneRound(options, "kube-controller-manager");
  const rounds: RoundsOf<Round> = { ours: [], "kube-controller-manager": [] };
  for (let round = 0; round < options.rounds; round++) {
    for (const side of sides) rounds[side].push(await oneRound(options, side));
  }
  const title = `run all, ${options.pods.toLocaleString("en")} pods, ${options.nodes} nodes`;
  const compare = (name: string, unit: string, of: keyof Round, ratio: number): Result => {
    const values = (side: Side): number[] => rounds[side].map((round) => round[of]);
    const both = { ours: values("ours"), peer: values("kube-controller-manager") };
    return figure(`${title}: ${name}`, unit, { is: "at most", ratio }, both);
  };
  return [
    compare("start to first write", "ms", "firstWriteMs", 0.3),
    compare("highest resident memory", "MB", "peakMb", 0.8),
    compare("resident memory, idle", "MB", "idleMb", 0.8),
    compare(`processor time in ${idleCpuOverMs / 1000} s, idle`, "ms", "idleCpuMs", 1),
  ];
}

let namespaces = 0;

/** A Deployment exists before the process starts; the first possible write is its ReplicaSet. */
async function oneRound(options: RunAllOptions, side: Side): Promise<Round> {
  const { cluster } = options;
  const namespace = `run-all-${++namespaces}`;
  await cluster.createNamespace(namespace);
  await post(cluster, `/apis/apps/v1/namespaces/${namespace}/deployments`, deployment);
  const sets = await watchObjects(cluster, `/apis/apps/v1/namespaces/${namespace}/replicasets`);
  const child: Child = side === "ours" ? startOurs(options, ["all"]) : startManager(options, controllers);
  try {
    await sets.created(1);
    const firstWriteMs = sets.at() - child.startedAt;
    await Bun.sleep(options.idleMs);
    const { peakKb, rssKb, cpuMs } = child.usage();
    await Bun.sleep(idleCpuOverMs);
    const idleCpuMs = child.usage().cpuMs - cpuMs;
    return { firstWriteMs, peakMb: peakKb / 1024, idleMb: rssKb / 1024, idleCpuMs };
  } finally {
    await child.stop();
    sets.stop();
    await cluster.request("DELETE", `/apis/apps/v1/namespaces/${namespace}/deployments`);
    await cluster.request("DELETE", `/apis/apps/v1/namespaces/${namespace}/replicasets`);
  }
}

const labels = { app: "bench" };
const deployment = {
  metadata: { name: "bench" },
  spec: {
    replicas: 0,
    selector: { matchLabels: labels },
    template: { metadata: { labels }, spec: { containers: [{ name: "main", image: "registry.example.com/main:1" }] } },
  },
};
