/** What a script acts on: one namespace of one cluster. The same actions are played on a stage of each side. */
import type { ApiAnswer, Cluster } from "../support/cluster.ts";
import { type Json, type PodObject, podClass } from "./objects.ts";

export type Resource = "pods" | "replicasets" | "replicationcontrollers" | "resourcequotas" | "limitranges";

export interface Stage {
  readonly cluster: Cluster;
  readonly namespace: string;
  /** ms since 1970, the same on every side: times that a script writes are counted back from it, never from now. */
  readonly base: number;
  /** @throws Error when the server refuses. */
  create(resource: Resource, object: object): Promise<Json>;
  /** A merge patch; of the status where the name ends in `/status`, of the scale where it ends in `/scale`. */
  patch(resource: Resource, name: string, body: object): Promise<Json>;
  remove(resource: Resource, name: string, options?: object): Promise<void>;
  get(resource: Resource, name: string): Promise<Json>;
  list(resource: Resource): Promise<readonly Json[]>;
  /** All pods, or those that a predicate takes, in an order that depends on their classes first: the same on every side. */
  pods(which?: (pod: PodObject) => boolean): Promise<readonly PodObject[]>;
  /** A request that may be refused. */
  attempt(method: string, path: string, body?: object): Promise<ApiAnswer>;
}

const mergePatch = { "content-type": "application/merge-patch+json" };

/**
 * A controller of ReplicaSets, that need not be there. Of a uid of its own for each stage: ReplicaSets of one controller are
 * looked for in all namespaces.
 */
export function parentOn({ namespace }: Stage): object {
  return { apiVersion: "apps/v1", kind: "Deployment", name: "parent", uid: `parent-on-${namespace}`, controller: true };
}

/** A stage in a namespace of its own, which is made here. */
export async function setStage(cluster: Cluster, namespace: string, base: number): Promise<Stage> {
  await cluster.createNamespace(namespace);
  const pathOf = (resource: Resource, name = ""): string => {
    const group = resource === "replicasets" ? "/apis/apps/v1" : "/api/v1";
    return `${group}/namespaces/${namespace}/${resource}${name === "" ? "" : `/${name}`}`;
  };
  const granted = async (
    method: string,
    path: string,
    body?: object,
    headers?: Record<string, string>,
  ): Promise<Json> => {
    const { status, body: answer } = await cluster.request(method, path, body, headers);
    if (status >= 400) throw new Error(`${method} ${path} was refused with ${status}: ${JSON.stringify(answer)}`);
    return answer as Json;
  };
  const list = async (resource: Resource): Promise<readonly Json[]> =>
    (await granted("GET", pathOf(resource)))["items"] as readonly Json[];
  return {
    cluster,
    namespace,
    base,
    create: (resource, object) => granted("POST", pathOf(resource), object),
    patch: (resource, name, body) => granted("PATCH", pathOf(resource, name), body, mergePatch),
    remove: async (resource, name, options) => void (await granted("DELETE", pathOf(resource, name), options)),
    get: (resource, name) => granted("GET", pathOf(resource, name)),
    list,
    async pods(which = () => true) {
      const pods = (await list("pods")) as unknown as readonly PodObject[];
      const order = (pod: PodObject): string => `${JSON.stringify(podClass(pod))} ${pod.metadata.name}`;
      return pods.filter(which).sort((a, b) => (order(a) < order(b) ? -1 : 1));
    },
    attempt: (method, path, body) =>
      cluster.request(method, `/api/v1/namespaces/${namespace}${path}`, body, method === "PATCH" ? mergePatch : {}),
  };
}
