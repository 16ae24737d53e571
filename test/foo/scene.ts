/** Seeded user actions on Foos and their Deployments in one namespace, and the objects that exist in the end. */
import { type Random, seededRandom } from "../../src/platform/random.ts";
import type { Cluster } from "../support/cluster.ts";

// oxlint-disable-next-line typescript/no-explicit-any -- responses of the API server, whose fields the scene knows
type ResponseBody = any;

const merge = { "content-type": "application/merge-patch+json" };
const foreign = { app: "foreign" };

/** One namespace with its actions. */
export class Scene {
  readonly #cluster: Cluster;
  readonly #namespace: string;
  readonly #random: Random;

  constructor(cluster: Cluster, namespace: string, seed: number) {
    this.#cluster = cluster;
    this.#namespace = namespace;
    this.#random = seededRandom(seed);
  }

  #of<T>(choices: readonly T[]): T {
    return choices[Math.floor(this.#random.next() * choices.length)] as T;
  }

  get #foos(): string {
    return `/apis/samplecontroller.k8s.io/v1alpha1/namespaces/${this.#namespace}/foos`;
  }

  get #deployments(): string {
    return `/apis/apps/v1/namespaces/${this.#namespace}/deployments`;
  }

  /** Performs the actions, each after the effects of the previous one. Some are refused, such as deleting a missing object. */
  async play(actions: number): Promise<void> {
    await this.#cluster.createNamespace(this.#namespace);
    for (let n = 0; n < actions; n++) {
      await this.#act();
      await this.#quiet();
    }
    // Triggers a sync of every Foo, so that none still waits for a retry.
    for (const { metadata } of await this.#items(this.#foos)) {
      const path = `${this.#foos}/${metadata.name}`;
      await this.#cluster.request("PATCH", path, { metadata: { labels: { woken: "yes" } } }, merge);
      await this.#quiet();
    }
    // Events are sent later than the writes that they report.
    await this.#quiet([this.#events], 20);
  }

  async #act(): Promise<void> {
    const request: Cluster["request"] = (...of) => this.#cluster.request(...of);
    const action = this.#random.next();
    const foo = this.#of(["a", "b"]);
    const deploymentName = this.#of(["x", "y", "z", ""]);
    const replicas = 1 + Math.floor(this.#random.next() * 10);
    const [fooPath, deployment] = [`${this.#foos}/${foo}`, `${this.#deployments}/${deploymentName || "x"}`];
    const kind = { apiVersion: "samplecontroller.k8s.io/v1alpha1", kind: "Foo", metadata: { name: foo } };
    if (action < 0.25) await request("POST", this.#foos, { ...kind, spec: { deploymentName, replicas } });
    else if (action < 0.3) await request("POST", this.#foos, { ...kind, spec: { deploymentName } });
    else if (action < 0.35) await request("DELETE", fooPath);
    else if (action < 0.5) await request("PATCH", fooPath, { spec: { replicas } }, merge);
    else if (action < 0.6) await request("PATCH", fooPath, { spec: { deploymentName } }, merge);
    else if (action < 0.7) await request("DELETE", deployment);
    else if (action < 0.8)
      await request("PATCH", deployment, { metadata: { annotations: { by: "hand" } }, spec: { replicas } }, merge);
    else if (action < 0.9)
      await request(
        "PATCH",
        `${deployment}/status`,
        { status: { replicas: 10, readyReplicas: 10, availableReplicas: replicas } },
        merge,
      );
    else {
      const template = { metadata: { labels: foreign }, spec: { containers: [{ name: "c", image: "none" }] } };
      const spec = { selector: { matchLabels: foreign }, template };
      const name = deploymentName || "x";
      await request("POST", this.#deployments, { apiVersion: "apps/v1", kind: "Deployment", metadata: { name }, spec });
    }
  }

  async #items(path: string): Promise<readonly ResponseBody[]> {
    return (await this.#cluster.request("GET", path)).body.items;
  }

  get #events(): string {
    return `/api/v1/namespaces/${this.#namespace}/events`;
  }

  /** Waits until the objects have not changed for a while, at most ten seconds. */
  async #quiet(paths = [this.#foos, this.#deployments], looks = 6): Promise<void> {
    let before = "";
    for (let [look, same] = [0, 0]; look < 200 && same < looks; look++) {
      const all = (await Promise.all(paths.map((path) => this.#items(path)))).flat();
      const now = all.map(({ metadata }) => `${metadata.uid} ${metadata.resourceVersion}`).join();
      same = now === before ? same + 1 : 0;
      before = now;
      await Bun.sleep(50);
    }
  }

  /** The objects without what differs between namespaces: uids, versions, times. */
  async objects(): Promise<unknown> {
    const foos = await this.#items(this.#foos);
    const owner = (ref: ResponseBody): unknown => ({
      ...ref,
      uid: foos.find(({ metadata }) => metadata.uid === ref.uid)?.metadata.name,
    });
    const plain = ({ metadata, spec, status }: ResponseBody): unknown => ({
      name: metadata.name,
      labels: metadata.labels,
      annotations: metadata.annotations,
      generation: metadata.generation,
      owners: metadata.ownerReferences?.map(owner),
      managers: metadata.managedFields
        .map(({ manager, operation, subresource, fieldsV1 }: ResponseBody) =>
          JSON.stringify([manager, operation, subresource, fieldsV1]).replace(
            /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g,
            "UID",
          ),
        )
        .sort(),
      spec,
      status,
    });
    return { foos: foos.map(plain), deployments: (await this.#items(this.#deployments)).map(plain) };
  }

  /** The distinct Events, for all Foos of a name together. */
  async events(): Promise<readonly string[]> {
    const texts = (await this.#items(this.#events)).map((event) => {
      const { apiVersion, kind, name } = event.involvedObject;
      const { type, reason, message, source, reportingComponent } = event;
      return JSON.stringify([apiVersion, kind, name, type, reason, message, source.component, reportingComponent]);
    });
    return [...new Set(texts)].sort();
  }

  /** Removes the Foos, so that another controller has nothing to do here. */
  async clear(): Promise<void> {
    await this.#cluster.request("DELETE", this.#foos);
  }
}
