/** Jobs, StatefulSets, DaemonSets and CronJobs, compared with kube-controller-manager, on a real cluster with kwok nodes. */
import type { Cluster } from "../../test/support/cluster.ts";
import { type RoundsOf, type Side, sides, startSide } from "./contestants.ts";
import { post } from "./api-server.ts";
import { figure, type Result } from "./figures.ts";
import { watchObjects } from "./object-watch.ts";

export interface WorkloadOptions {
  readonly rounds: number;
  /** With nodes and kube-scheduler, without controllers. */
  readonly cluster: Cluster;
  /** `dist/kubectl-reconcile`. */
  readonly program: string;
  readonly dir: string;
  /** How many nodes the cluster has. */
  readonly nodes: number;
}

interface Round {
  readonly ms: number;
  readonly cpuMs: number;
}

/** What is measured: `play` resolves to the time that it took. */
interface Scene {
  readonly name: string;
  readonly controllers: readonly string[];
  /** Resolves when the controller is running: its caches are synced, its first writes sent. */
  warm(stage: Stage): Promise<void>;
  play(stage: Stage): Promise<number>;
}

interface Stage {
  readonly cluster: Cluster;
  readonly namespace: string;
  readonly nodes: number;
}

const jobPods = 1000;
const setPods = 100;
const cronJobs = 500;

/** Each scene by each side in turn, in a separate namespace and process. */
export async function workloadFigures(options: WorkloadOptions): Promise<readonly Result[]> {
  const results: Result[] = [];
  for (const scene of scenesOn(options.nodes)) {
    const rounds: RoundsOf<Round> = { ours: [], "kube-controller-manager": [] };
    for (let round = 0; round < options.rounds; round++) {
      for (const side of sides) rounds[side].push(await oneRound(options, scene, side));
    }
    const compare = (what: string, of: keyof Round, ratio: number): Result =>
      figure(
        `${scene.name}${what}`,
        "ms",
        { is: "at most", ratio },
        {
          ours: rounds.ours.map((each) => each[of]),
          peer: rounds["kube-controller-manager"].map((each) => each[of]),
        },
      );
    results.push(compare("", "ms", 1), compare(": processor time", "cpuMs", 0.7));
  }
  return results;
}

let namespaces = 0;

async function oneRound(options: WorkloadOptions, scene: Scene, side: Side): Promise<Round> {
  const { cluster, nodes } = options;
  const namespace = `workloads-${++namespaces}`;
  await cluster.createNamespace(namespace);
  const stage = { cluster, namespace, nodes };
  const child = startSide(side, options, scene.controllers);
  try {
    await scene.warm(stage);
    await Bun.sleep(1000);
    const before = child.usage();
    const ms = await scene.play(stage);
    // What the last write causes, such as a status update, belongs to it.
    await Bun.sleep(1000);
    return { ms, cpuMs: child.usage().cpuMs - before.cpuMs };
  } finally {
    await child.stop();
    await clear(stage);
  }
}

const emptied = ["batch/v1/cronjobs", "batch/v1/jobs", "apps/v1/statefulsets", "apps/v1/daemonsets"] as const;

/** So neither side finds leftovers of an earlier round. Nothing else removes the finalizers of a Job's pods. */
async function clear({ cluster, namespace }: Stage): Promise<void> {
  const within = (resource: (typeof emptied)[number]): string => {
    const [group, version, plural] = resource.split("/");
    return `/apis/${group}/${version}/namespaces/${namespace}/${plural}`;
  };
  for (const resource of emptied) await cluster.request("DELETE", within(resource), orphaning);
  await cluster.request("DELETE", `/api/v1/namespaces/${namespace}/pods`, { gracePeriodSeconds: 0 });
}

const orphaning = { propagationPolicy: "Background" };

const labels = { app: "bench" };
/** With a node name: nothing has to be scheduled. */
const spec = {
  nodeName: "fake-1",
  terminationGracePeriodSeconds: 0,
  containers: [{ name: "main", image: "registry.example.com/main:1" }],
};

function scenesOn(nodes: number): readonly Scene[] {
  return [
    { name: `Job of ${jobPods} pods`, controllers: ["job"], warm: (stage) => runJob(stage, 1), play: playJob },
    {
      name: `StatefulSet of ${setPods} pods, in parallel, up and down`,
      controllers: ["statefulset"],
      warm: async (stage) => void (await upAndDown(stage, "warm", 1)),
      play: (stage) => upAndDown(stage, "bench", setPods),
    },
    {
      name: `DaemonSet on ${nodes} nodes`,
      controllers: ["daemonset"],
      warm: async (stage) => void (await onNodes(stage, "warm", { "kubernetes.io/hostname": "fake-1" }, 1)),
      play: (stage) => onNodes(stage, "bench", {}, nodes),
    },
    {
      name: `${cronJobs} CronJobs at a minute's turn`,
      controllers: ["cronjob"],
      warm: (stage) => makeCronJobs(stage),
      play: atTheTurn,
    },
  ];
}

