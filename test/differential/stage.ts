/** What a script acts on: one namespace of one cluster. The same actions are played on a stage of each side. */
import { type Kind, pathOf } from "../../src/api/kind.ts";
import { VolumeAttachments } from "../../src/api/kinds.ts";
import type { ApiAnswer, Cluster } from "../support/cluster.ts";
import { known, type Resource } from "./kinds.ts";
import { type AnyObject, type Json, type PodObject, podClass } from "./objects.ts";

export type { Resource } from "./kinds.ts";

/** The API server of a side. */
export type StageServer = Pick<Cluster, "request" | "createNamespace">;

export interface Stage {
  readonly cluster: StageServer;
  readonly namespace: string;
  /** ms since 1970, the same on every side: times that a script writes are counted back from it, never from now. */
  readonly base: number;
  /** Makes a second namespace, `NAMESPACE-SUFFIX`, whose objects and writes count too, and answers a stage in it. */
  beside(suffix: string): Promise<Stage>;
  /**
   * Resources are named as kubectl does, or given as a kind. Objects that have no namespace are this stage's if the stage's
   * namespace is part of their names.
   * @throws Error when the server refuses.
   */
  create(resource: Resource, object: object): Promise<Json>;
  /** A merge patch; of the status where the name ends in `/status`, of the scale where it ends in `/scale`. */
  patch(resource: Resource, name: string, body: object): Promise<Json>;
  remove(resource: Resource, name: string, options?: object): Promise<void>;
  get(resource: Resource, name: string): Promise<Json>;
  list(resource: Resource): Promise<readonly Json[]>;
  /** The objects of the kind in all of the stage's namespaces; none where the kind is not served. */
  all(kind: Kind): Promise<readonly AnyObject[]>;
  /** All pods, or those that a predicate takes, in an order that depends on their classes first: the same on every side. */
  pods(which?: (pod: PodObject) => boolean): Promise<readonly PodObject[]>;
  /** A request that may be refused. */
  attempt(method: string, path: string, body?: object): Promise<ApiAnswer>;
}

/** In each namespace of a sandbox over HTTPS; on the other sides the part of kube-controller-manager that makes it does not run. */
const publishedBySandbox = "kube-root-ca.crt";

const mergePatch = { "content-type": "application/merge-patch+json" };

/**
 * A controller of ReplicaSets, that need not be there. Of a uid of its own for each stage: ReplicaSets of one controller are
 * looked for in all namespaces.
 */
export function parentOn({ namespace }: Stage): object {
  return { apiVersion: "apps/v1", kind: "Deployment", name: "parent", uid: `parent-on-${namespace}`, controller: true };
}

/** The name of an object without a namespace that is the stage's own. */
export function ownName({ namespace }: Pick<Stage, "namespace">, name: string): string {
  return `${namespace}-${name}`;
}

/** A stage in a namespace of its own, which is made here. */
export async function setStage(server: StageServer, namespace: string, base: number): Promise<Stage> {
  await server.createNamespace(namespace);
  return stageIn({ server, base, top: namespace, namespaces: [namespace] }, namespace);
}

/** Where the stage's name is in an object without a namespace: VolumeAttachments are named by a hash, and made for a node. */
function ownerText(kind: Kind, object: AnyObject): string {
  if (kind.kind !== VolumeAttachments.kind) return object.metadata.name;
  const { spec } = object as unknown as { readonly spec: { readonly nodeName: string } };
  return spec.nodeName;
}

interface Place {
  readonly server: StageServer;
  readonly base: number;
  readonly top: string;
  readonly namespaces: string[];
}

function stageIn(place: Place, namespace: string): Stage {
  const { server, base, top, namespaces } = place;
  const kindOf = (resource: Resource): Kind => (typeof resource === "string" ? known[resource] : resource);
  const at = (resource: Resource, name = ""): string => {
    const [own, subresource] = name.split("/");
    return pathOf(kindOf(resource), {
      namespace,
      ...(own !== undefined && own !== "" && { name: own }),
      ...(subresource !== undefined && { subresource }),
    });
  };
  const granted = async (
    method: string,
    path: string,
    body?: object,
    headers?: Record<string, string>,
  ): Promise<Json> => {
    const { status, body: answer } = await server.request(method, path, body, headers);
    if (status >= 400) throw new Error(`${method} ${path} was refused with ${status}: ${JSON.stringify(answer)}`);
    return answer as Json;
  };
  const list = async (resource: Resource): Promise<readonly Json[]> =>
    (await granted("GET", at(resource)))["items"] as readonly Json[];
  return {
    cluster: server,
    namespace,
    base,
    async beside(suffix) {
      const other = `${top}-${suffix}`;
      if (!namespaces.includes(other)) {
        await server.createNamespace(other);
        namespaces.push(other);
      }
      return stageIn(place, other);
    },
    create: (resource, object) => granted("POST", at(resource), object),
    patch: (resource, name, body) => granted("PATCH", at(resource, name), body, mergePatch),
    remove: async (resource, name, options) => void (await granted("DELETE", at(resource, name), options)),
    get: (resource, name) => granted("GET", at(resource, name)),
    list,
    async all(kind) {
      const paths = kind.namespaced ? namespaces.map((each) => pathOf(kind, { namespace: each })) : [pathOf(kind, {})];
      const answers = await Promise.all(paths.map((path) => server.request("GET", path)));
      const objects = answers
        .flatMap(({ status, body }) => (status === 200 ? (body.items as AnyObject[]) : []))
        .filter(({ metadata }) => metadata.name !== publishedBySandbox);
      return kind.namespaced ? objects : objects.filter((object) => ownerText(kind, object).includes(top));
    },
    async pods(which = () => true) {
      const pods = (await list("pods")) as unknown as readonly PodObject[];
      const order = (pod: PodObject): string => `${JSON.stringify(podClass(pod))} ${pod.metadata.name}`;
      return pods.filter(which).sort((a, b) => (order(a) < order(b) ? -1 : 1));
    },
    attempt: (method, path, body) =>
      server.request(method, `/api/v1/namespaces/${namespace}${path}`, body, method === "PATCH" ? mergePatch : {}),
  };
}
