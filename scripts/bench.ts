/**
 * `npm run bench`: ours side by side with client-go, kube-rs and kube-controller-manager, on this machine, taking turns, medians of at
 * least five rounds. Requires Go (and cargo, for kube-rs) the first time, Linux for the memory figures.
 *
 * `npm run bench -- [--json] [--rounds N] [--idle SECONDS] [--deltas N] [sync] [watch] [trace] [queue] [emit] [sandbox] [replicaset] [deployments] [workloads] [dry-run]
 * [all] [services] [nodes] [claims] [garbage] [memory] [proxy]`
 *
 * Prints a table and what each side does, or with `--json` one line per figure. A figure that misses its goal is a result like any other;
 * the exit code is 1 only if something could not be measured.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { type Cluster, type ClusterOptions, startCluster } from "../test/support/cluster.ts";
import { claimsBound } from "./bench/claims.ts";
import { deploymentFigures } from "./bench/deployments.ts";
import { dryRunFigures } from "./bench/dry-run.ts";
import { isFigure, type Result } from "./bench/figures.ts";
import { garbageFigures } from "./bench/garbage.ts";
import { memoryFigures } from "./bench/memory.ts";
import { buildOurs, buildProgram, peer } from "./bench/peers.ts";
import { fillWithPods, savePods } from "./bench/pods.ts";
import { emitFigures, queueFigures } from "./bench/queue.ts";
import { sandboxFigures } from "./bench/sandbox.ts";
import { proxyFigures } from "./bench/proxy.ts";
import { replicaSetFigures } from "./bench/replicaset.ts";
import { runAllFigures } from "./bench/run-all.ts";
import { type Scene, sceneFigures } from "./bench/scenes.ts";
import { servicesThroughRollout } from "./bench/services.ts";
import { sides } from "./bench/sides.ts";
import { silence } from "./bench/silent-nodes.ts";
import { syncFigures } from "./bench/sync.ts";
import { table } from "./bench/table.ts";
import { traceFigures } from "./bench/trace.ts";
import { watchFigures } from "./bench/watch.ts";
import { workloadScenes } from "./bench/workloads.ts";
import { watchCommandFigures } from "./bench/watch-command.ts";
import { buildControlPlane } from "./control-plane.ts";

const groups = [
  "queue",
  "emit",
  "sandbox",
  "replicaset",
  "deployments",
  "workloads",
  "dry-run",
  "sync",
  "watch",
  "trace",
  "all",
  "services",
  "nodes",
  "claims",
  "garbage",
  "memory",
  "proxy",
] as const;
type Group = (typeof groups)[number];
const podCount = 10_000;
const nodeCount = 500;

const { values, positionals } = parseArgs({
  options: {
    json: { type: "boolean", default: false },
    rounds: { type: "string", default: "5" },
    idle: { type: "string", default: "10" },
    deltas: { type: "string", default: "1000000" },
  },
  allowPositionals: true,
});

const unknown = positionals.filter((word) => !groups.includes(word as Group));
const rounds = Number(values.rounds);
if (unknown.length > 0 || !(rounds >= 1) || !(Number(values.idle) >= 0) || !(Number(values.deltas) >= 1000)) {
  process.stderr.write(
    "usage: npm run bench -- [--json] [--rounds N] [--idle SECONDS] [--deltas N] [" + groups.join("] [") + "]\n",
  );
  process.exit(2);
}

/** On standard error, so standard output contains only the figures. */
function progress(text: string): void {
  process.stderr.write(`${text}\n`);
}

function report(results: readonly Result[]): void {
  if (!values.json) return;
  for (const result of results) process.stdout.write(`${JSON.stringify(result)}\n`);
}

/** Runs one group; an error becomes its result. */
async function measure(group: Group, run: () => Promise<readonly Result[]>): Promise<readonly Result[]> {
  progress(`measuring ${group}`);
  let results: readonly Result[];
  try {
    results = await run();
  } catch (error) {
    results = [{ name: group, why: error instanceof Error ? error.message : String(error) }];
  }
  report(results);
  return results;
}

const dir = mkdtempSync(join(tmpdir(), "bench-"));

/** Starts a cluster. Builds the control plane first, if it is missing. */
async function built(options: ClusterOptions): Promise<Cluster> {
  const control = await buildControlPlane();
  if (control.is === "failed") throw new Error(control.why);
  return startCluster(options);
}

/** Measures on a separate cluster. */
async function on(
  options: ClusterOptions,
  figures: (cluster: Cluster) => Promise<readonly Result[]>,
): Promise<readonly Result[]> {
  const own = await built(options);
  try {
    return await figures(own);
  } finally {
    await own.stop();
  }
}

