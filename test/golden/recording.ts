/** Shared by the recorders that use a real kube-controller-manager: a cluster with a user, workloads, and the place of the recordings. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Cluster, startCluster } from "../support/cluster.ts";

const namespace = "shop";
const apps = `/apis/apps/v1/namespaces/${namespace}`;
const merge = { "content-type": "application/merge-patch+json" };

export type Workload = "replicasets" | "deployments";

/** A kubectl user in the namespace `shop`. */
export interface User {
  readonly cluster: Cluster;
  readonly namespace: string;
  /** Sends a request to a path below those of the namespace, `pods/web`, or to a complete path. */
  send(method: string, path: string, body?: unknown): Promise<unknown>;
  create(kind: Workload, name: string, replicas: number, pod?: object, spec?: object): Promise<unknown>;
  /** Merges into a workload. */
  patch(kind: Workload, name: string, spec: object): Promise<unknown>;
  /** The names of the pods with the label `app`. */
  pods(app: string): Promise<readonly string[]>;
}

/** Runs `make` with a cluster that has all controllers of kube-controller-manager, and saves its result. */
export async function record(file: string, make: (user: User) => Promise<unknown>): Promise<void> {
  const cluster = await startCluster({ controllers: "*" });
  try {
    await cluster.createNamespace(namespace);
    writeFileSync(join(import.meta.dir, file), `${JSON.stringify(await make(userOf(cluster)))}\n`);
  } finally {
    await cluster.stop();
  }
}

function userOf(cluster: Cluster): User {
  const send: User["send"] = async (method, path, body) => {
    const whole = path.startsWith("/") ? path : `/api/v1/namespaces/${namespace}/${path}`;
    const { body: responseBody } = await cluster.request(method, `${whole}?fieldManager=kubectl-edit`, body, {
      ...(method === "PATCH" && merge),
    });
    return responseBody;
  };
  return {
    cluster,
    namespace,
    send,
    create: (kind, name, replicas, pod = {}, spec = {}) =>
      send("POST", `${apps}/${kind}`, { metadata: { name }, spec: { ...workload(name, replicas, pod), ...spec } }),
    patch: (kind, name, spec) => send("PATCH", `${apps}/${kind}/${name}`, { spec }),
    async pods(app) {
      const { body } = await cluster.request("GET", `/api/v1/namespaces/${namespace}/pods?labelSelector=app%3D${app}`);
      return (body.items as { metadata: { name: string } }[]).map(({ metadata }) => metadata.name);
    },
  };
}

function workload(app: string, replicas: number, pod: object): object {
  const containers = [{ name: "web", image: "web:1" }];
  return {
    replicas,
    selector: { matchLabels: { app } },
    template: { metadata: { labels: { app } }, spec: { containers, ...pod } },
  };
}

/** The argument for `patch` that changes the image. */
export function imageOf(image: string): object {
  return { template: { spec: { containers: [{ name: "web", image }] } } };
}
