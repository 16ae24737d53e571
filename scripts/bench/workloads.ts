/** Jobs, StatefulSets, DaemonSets and CronJobs, compared with kube-controller-manager, on a real cluster with kwok nodes. */
import type { Cluster } from "../../test/support/cluster.ts";
import { post } from "./api-server.ts";
import { watchObjects } from "./object-watch.ts";
import type { Scene, Stage } from "./scenes.ts";

const jobPods = 1000;
const setPods = 100;
const cronJobs = 500;

/** Gone after a round; nothing else removes the finalizers of a Job's pods. */
const leaves = (namespace: string): readonly string[] => [
  ...["batch/v1/cronjobs", "batch/v1/jobs", "apps/v1/statefulsets", "apps/v1/daemonsets"].map((resource) => {
    const [group, version, plural] = resource.split("/");
    return `/apis/${group}/${version}/namespaces/${namespace}/${plural}`;
  }),
  `/api/v1/namespaces/${namespace}/pods`,
];

const labels = { app: "bench" };
/** With a node name: nothing has to be scheduled. */
const spec = {
  nodeName: "fake-1",
  terminationGracePeriodSeconds: 0,
  containers: [{ name: "main", image: "registry.example.com/main:1" }],
};

/** For a cluster with so many nodes, named `fake-0` and so on. */
export function workloadScenes(nodes: number): readonly Scene[] {
  return [
    {
      name: `Job of ${jobPods} pods`,
      controllers: ["job"],
      warm: (stage) => runJob(stage, 1),
      play: playJob,
      leaves,
    },
    {
      name: `StatefulSet of ${setPods} pods, in parallel, up and down`,
      controllers: ["statefulset"],
      warm: async (stage) => void (await upAndDown(stage, "warm", 1)),
      play: (stage) => upAndDown(stage, "bench", setPods),
      leaves,
    },
    {
      name: `DaemonSet on ${nodes} nodes`,
      controllers: ["daemonset"],
      warm: async (stage) => void (await onNodes(stage, "warm", { "kubernetes.io/hostname": "fake-1" }, 1)),
      play: (stage) => onNodes(stage, "bench", {}, nodes),
      leaves,
    },
    {
      name: `${cronJobs} CronJobs at a minute's turn`,
      controllers: ["cronjob"],
      warm: (stage) => makeCronJobs(stage),
      play: atTheTurn,
      leaves,
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
