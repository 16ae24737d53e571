/** Random changes of ReplicaSets, Deployments and their pods, as users make them. */
import { below, type Random } from "../../../src/platform/random.ts";
import type { Cluster } from "../../support/cluster.ts";

type Workload = "replicasets" | "deployments";

const apps = "/apis/apps/v1/namespaces";
const merge = { "content-type": "application/merge-patch+json" };

function workload(kind: Workload, name: string, replicas: number, image: string): object {
  return {
    apiVersion: "apps/v1",
    kind: kind === "replicasets" ? "ReplicaSet" : "Deployment",
    metadata: { name },
    spec: {
      replicas,
      selector: { matchLabels: { app: name } },
      template: { metadata: { labels: { app: name } }, spec: { containers: [{ name: "web", image }] } },
    },
  };
}

export class Changes {
  readonly #cluster: Cluster;
  readonly #namespace: string;
  readonly #random: Random;
  readonly #kind: Workload;
  readonly #names = new Set<string>();
  readonly #deck: ((name: string) => Promise<string>)[] = [];

  constructor(options: { cluster: Cluster; namespace: string; random: Random; kind: Workload }) {
    this.#cluster = options.cluster;
    this.#namespace = options.namespace;
    this.#random = options.random;
    this.#kind = options.kind;
  }

  /** Makes one change of the object with this number; returns a description. */
  async change(number: number): Promise<string> {
    const name = `web-${number}`;
    if (!this.#names.has(name)) return this.#create(name);
    return this.#draw()(name);
  }

  /** The next action of a shuffled deck, which makes all equally frequent. */
  #draw(): (name: string) => Promise<string> {
    if (this.#deck.length === 0) {
      this.#deck.push(
        (name) => this.#scale(name),
        (name) => this.#scale(name),
        (name) => this.#deletePod(name),
        (name) => this.#relabelPod(name),
        (name) => this.#image(name),
        (name) => this.#minReady(name),
        (name) => this.#delete(name),
      );
    }
    const [act] = this.#deck.splice(below(this.#random, this.#deck.length), 1);
    return act ?? ((name) => this.#scale(name));
  }

  #path(name = ""): string {
    return `${apps}/${this.#namespace}/${this.#kind}${name === "" ? "" : `/${name}`}`;
  }

  async #create(name: string): Promise<string> {
    this.#names.add(name);
    const replicas = below(this.#random, 6);
    await this.#cluster.request("POST", this.#path(), workload(this.#kind, name, replicas, "web:1"));
    return `create ${name} ${replicas}`;
  }

  async #patch(name: string, spec: object): Promise<string> {
    await this.#cluster.request("PATCH", this.#path(name), { spec }, merge);
    return `patch ${name} ${JSON.stringify(spec)}`;
  }

  #scale(name: string): Promise<string> {
    return this.#patch(name, { replicas: below(this.#random, 8) });
  }

  #image(name: string): Promise<string> {
    const image = `web:${below(this.#random, 4)}`;
    return this.#patch(name, { template: { spec: { containers: [{ name: "web", image }] } } });
  }

  #minReady(name: string): Promise<string> {
    return this.#patch(name, { minReadySeconds: below(this.#random, 2) });
  }

  async #pod(name: string): Promise<string | undefined> {
    const path = `/api/v1/namespaces/${this.#namespace}/pods?labelSelector=app%3D${name}`;
    const { body } = await this.#cluster.request("GET", path);
    const names = (body.items as { metadata: { name: string } }[]).map(({ metadata }) => metadata.name).sort();
    return names[below(this.#random, Math.max(1, names.length))];
  }

  async #deletePod(name: string): Promise<string> {
    const pod = await this.#pod(name);
    if (pod === undefined) return this.#scale(name);
    await this.#cluster.request("DELETE", `/api/v1/namespaces/${this.#namespace}/pods/${pod}`);
    return `delete pod ${pod}`;
  }

  async #relabelPod(name: string): Promise<string> {
    const pod = await this.#pod(name);
    if (pod === undefined) return this.#scale(name);
    const path = `/api/v1/namespaces/${this.#namespace}/pods/${pod}`;
    await this.#cluster.request("PATCH", path, { metadata: { labels: { app: "released" } } }, merge);
    return `relabel pod ${pod}`;
  }

  async #delete(name: string): Promise<string> {
    this.#names.delete(name);
    const policy = ["Background", "Foreground", "Orphan"][below(this.#random, 3)] ?? "Background";
    await this.#cluster.request("DELETE", this.#path(name), { propagationPolicy: policy });
    return `delete ${name} ${policy}`;
  }
}
