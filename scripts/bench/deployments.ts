/**
 * Deployments from nothing to available: in the sandbox as a user starts it, and on a real kube-apiserver with kube-controller-manager,
 * kube-scheduler and kwok.
 */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import { startCluster } from "../../test/support/cluster.ts";
import { type Child, start } from "./child.ts";
import { type ApiServer, post } from "./api-server.ts";
import { figure, type Result } from "./figures.ts";
import { inLanes } from "./lanes.ts";
import { watchStates } from "./state-watch.ts";

const goal = { is: "at most", ratio: 0.5 } as const;
/** Pods per node in the sandbox; kwok's nodes accept more. */
const podsANode = 110;
const readyWithinMs = 30_000;
/** Concurrent requests while Deployments are created. */
const lanes = 16;

interface Load {
  readonly name: string;
  readonly deployments: number;
  readonly replicas: number;
}

const loads: readonly Load[] = [
  { name: "a Deployment of 500 replicas, from apply to available", deployments: 1, replicas: 500 },
  { name: "1,000 Deployments of 3 replicas, from the first apply to all available", deployments: 1000, replicas: 3 },
];

interface Side {
  readonly apiServer: ApiServer;
  stop(): Promise<void>;
}

export interface DeploymentOptions {
  readonly rounds: number;
  /** `dist/kubectl-reconcile`. */
  readonly program: string;
  readonly dir: string;
}

/** Each round of each load in a separate cluster, sides taking turns. */
export async function deploymentFigures(options: DeploymentOptions): Promise<readonly Result[]> {
  const results: Result[] = [];
  for (const load of loads) {
    const rounds = { ours: [] as number[], peer: [] as number[] };
    for (let round = 0; round < options.rounds; round++) {
      rounds.ours.push(await measured(await sandboxSide(options, load, round), load));
      rounds.peer.push(await measured(await realSide(), load));
    }
    results.push(figure(load.name, "ms", goal, rounds));
  }
  return results;
}

async function measured(side: Side, load: Load): Promise<number> {
  const { apiServer } = side;
  try {
    const namespace = "deployments";
    await post(apiServer, "/api/v1/namespaces", { metadata: { name: namespace } });
    // Nothing creates it on the real one: the controllers that would are left out.
    await post(
      apiServer,
      `/api/v1/namespaces/${namespace}/serviceaccounts`,
      { metadata: { name: "default" } },
      [201, 409],
    );
    const path = `/apis/apps/v1/namespaces/${namespace}/deployments`;
    const watch = await watchStates(apiServer, {
      path,
      isReached: ({ status }) => (status?.availableReplicas ?? 0) >= load.replicas,
    });
    try {
      const from = performance.now();
      const available = watch.reached(load.deployments);
      const made = inLanes({ count: load.deployments, lanes }, (n) =>
        post(apiServer, path, deployment(n, load.replicas)),
      );
      await Promise.all([available, made]);
      return performance.now() - from;
    } finally {
      watch.stop();
    }
  } finally {
    await side.stop();
  }
}

async function sandboxSide({ program, dir }: DeploymentOptions, load: Load, round: number): Promise<Side> {
  const file = join(dir, `sandbox-${load.deployments}-${round}.kubeconfig`);
  const nodes = Math.ceil((load.deployments * load.replicas * 1.5) / podsANode);
  const command = [program, "sandbox", "--run", "deployment,replicaset", "--nodes", String(nodes)];
  const child = start([...command, "--write-kubeconfig", file], { stdout: "ignored" });
  try {
    return { apiServer: await apiServerOf(file, child), stop: () => child.stop() };
  } catch (error) {
    await child.stop();
    throw error;
  }
}

async function apiServerOf(kubeconfig: string, child: Child): Promise<ApiServer> {
  const deadline = performance.now() + readyWithinMs;
  while (!existsSync(kubeconfig)) {
    if (performance.now() > deadline) throw new Error(`The sandbox (process ${child.pid}) was not ready in time`);
    await Bun.sleep(10);
  }
  const { clusters, users } = parse(readFileSync(kubeconfig, "utf8")) as {
    clusters: { cluster: { server: string; "certificate-authority-data": string } }[];
    users: { user: { token: string } }[];
  };
  const [cluster, user] = [clusters[0]?.cluster, users[0]?.user];
  if (cluster === undefined || user === undefined) throw new Error(`${kubeconfig} names no cluster`);
  return { url: cluster.server, ca: atob(cluster["certificate-authority-data"]), token: user.token };
}

async function realSide(): Promise<Side> {
  const unlimited = ["--kube-api-qps=1000000", "--kube-api-burst=1000000"];
  const cluster = await startCluster({
    controllers: "deployment-controller,replicaset-controller",
    nodes: 4,
    kcmFlags: unlimited,
  });
  return { apiServer: cluster, stop: () => cluster.stop() };
}

function deployment(n: number, replicas: number): unknown {
  const labels = { app: `bench-${n}` };
  return {
    metadata: { name: `bench-${n}` },
    spec: {
      replicas,
      selector: { matchLabels: labels },
      template: {
        metadata: { labels },
        spec: { containers: [{ name: "main", image: "registry.example.com/main:1" }] },
      },
    },
  };
}
