/** ReplicaSets and pods of a test, accessed directly on the API server, independently of the program under test. */
import { expect } from "bun:test";
import type { Cluster } from "../../support/cluster.ts";

export interface PodSeen {
  readonly metadata: {
    readonly name: string;
    readonly uid: string;
    readonly resourceVersion: string;
    readonly labels?: Readonly<Record<string, string>>;
    readonly deletionTimestamp?: string;
    readonly ownerReferences?: readonly Readonly<Record<string, unknown>>[];
  };
}

export interface ReplicaSetSeen {
  readonly metadata: { readonly name: string; readonly uid: string; readonly generation: number };
  readonly spec: { readonly replicas: number };
  readonly status: {
    readonly replicas?: number;
    readonly observedGeneration?: number;
    readonly conditions?: readonly { readonly type: string; readonly reason: string; readonly message: string }[];
  };
}

/** One namespace of a cluster. */
export class Workload {
  readonly #cluster: Cluster;
  readonly namespace: string;

  constructor(cluster: Cluster, namespace: string) {
    this.#cluster = cluster;
    this.namespace = namespace;
  }

  #path(kind: "pods" | "replicasets", name?: string): string {
    const group = kind === "pods" ? "/api/v1" : "/apis/apps/v1";
    return `${group}/namespaces/${this.namespace}/${kind}${name === undefined ? "" : `/${name}`}`;
  }

  async #send<T>(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<T> {
    const response = await this.#cluster.request(method, path, body, headers);
    if (response.status >= 300) throw new Error(`${method} ${path}: ${JSON.stringify(response.body)}`);
    return response.body as T;
  }

  /** Creates a ReplicaSet whose pods have the label `app` with its name. */
  createReplicaSet(
    name: string,
    replicas: number,
    labels: Readonly<Record<string, string>> = {},
  ): Promise<ReplicaSetSeen> {
    const template = { metadata: { labels: { app: name } }, spec: { containers: [{ name: "c", image: "none" }] } };
    return this.#send("POST", this.#path("replicasets"), {
      metadata: { name, labels },
      spec: { replicas, selector: { matchLabels: { app: name } }, template },
    });
  }

  /** Creates a pod without an owner. */
  createPod(name: string, labels: Readonly<Record<string, string>>): Promise<PodSeen> {
    return this.#send("POST", this.#path("pods"), {
      metadata: { name, labels },
      spec: { containers: [{ name: "c", image: "none" }] },
    });
  }

  async scale(name: string, replicas: number): Promise<void> {
    await this.#patch(this.#path("replicasets", name), { spec: { replicas } });
  }

  async relabelPod(name: string, labels: Readonly<Record<string, string>>): Promise<void> {
    await this.#patch(this.#path("pods", name), { metadata: { labels } });
  }

  #patch(path: string, body: unknown): Promise<unknown> {
    return this.#send("PATCH", path, body, { "content-type": "application/merge-patch+json" });
  }

  /** Creates a quota that is in force: no controller here calculates usage, and a quota without a status is not enforced. */
  async limitPods(name: string, most: number): Promise<void> {
    const path = `/api/v1/namespaces/${this.namespace}/resourcequotas`;
    const hard = { pods: String(most) };
    await this.#send("POST", path, { metadata: { name }, spec: { hard } });
    await this.#patch(`${path}/${name}/status`, { status: { hard, used: { pods: "0" } } });
  }

  async unlimitPods(name: string): Promise<void> {
    await this.#send("DELETE", `/api/v1/namespaces/${this.namespace}/resourcequotas/${name}`);
  }

  async deletePod(name: string): Promise<void> {
    await this.#cluster.request("DELETE", this.#path("pods", name));
  }

  replicaSet(name: string): Promise<ReplicaSetSeen> {
    return this.#send("GET", this.#path("replicasets", name));
  }

  /** The pods that are not being deleted; with `owner`, only those that it controls. */
  async pods(owner?: { readonly metadata: { readonly uid: string } }): Promise<readonly PodSeen[]> {
    const { items } = await this.#send<{ items: readonly PodSeen[] }>("GET", this.#path("pods"));
    return items.filter(
      ({ metadata }) =>
        metadata.deletionTimestamp === undefined &&
        (owner === undefined || metadata.ownerReferences?.some(({ uid }) => uid === owner.metadata.uid) === true),
    );
  }

  /** Waits until the ReplicaSet has this number of pods and its status reports it. Returns the pods. */
  async settled(name: string, count: number, atMostMs = 120_000): Promise<readonly PodSeen[]> {
    let pods: readonly PodSeen[] = [];
    await eventually(async () => {
      const replicaSet = await this.replicaSet(name);
      pods = await this.pods(replicaSet);
      const { replicas = 0, observedGeneration = 0 } = replicaSet.status;
      const { generation } = replicaSet.metadata;
      expect({ pods: pods.length, replicas, observedGeneration }).toEqual({
        pods: count,
        replicas: count,
        observedGeneration: generation,
      });
    }, atMostMs);
    return pods;
  }
}

/** Retries until `check` no longer throws, less often the longer it takes; after the time limit, throws its last error. */
export async function eventually(check: () => Promise<void>, atMostMs = 120_000): Promise<void> {
  const startedAt = performance.now();
  for (;;) {
    try {
      await check();
      return;
    } catch (error) {
      const tookMs = performance.now() - startedAt;
      if (tookMs > atMostMs) throw error;
      await Bun.sleep(Math.min(250, 30 + tookMs / 20));
    }
  }
}
