/** Changes that create work for the garbage collector: owners deleted with their dependents, and objects whose owner never existed. */
import { below, type Random, randomUuid } from "../../../src/platform/random.ts";
import type { Cluster } from "../../support/cluster.ts";

interface Owner {
  readonly name: string;
  readonly uid: string;
}

export class Garbage {
  readonly #cluster: Cluster;
  readonly #path: string;
  readonly #random: Random;
  readonly #owners = new Map<number, Owner>();
  /** This owner is never deleted. */
  #keeper: Owner | undefined;
  #last = 0;

  constructor({ cluster, namespace, random }: { cluster: Cluster; namespace: string; random: Random }) {
    this.#cluster = cluster;
    this.#path = `/api/v1/namespaces/${namespace}/configmaps`;
    this.#random = random;
  }

  /** Makes one change of the owner with this number; returns a description. */
  async change(number: number): Promise<string> {
    const owner = this.#owners.get(number);
    if (owner === undefined) return this.#create(number);
    this.#owners.delete(number);
    const policy = ["Background", "Foreground", "Orphan"][below(this.#random, 3)] ?? "Background";
    await this.#cluster.request("DELETE", `${this.#path}/${owner.name}`, { propagationPolicy: policy });
    return `delete ${owner.name} ${policy}`;
  }

  async #create(number: number): Promise<string> {
    const owner = await this.#make("owner", []);
    const dependents = 1 + below(this.#random, 3);
    for (let n = 0; n < dependents; n++) await this.#make("dependent", [owner]);
    // If two owners were deleted at once, their order would decide whether the reference is removed or the object deleted.
    this.#keeper ??= await this.#make("keeper", []);
    await this.#make("shared", [owner, this.#keeper]);
    const absent = { name: "absent", uid: randomUuid(this.#random) };
    if (below(this.#random, 2) === 0) await this.#make("stray", [absent]);
    else await this.#make("half", [owner, absent]);
    this.#owners.set(number, owner);
    return `create ${owner.name} with ${dependents} dependents`;
  }

  async #make(what: string, owners: readonly Owner[]): Promise<Owner> {
    const ownerReferences = owners.map((owner) => ({
      apiVersion: "v1",
      kind: "ConfigMap",
      ...owner,
      blockOwnerDeletion: true,
    }));
    const metadata = { name: `${what}-${++this.#last}`, ownerReferences };
    const { status, body } = await this.#cluster.request("POST", this.#path, { metadata });
    if (status !== 201) throw new Error(`Cannot create ${metadata.name}: ${JSON.stringify(body)}`);
    const { name, uid } = (body as { readonly metadata: Owner }).metadata;
    return { name, uid };
  }
}