async function playJob(stage: Stage): Promise<number> {
  const from = performance.now();
  await runJob(stage, jobPods);
  return performance.now() - from;
}

/** Resolves when the Job reports that it is complete. */
async function runJob({ cluster, namespace }: Stage, pods: number): Promise<void> {
  const path = `/apis/batch/v1/namespaces/${namespace}/jobs`;
  const name = `pods-${pods}`;
  const template = { spec: { ...spec, restartPolicy: "Never" } };
  await post(cluster, path, { metadata: { name }, spec: { completions: pods, parallelism: pods, template } });
  const isComplete = (status: Statused["status"]): boolean =>
    status?.["succeeded"] === pods && status["completionTime"] !== undefined;
  await reached(cluster, `${path}/${name}`, isComplete);
}

/** An upper bound, not a measurement. */
const longestMs = 180_000;
const pollMs = 50;

interface Statused {
  readonly status?: Readonly<Record<string, unknown>>;
}

/**
 * Waits until the object's status is as expected; both sides pay for the polling equally.
 * @throws Error after three minutes, with the status.
 */
async function reached(cluster: Cluster, path: string, isSo: (status: Statused["status"]) => boolean): Promise<void> {
  const until = performance.now() + longestMs;
  for (;;) {
    const { status } = (await cluster.request("GET", path)).body as Statused;
    if (isSo(status)) return;
    if (performance.now() > until) throw new Error(`${path} does not come to its end: ${JSON.stringify(status)}`);
    await Bun.sleep(pollMs);
  }
}

async function upAndDown({ cluster, namespace }: Stage, name: string, replicas: number): Promise<number> {
  const path = `/apis/apps/v1/namespaces/${namespace}/statefulsets`;
  const own = { ...labels, set: name };
  const pods = await watchObjects(cluster, `/api/v1/namespaces/${namespace}/pods`);
  try {
    const from = pods.now();
    await post(cluster, path, {
      metadata: { name },
      spec: {
        replicas,
        serviceName: name,
        podManagementPolicy: "Parallel",
        selector: { matchLabels: own },
        template: { metadata: { labels: own }, spec },
      },
    });
    await reached(cluster, `${path}/${name}`, (status) => status?.["readyReplicas"] === replicas);
    const merge = { "content-type": "application/merge-patch+json" };
    await cluster.request("PATCH", `${path}/${name}/scale`, { spec: { replicas: 0 } }, merge);
    await pods.deleted(replicas);
    return pods.at() - from;
  } finally {
    pods.stop();
  }
}

/** Until the DaemonSet reports that all are ready. */
async function onNodes(
  { cluster, namespace }: Stage,
  name: string,
  nodeSelector: object,
  count: number,
): Promise<number> {
  const path = `/apis/apps/v1/namespaces/${namespace}/daemonsets`;
  const own = { ...labels, set: name };
  const { nodeName: _, ...scheduled } = spec;
  const from = performance.now();
  const template = { metadata: { labels: own }, spec: { ...scheduled, nodeSelector } };
  await post(cluster, path, { metadata: { name }, spec: { selector: { matchLabels: own }, template } });
  await reached(cluster, `${path}/${name}`, (status) => status?.["numberReady"] === count);
  return performance.now() - from;
}

async function makeCronJobs({ cluster, namespace }: Stage): Promise<void> {
  const path = `/apis/batch/v1/namespaces/${namespace}/cronjobs`;
  const jobTemplate = { spec: { template: { spec: { ...spec, restartPolicy: "Never" } } } };
  const make = (n: number): Promise<unknown> =>
    post(cluster, path, { metadata: { name: `every-minute-${n}` }, spec: { schedule: "* * * * *", jobTemplate } });
  // Not in the last seconds of a minute: all are due for the first time in the same minute.
  await Bun.sleep(msToTurn() < 20_000 ? msToTurn() + 1000 : 0);
  for (let n = 0; n < cronJobs; n += 50) {
    await Promise.all(Array.from({ length: 50 }, (_, each) => make(n + each)));
  }
}

const minuteMs = 60_000;
const msToTurn = (): number => minuteMs - (Date.now() % minuteMs);

/** From the start of the minute to the last Job. */
async function atTheTurn({ cluster, namespace }: Stage): Promise<number> {
  const jobs = await watchObjects(cluster, `/apis/batch/v1/namespaces/${namespace}/jobs`);
  try {
    const turn = Date.now() + msToTurn();
    await jobs.created(cronJobs);
    return jobs.at() - turn;
  } finally {
    jobs.stop();
  }
}
