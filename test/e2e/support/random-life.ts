/** Random user actions from a seed: the same requests for any server. */
import type { Random } from "../../../src/platform/random.ts";

/** Sends a request as cluster admin. */
export type Send = (method: string, path: string, body?: object) => Promise<{ readonly status: number }>;

type Act = (send: Send, random: Random) => Promise<unknown>;

const namespaces = ["red", "green", "blue"];
const pick = <T>(random: Random, of: readonly T[]): T => of[Math.floor(random.next() * of.length)] as T;
const number = (random: Random, below: number): number => Math.floor(random.next() * below);

const template = (name: string, random: Random, policy = "Always"): object => ({
  metadata: { labels: { app: name } },
  spec: {
    restartPolicy: policy,
    containers: [{ name: "c", image: `image:${number(random, 1000)}`, resources: { requests: { cpu: "10m" } } }],
  },
});

interface Workload {
  readonly path: string;
  readonly kind: string;
  readonly spec: (name: string, random: Random) => object;
}

const selector = (name: string): object => ({ matchLabels: { app: name } });
const workloads: readonly Workload[] = [
  {
    path: "/apis/apps/v1",
    kind: "deployments",
    spec: (name, random) => ({
      replicas: number(random, 6),
      selector: selector(name),
      template: template(name, random),
    }),
  },
  {
    path: "/apis/apps/v1",
    kind: "statefulsets",
    spec: (name, random) => ({
      replicas: number(random, 4),
      serviceName: name,
      selector: selector(name),
      template: template(name, random),
    }),
  },
  {
    path: "/apis/apps/v1",
    kind: "daemonsets",
    spec: (name, random) => ({ selector: selector(name), template: template(name, random) }),
  },
  {
    path: "/apis/batch/v1",
    kind: "jobs",
    spec: (name, random) => ({
      completions: 1 + number(random, 4),
      parallelism: 1 + number(random, 3),
      ttlSecondsAfterFinished: 5,
      template: template(name, random, "Never"),
    }),
  },
  {
    path: "/apis/batch/v1",
    kind: "cronjobs",
    spec: (name, random) => ({
      schedule: "* * * * *",
      jobTemplate: { spec: { ttlSecondsAfterFinished: 20, template: template(name, random, "Never") } },
    }),
  },
];

const other = (random: Random): readonly [path: string, body: (name: string) => object] =>
  pick<readonly [string, (name: string) => object]>(random, [
    [
      "/api/v1/X/services",
      (name) => ({ metadata: { name }, spec: { selector: { app: name }, ports: [{ port: 80 }] } }),
    ],
    ["/api/v1/X/configmaps", (name) => ({ metadata: { name }, data: { a: name } })],
    ["/api/v1/X/serviceaccounts", (name) => ({ metadata: { name } })],
    ["/api/v1/X/resourcequotas", (name) => ({ metadata: { name }, spec: { hard: { pods: "100" } } })],
    [
      "/apis/policy/v1/X/poddisruptionbudgets",
      (name) => ({ metadata: { name }, spec: { minAvailable: 1, selector: selector(name) } }),
    ],
    [
      "/apis/autoscaling/v2/X/horizontalpodautoscalers",
      (name) => ({
        metadata: { name },
        spec: { maxReplicas: 4, scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name } },
      }),
    ],
  ]);

const create: Act = (send, random) => {
  const namespace = pick(random, namespaces);
  const name = `w${number(random, 5)}`;
  const { path, kind, spec } = pick(random, workloads);
  const body = { metadata: { name, labels: { app: name } }, spec: spec(name, random) };
  return send("POST", `${path}/namespaces/${namespace}/${kind}`, body);
};

const change: Act = (send, random) => {
  const namespace = pick(random, namespaces);
  const name = `w${number(random, 5)}`;
  const { path, kind } = pick(random, workloads.slice(0, 3));
  const at = `${path}/namespaces/${namespace}/${kind}/${name}`;
  if (kind !== "daemonsets" && random.next() < 0.5) return send("PATCH", at, { spec: { replicas: number(random, 6) } });
  const container = { name: "c", image: `image:${number(random, 1000)}` };
  return send("PATCH", at, { spec: { template: { spec: { containers: [container] } } } });
};

const remove: Act = (send, random) => {
  const namespace = pick(random, namespaces);
  const name = `w${number(random, 5)}`;
  const { path, kind } = pick(random, workloads);
  const propagationPolicy = pick(random, ["Background", "Foreground", "Orphan"]);
  return send("DELETE", `${path}/namespaces/${namespace}/${kind}/${name}`, { propagationPolicy });
};

const beside: Act = (send, random) => {
  const namespace = pick(random, namespaces);
  const name = `w${number(random, 5)}`;
  const [path, body] = other(random);
  const collection = path.replace("X", `namespaces/${namespace}`);
  return random.next() < 0.6 ? send("POST", collection, body(name)) : send("DELETE", `${collection}/${name}`, {});
};

const pods: Act = (send, random) =>
  send("DELETE", `/api/v1/namespaces/${pick(random, namespaces)}/pods?labelSelector=app%3Dw${number(random, 5)}`, {});

/** Creates a namespace with a Deployment in it; deletes the namespace if it already exists. */
const empty: Act = async (send, random) => {
  const name = `tmp-${number(random, 3)}`;
  const { status } = await send("POST", "/api/v1/namespaces", { metadata: { name } });
  if (status === 409) return send("DELETE", `/api/v1/namespaces/${name}`, {});
  const body = { metadata: { name: "w", labels: { app: "w" } }, spec: workloads[0]?.spec("w", random) ?? {} };
  return send("POST", `/apis/apps/v1/namespaces/${name}/deployments`, body);
};

/** Setup: creates the namespaces and kwok nodes. */
export async function settle(send: Send): Promise<void> {
  for (const name of namespaces) await send("POST", "/api/v1/namespaces", { metadata: { name } });
  const room = { cpu: "32", memory: "256Gi", pods: "1100" };
  for (let n = 0; n < 3; n++)
    await send("POST", "/api/v1/nodes", {
      metadata: {
        name: `fake-${n}`,
        annotations: { "kwok.x-k8s.io/node": "fake" },
        labels: { "kubernetes.io/hostname": `fake-${n}`, "kubernetes.io/os": "linux" },
      },
      status: { allocatable: room, capacity: room },
    });
}

/** Performs the next user action. */
export function act(send: Send, random: Random): Promise<unknown> {
  const dice = random.next();
  const next: Act =
    dice < 0.25
      ? create
      : dice < 0.6
        ? change
        : dice < 0.72
          ? remove
          : dice < 0.88
            ? beside
            : dice < 0.95
              ? pods
              : empty;
  return next(send, random);
}
