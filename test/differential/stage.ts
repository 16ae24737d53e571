/** The environment of a script: one namespace of one cluster. The same actions run on one stage of each side. */
import { type Kind, pathOf } from "../../src/api/kind.ts";
import { VolumeAttachments } from "../../src/api/kinds.ts";
import type { ClusterResponse, Cluster } from "../support/cluster.ts";
import { known, type Resource } from "./kinds.ts";
import { type AnyObject, type Json, type PodObject, podClass } from "./objects.ts";

export type { Resource } from "./kinds.ts";

/** The API server of a side. */
export type StageServer = Pick<Cluster, "request" | "createNamespace">;

export interface Stage {
  readonly cluster: StageServer;
  readonly namespace: string;
  /** In ms since 1970, the same on every side: times that a script writes are relative to it, never to the current time. */
  readonly base: number;
  /** Creates a second namespace, `NAMESPACE-SUFFIX`, whose objects and writes are compared too, and returns a stage in it. */
  beside(suffix: string): Promise<Stage>;
  /**
   * Resources are given by the names that kubectl uses, or as a kind. A cluster-scoped object belongs to this stage if its name contains
   * the stage's namespace.
   * @throws Error if the server rejects the request.
   */
  create(resource: Resource, object: object): Promise<Json>;
  /** Sends a merge patch: of the status if the name ends in `/status`, of the scale if it ends in `/scale`. */
  patch(resource: Resource, name: string, body: object): Promise<Json>;
  remove(resource: Resource, name: string, options?: object): Promise<void>;
  get(resource: Resource, name: string): Promise<Json>;
  list(resource: Resource): Promise<readonly Json[]>;
  /** The objects of the kind in all of the stage's namespaces. Empty if the kind is not served. */
  all(kind: Kind): Promise<readonly AnyObject[]>;
  /** All pods, or those that match a predicate, ordered by class first, so that the order is the same on every side. */
  pods(which?: (pod: PodObject) => boolean): Promise<readonly PodObject[]>;
  /** Sends a request that may be rejected. */
  attempt(method: string, path: string, body?: object): Promise<ClusterResponse>;
}

/** Exists in each namespace of a sandbox over HTTPS. On the other sides, the controller that publishes it does not run. */
const publishedBySandbox = "kube-root-ca.crt";

const mergePatch = { "content-type": "application/merge-patch+json" };

/**
 * Returns a controller reference to a ConfigMap that is created if needed, for ReplicaSets. No controller acts for it, and the garbage
 * collector keeps what it owns.
 */
export async function parentOn(stage: Stage): Promise<object> {
  const name = "parent";
  const there = (await stage.list("configmaps")) as unknown as readonly AnyObject[];
  const parent =
    there.find(({ metadata }) => metadata.name === name) ??
    ((await stage.create("configmaps", { metadata: { name } })) as unknown as AnyObject);
  return { apiVersion: "v1", kind: "ConfigMap", name, uid: parent.metadata.uid, controller: true };
}

/** Returns a name for a cluster-scoped object of the stage. */
export function ownName({ namespace }: Pick<Stage, "namespace">, name: string): string {
  return `${namespace}-${name}`;
}

/** Creates a namespace and returns a stage in it. */
export async function setStage(server: StageServer, namespace: string, base: number): Promise<Stage> {
  await server.createNamespace(namespace);
  return stageIn({ server, base, top: namespace, namespaces: [namespace] }, namespace);
}

/** The text of a cluster-scoped object that contains the stage's name: its name, or for a VolumeAttachment (a hash), its node. */
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
    const { status, body: responseBody } = await server.request(method, path, body, headers);
    if (status >= 400) throw new Error(`${method} ${path} was refused with ${status}: ${JSON.stringify(responseBody)}`);
    return responseBody as Json;
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
      const responses = await Promise.all(paths.map((path) => server.request("GET", path)));
      const objects = responses
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
