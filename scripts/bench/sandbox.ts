/** The embedded API server, compared with a real etcd and kube-apiserver where possible, otherwise with itself. */
import { type Cluster, startCluster } from "../../test/support/cluster.ts";
import { customDefinition, customObject, customPath, definitionsPath } from "./custom-kind.ts";
import { startOurs } from "./contestants.ts";
import { start } from "./child.ts";
import { figure, type Goal, type Result } from "./figures.ts";
import { buildOurs } from "./peers.ts";
import { upAndDown } from "./replicaset.ts";

export interface SandboxOptions {
  readonly rounds: number;
  /** Without controllers. */
  readonly cluster: Cluster;
  /** `dist/kubectl-reconcile`. */
  readonly program: string;
  readonly dir: string;
}

type Sides = { readonly ours: number[]; readonly peer: number[] };

const sizes = [10_000, 50_000, 100_000] as const;
const lanes = 16;

/** All figures, round by round, the sides taking turns. */
export async function sandboxFigures(options: SandboxOptions): Promise<readonly Result[]> {
  const ours = await buildOurs(options.dir, "sandbox-ours");
  const seen: Record<"inProcess" | "command" | "creates" | "custom" | "replicas" | "watched" | "growth", Sides> = {
    inProcess: { ours: [], peer: [] },
    command: { ours: [], peer: [] },
    creates: { ours: [], peer: [] },
    custom: { ours: [], peer: [] },
    replicas: { ours: [], peer: [] },
    watched: { ours: [], peer: [] },
    growth: { ours: [], peer: [] },
  };
  const whole: number[] = [];
  for (let round = 0; round < options.rounds; round++) {
    const cluster = await clusterStart();
    seen.inProcess.peer.push(cluster);
    seen.command.peer.push(cluster);
    seen.inProcess.ours.push(await printedValue([ours, "start"], "start", "ms"));
    seen.command.ours.push(await commandStart(options.program));
    seen.creates.ours.push(await printedValue([ours, "creates", "20000"], "creates", "per_s"));
    seen.creates.peer.push(await realCreates(options.cluster, round));
    seen.custom.ours.push(await printedValue([ours, "custom", "5000"], "custom", "per_s"));
    seen.custom.peer.push(await realCustomCreates(options.cluster, round));
    seen.replicas.ours.push(await printedValue([ours, "replicaset", "1000"], "replicaset", "ms"));
    seen.replicas.peer.push((await upAndDown(options.cluster, () => startOurs(options, ["replicaset"]))).upMs);
    seen.watched.peer.push(await printedValue([ours, "watched", "10000"], "watched", "us"));
    seen.watched.ours.push(await printedValue([ours, "watched", "100000"], "watched", "us"));
    const [small = 0, middle = 0, large = 0] = await residentMb(ours);
    seen.growth.peer.push(((middle - small) / (sizes[1] - sizes[0])) * 1024);
    seen.growth.ours.push(((large - middle) / (sizes[2] - sizes[1])) * 1024);
    whole.push(large);
  }
  const below = (limit: number): Goal => ({ is: "below", limit });
  const atMost = (ratio: number): Goal => ({ is: "at most", ratio });
  return [
    figure("sandbox in process: start to ready, beside etcd and kube-apiserver", "ms", below(50), seen.inProcess),
    figure("sandbox as a command: start to ready, beside the same", "ms", below(300), seen.command),
    figure("creates, in process, beside kube-apiserver", "/s", { is: "above", limit: 10_000 }, seen.creates),
    figure(
      "creates of a kind with 20 CEL rules, beside kube-apiserver",
      "/s",
      { is: "at least", ratio: 5 },
      seen.custom,
    ),
    figure(
      "ReplicaSet 0 → 1,000 pods: ours in the sandbox, beside ours on kube-apiserver",
      "ms",
      atMost(0.25),
      seen.replicas,
    ),
    figure(
      "a create among 100,000 pods with 1,000 watches, beside among 10,000: processor",
      "µs",
      atMost(1.3),
      seen.watched,
    ),
    figure("a pod's memory from 50,000 to 100,000, beside from 10,000 to 50,000", "KB", atMost(1.2), seen.growth),
    figure("resident memory with 100,000 pods", "MB", below(600), { ours: whole, peer: whole }),
  ];
}

/** A real cluster, from nothing to ready. */
async function clusterStart(): Promise<number> {
  const from = performance.now();
  const cluster = await startCluster();
  const ms = performance.now() - from;
  await cluster.stop();
  return ms;
}

/** The value of a field that one run of our program prints. */
async function printedValue(command: readonly string[], phase: string, field: string): Promise<number> {
  const child = start(command);
  try {
    return valueOf(await child.line(phase), field);
  } finally {
    await child.stop();
  }
}

function valueOf(line: Readonly<Record<string, number>>, field: string): number {
  const value = line[field];
  if (value === undefined) throw new Error(`no ${field} in ${JSON.stringify(line)}`);
  return value;
}

/** From the start of the process until it prints its address: it then listens, and its nodes are ready. */
async function commandStart(program: string): Promise<number> {
  const child = start([program, "sandbox"]);
  try {
    await child.firstLine();
    return performance.timeOrigin + performance.now() - child.startedAt;
  } finally {
    await child.stop();
  }
}

async function realCreates(cluster: Cluster, round: number): Promise<number> {
  const namespace = `creates-${round}`;
  await cluster.createNamespace(namespace);
  const path = `/api/v1/namespaces/${namespace}/pods`;
  const perSecond = await creating(2000, async (n) => {
    const body = {
      metadata: { name: `pod-${n}`, labels: { app: "bench" } },
      spec: { containers: [{ name: "main", image: "registry.example.com/main:1" }] },
    };
    const { status } = await cluster.request("POST", path, body);
    if (status !== 201) throw new Error(`Cannot create a pod: ${status}`);
  });
  await cluster.request("DELETE", path);
  return perSecond;
}

/** Objects of a kind with 20 rules in CEL; the definition stays for later rounds. */
async function realCustomCreates(cluster: Cluster, round: number): Promise<number> {
  if (round === 0) await serveCustomKind(cluster);
  const perSecond = await creating(2000, async (n) => {
    const { status } = await cluster.request("POST", customPath, customObject(`pool-${n}`));
    if (status !== 201) throw new Error(`Cannot create a custom resource: ${status}`);
  });
  await cluster.request("DELETE", customPath);
  return perSecond;
}

/** Waits until the kind is served; at most 20 s. */
async function serveCustomKind(cluster: Cluster): Promise<void> {
  await cluster.request("POST", definitionsPath, customDefinition);
  for (let tries = 0; tries < 200; tries++) {
    const { status } = await cluster.request("GET", customPath);
    if (status === 200) return;
    await Bun.sleep(100);
  }
  throw new Error("The custom kind is not served after 20 s");
}

/** Creates per second, `count` in total. */
async function creating(count: number, create: (n: number) => Promise<void>): Promise<number> {
  let next = 0;
  const lane = async (): Promise<void> => {
    while (next < count) await create(next++);
  };
  const from = performance.now();
  await Promise.all(Array.from({ length: lanes }, lane));
  return (count / (performance.now() - from)) * 1000;
}

/** Of one process each, after it has released the garbage of filling. */
async function residentMb(ours: string): Promise<readonly number[]> {
  const found: number[] = [];
  for (const size of sizes) {
    const child = start([ours, "fill", String(size)]);
    try {
      await child.line("fill");
      await Bun.sleep(500);
      found.push(child.usage().rssKb / 1024);
    } finally {
      await child.stop();
    }
  }
  return found;
}
