/** Access to the workload scene's namespace on the API server, with plain requests, and to the controllers' cache of its pods. */
import { DaemonSets, Pods } from "../../../src/api/kinds.ts";
import type { Cluster } from "../../support/cluster.ts";
import type { FaultyRun } from "./faulty-run.ts";
import type { Phase } from "./workload-manifests.ts";
import { ended } from "./workload-manifests.ts";
import { hasEnded, isLeaving, type Seen, type World } from "./workload-verdicts.ts";

const resources = {
  statefulsets: "/apis/apps/v1",
  daemonsets: "/apis/apps/v1",
  deployments: "/apis/apps/v1",
  replicasets: "/apis/apps/v1",
  controllerrevisions: "/apis/apps/v1",
  jobs: "/apis/batch/v1",
  cronjobs: "/apis/batch/v1",
  poddisruptionbudgets: "/apis/policy/v1",
  horizontalpodautoscalers: "/apis/autoscaling/v2",
  persistentvolumeclaims: "/api/v1",
  pods: "/api/v1",
} as const;
export type Resource = keyof typeof resources;

export interface WorkloadGround {
  readonly cluster: Cluster;
  readonly run: FaultyRun;
  readonly namespace: string;
  /** Upper bound of the pods that the scene has deleted, keyed by Job name. */
  readonly deletedPods: Map<string, number>;
  /** The path of a resource, or of one object of it, in the namespace. */
  readonly at: (resource: Resource, name?: string) => string;
  /** The body of a PATCH is a merge patch. @throws Error if the server refuses the request. */
  readonly send: (method: string, path: string, body?: object) => Promise<unknown>;
  readonly create: (resource: Resource, body: object) => Promise<unknown>;
  readonly patch: (path: string, body: object) => Promise<unknown>;
  readonly list: (resource: Resource) => Promise<readonly Seen[]>;
  readonly nodes: () => Promise<readonly Seen[]>;
  readonly world: () => Promise<World>;
  /** Whether the pod is in the controllers' cache. One that is not there yet must not be deleted; see live-scene.ts. */
  readonly isCached: (pod: Seen) => boolean;
  /** Makes the pod end, with the status that a kubelet would report. */
  readonly end: (pod: Seen, phase: Phase) => Promise<void>;
}

export const isActive = (pod: Seen): boolean => !isLeaving(pod) && !hasEnded(pod);

export const jobsByHand = async ({ list }: WorkloadGround): Promise<readonly Seen[]> =>
  (await list("jobs")).filter(({ metadata }) => metadata.labels?.["by"] === "hand");

export function countDeletedPod({ deletedPods }: WorkloadGround, job: string): void {
  deletedPods.set(job, (deletedPods.get(job) ?? 0) + 1);
}

export function groundOf(cluster: Cluster, run: FaultyRun, namespace: string): WorkloadGround {
  const at = (resource: Resource, name = ""): string =>
    `${resources[resource]}/namespaces/${namespace}/${resource}${name === "" ? "" : `/${name}`}`;
  async function send(method: string, path: string, body?: object): Promise<unknown> {
    const headers = method === "PATCH" ? { "content-type": "application/merge-patch+json" } : {};
    const response = await cluster.request(method, path, body, headers);
    if (response.status >= 300) throw new Error(`${method} ${path}: ${JSON.stringify(response.body)}`);
    return response.body;
  }
  const patch = (path: string, body: object): Promise<unknown> => send("PATCH", path, body);
  const listOf = async (path: string): Promise<readonly Seen[]> =>
    ((await send("GET", path)) as { readonly items: readonly Seen[] }).items.map((item) => ({
      ...item,
      status: (item as Partial<Seen>).status ?? {},
    }));
  const list = (resource: Resource): Promise<readonly Seen[]> => listOf(at(resource));
  const nodes = (): Promise<readonly Seen[]> => listOf("/api/v1/nodes");
  const informed = run.live.manager.controllers.find(({ definition }) => definition.for === DaemonSets);
  return {
    cluster,
    run,
    namespace,
    deletedPods: new Map(),
    at,
    send,
    create: (resource, body) => send("POST", at(resource), body),
    patch,
    list,
    nodes,
    async world() {
      const { horizontalpodautoscalers: _, ...judged } = resources;
      const lists = Object.keys(judged).map(async (resource) => [resource, await list(resource as Resource)] as const);
      const byName = Object.fromEntries(await Promise.all(lists)) as unknown as Omit<World, "nodes">;
      return { ...byName, nodes: await nodes() };
    },
    isCached: ({ metadata }) => informed?.cache(Pods).get(`${namespace}/${metadata.name}`) !== undefined,
    async end({ metadata: { name } }, phase) {
      await patch(`${at("pods", name)}/status`, ended(phase, Date.now() - (phase === "Failed" ? 2000 : 0)));
    },
  };
}
