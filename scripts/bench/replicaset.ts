/**
 * A ReplicaSet from 0 to 1,000 pods and back, and the time from a process's start to its first pod, compared with kube-controller-manager.
 */
import type { Cluster } from "../../test/support/cluster.ts";
import type { Child } from "./child.ts";
import { type RoundsOf, type Side, sides, startSide } from "./contestants.ts";
import { figure, type Goal, type Result } from "./figures.ts";
import { type ObjectWatch, watchObjects } from "./object-watch.ts";

const replicas = 1000;
const controllers = ["replicaset"];

export interface ReplicaSetOptions {
  readonly rounds: number;
  /** Without controllers: each side is started and stopped here. */
  readonly cluster: Cluster;
  /** `dist/kubectl-reconcile`. */
  readonly program: string;
  readonly dir: string;
}

export interface Round {
  readonly upMs: number;
  readonly downMs: number;
  readonly bothMs: number;
  readonly cpuMs: number;
  readonly peakMb: number;
  readonly rssMb: number;
  /** Events in the namespace at the end. */
  readonly events: number;
}

/** Each side in turn, in a separate namespace and process. */
export async function replicaSetFigures(options: ReplicaSetOptions): Promise<readonly Result[]> {
  const rounds: RoundsOf<Round> = { ours: [], "kube-controller-manager": [] };
  const starts: RoundsOf<number> = { ours: [], "kube-controller-manager": [] };
  for (let round = 0; round < options.rounds; round++) {
    for (const side of sides) {
      starts[side].push(await startToFirstPod(options, side));
      rounds[side].push(await upAndDown(options.cluster, () => startSide(side, options, controllers)));
    }
  }
  const compare = (name: string, unit: string, of: keyof Round, goal: Goal): Result => {
    const values = (side: Side): number[] => rounds[side].map((round) => round[of]);
    return figure(name, unit, goal, { ours: values("ours"), peer: values("kube-controller-manager") });
  };
  const atMost = (ratio: number): Goal => ({ is: "at most", ratio });
  return [
    compare("ReplicaSet 0 → 1,000 pods", "ms", "upMs", atMost(0.85)),
    compare("ReplicaSet 1,000 → 0 pods", "ms", "downMs", atMost(0.85)),
    compare("both ways", "ms", "bothMs", atMost(0.85)),
    compare("both ways: processor time", "ms", "cpuMs", atMost(0.6)),
    compare("both ways: highest resident memory", "MB", "peakMb", atMost(0.9)),
    compare("both ways: resident memory after", "MB", "rssMb", atMost(0.9)),
    // Less work would not be the same work.
    compare("both ways: Events written", "", "events", { is: "at least", ratio: 0.9 }),
    figure(
      "process start to first pod",
      "ms",
      { is: "at most", ratio: 0.5 },
      {
        ours: starts.ours,
        peer: starts["kube-controller-manager"],
      },
    ),
  ];
}

let namespaces = 0;

async function freshNamespace(cluster: Cluster): Promise<string> {
  const name = `replicas-${++namespaces}`;
  await cluster.createNamespace(name);
  return name;
}

function watchPods(cluster: Cluster, namespace: string): Promise<ObjectWatch> {
  return watchObjects(cluster, `/api/v1/namespaces/${namespace}/pods`);
}

/** The ReplicaSet exists before the process starts. */
async function startToFirstPod({ cluster, program, dir }: ReplicaSetOptions, side: Side): Promise<number> {
  const namespace = await freshNamespace(cluster);
  const pods = await watchPods(cluster, namespace);
  await createReplicaSet(cluster, namespace, 1);
  const controller = startSide(side, { cluster, program, dir }, controllers);
  try {
    await pods.created(1);
    return pods.at() - controller.startedAt;
  } finally {
    await controller.stop();
    pods.stop();
    await cluster.request("DELETE", `/apis/apps/v1/namespaces/${namespace}/replicasets/bench`);
    await cluster.request("DELETE", `/api/v1/namespaces/${namespace}/pods`);
  }
}

/** From 1 to 1,000 pods and to none, with a controller whose caches are synced. */
export async function upAndDown(
  cluster: Cluster,
  startController: () => Child,
  /** How many times it runs both ways before it is measured: code that has run is compiled. */
  warmUps = 0,
): Promise<Round> {
  const namespace = await freshNamespace(cluster);
  const pods = await watchPods(cluster, namespace);
  await createReplicaSet(cluster, namespace, 1);
  const controller = startController();
  try {
    // Warm: caches synced, workers running, a connection open.
    await pods.created(1);
    await Bun.sleep(1000);
    for (let cycle = 1; cycle <= warmUps; cycle++) {
      await scale(cluster, namespace, replicas);
      await pods.created(cycle * replicas);
      await scale(cluster, namespace, 0);
      await pods.deleted(cycle * replicas);
      await Bun.sleep(1000);
    }
    const total = (warmUps + 1) * replicas;
    const before = controller.usage();
    const upFrom = pods.now();
    await scale(cluster, namespace, replicas);
    await pods.created(total);
    const upMs = pods.at() - upFrom;
    // The status update that follows the last pod belongs to the scale-up.
    await Bun.sleep(1000);
    const downFrom = pods.now();
    await scale(cluster, namespace, 0);
    await pods.deleted(total);
    const downMs = pods.at() - downFrom;
    await Bun.sleep(1000);
    const after = controller.usage();
    const { body } = await cluster.request("GET", `/api/v1/namespaces/${namespace}/events`);
    return {
      events: (body as { readonly items: readonly unknown[] }).items.length,
      upMs,
      downMs,
      bothMs: upMs + downMs,
      cpuMs: after.cpuMs - before.cpuMs,
      peakMb: after.peakKb / 1024,
      rssMb: after.rssKb / 1024,
    };
  } finally {
    await controller.stop();
    pods.stop();
    await cluster.request("DELETE", `/apis/apps/v1/namespaces/${namespace}/replicasets/bench`);
  }
}

async function createReplicaSet(cluster: Cluster, namespace: string, count: number): Promise<void> {
  const labels = { app: "bench" };
  const made = await cluster.request("POST", `/apis/apps/v1/namespaces/${namespace}/replicasets`, {
    metadata: { name: "bench" },
    spec: {
      replicas: count,
      selector: { matchLabels: labels },
      template: {
        metadata: { labels },
        spec: { containers: [{ name: "main", image: "registry.example.com/main:1" }] },
      },
    },
  });
  if (made.status !== 201) throw new Error(`Cannot create the ReplicaSet: ${JSON.stringify(made.body)}`);
}

async function scale(cluster: Cluster, namespace: string, count: number): Promise<void> {
  const path = `/apis/apps/v1/namespaces/${namespace}/replicasets/bench/scale`;
  const type = { "content-type": "application/merge-patch+json" };
  const { status, body } = await cluster.request("PATCH", path, { spec: { replicas: count } }, type);
  if (status !== 200) throw new Error(`Cannot scale: ${JSON.stringify(body)}`);
}