/** Scenes on a separate cluster. */
async function scenes(options: ClusterOptions, played: readonly Scene[]): Promise<readonly Result[]> {
  const program = await buildProgram(dir);
  return on(options, (cluster) => sceneFigures({ rounds, cluster, program, dir }, played));
}

let cluster: Cluster | undefined;
const oneCluster = async (): Promise<Cluster> => {
  if (cluster !== undefined) return cluster;
  cluster = await built({});
  return cluster;
};
let pods: string | undefined;
/** The cluster with all pods in it, and the file they are saved to. */
const filled = async (): Promise<{ readonly cluster: Cluster; readonly pods: string }> => {
  const into = await oneCluster();
  if (pods !== undefined) return { cluster: into, pods };
  progress(`filling a cluster with ${podCount} pods`);
  await fillWithPods(into, { count: podCount, nodes: 100 });
  pods = join(dir, "pods.json");
  progress(`${Math.round(await savePods(into, pods))} bytes a pod, as JSON`);
  return { cluster: into, pods };
};

const ours = await buildOurs(dir);
const runs: Readonly<Record<Group, () => Promise<readonly Result[]>>> = {
  queue: async () => queueFigures({ rounds, ours, clientGo: await peer("client-go") }),
  emit: () => emitFigures(rounds, ours),
  memory: () => memoryFigures(rounds, ours),
  replicaset: async () =>
    replicaSetFigures({ rounds, cluster: await oneCluster(), program: await buildProgram(dir), dir }),
  deployments: async () => deploymentFigures({ rounds, program: await buildProgram(dir), dir }),
  workloads: () => scenes({ controllers: "none", nodes: nodeCount }, workloadScenes(nodeCount)),
  services: () => scenes({ controllers: "none", nodes: 20 }, [servicesThroughRollout]),
  nodes: () => scenes({}, [silence()]),
  // Nothing would remove the finalizers that this plug-in adds.
  claims: () => scenes({ apiServerFlags: ["--disable-admission-plugins=StorageObjectInUseProtection"] }, [claimsBound]),
  "dry-run": async () => dryRunFigures({ rounds, program: await buildProgram(dir), dir }),
  sandbox: async () => sandboxFigures({ rounds, cluster: await oneCluster(), program: await buildProgram(dir), dir }),
  sync: async () =>
    syncFigures({
      rounds,
      ours,
      clientGo: await peer("client-go"),
      kubeRs: await peer("kube-rs"),
      kubeconfig: (await filled()).cluster.kubeconfig,
      idleMs: Number(values.idle) * 1000,
    }),
  trace: async () => traceFigures({ rounds, cluster: await oneCluster(), ours }),
  watch: async () => [
    ...(await watchFigures({
      rounds,
      ours,
      dir,
      pods: (await filled()).pods,
      firehose: await peer("firehose"),
      clientGo: await peer("client-go"),
      kubeRs: await peer("kube-rs"),
    })),
    ...(await watchCommandFigures({
      rounds,
      program: await buildProgram(dir),
      dir,
      pods: (await filled()).pods,
      firehose: await peer("firehose"),
      deltas: Number(values.deltas),
    })),
  ],
  proxy: async () =>
    proxyFigures({
      rounds,
      ...(await filled()),
      program: await buildProgram(dir),
      dir,
      clientGo: await peer("client-go"),
      firehose: await peer("firehose"),
      events: Number(values.deltas),
    }),
  garbage: async () =>
    garbageFigures({
      rounds,
      cluster: await oneCluster(),
      program: await buildProgram(dir),
      dir,
      objects: 100_000,
      dependents: 10_000,
      idleMs: Number(values.idle) * 1000,
    }),
  all: async () => {
    const program = await buildProgram(dir);
    return on({ controllers: "none", nodes: nodeCount, scheduler: false }, async (own) => {
      progress(`filling a cluster of ${nodeCount} nodes with ${podCount} pods`);
      await fillWithPods(own, { count: podCount, nodes: nodeCount });
      const idleMs = Number(values.idle) * 1000;
      return runAllFigures({ rounds, cluster: own, program, dir, pods: podCount, nodes: nodeCount, idleMs });
    });
  },
};

const results: Result[] = [];
const notes: string[] = [];
try {
  for (const group of groups) {
    if (positionals.length > 0 && !positionals.includes(group)) continue;
    notes.push(...(sides[group] ?? []));
    results.push(...(await measure(group, runs[group])));
  }
} finally {
  await cluster?.stop();
  rmSync(dir, { recursive: true, force: true });
}
if (!values.json) process.stdout.write(table(results, rounds, notes));
else for (const note of notes) process.stdout.write(`${JSON.stringify({ note })}\n`);
process.exit(results.every(isFigure) ? 0 : 1);
