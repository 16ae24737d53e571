/**
 * Deployments that are rolled out, scaled, deleted and recreated, ConfigMaps that own ConfigMaps, and namespaces that are deleted, while
 * all controllers run behind faulty proxies. Whatever happens meanwhile, the required final state follows from the objects that exist at
 * the end: this scene checks for it.
 */
import { expect } from "bun:test";
import { Pods } from "../../../src/api/kinds.ts";
import { below, type Random } from "../../../src/platform/random.ts";
import type { Cluster } from "../../support/cluster.ts";
import type { ConvergingScene } from "./faults.ts";
import type { FaultyRun } from "./faulty-run.ts";
import { lifeOf } from "./scene-life.ts";
import { eventually } from "./workload.ts";

const deployments = ["a", "b", "c"];
const mostReplicas = 6;
const templates = 4;
/** Deleting a namespace that contains pods involves several waits of 5 to 8 seconds. */
const waitMs = 120_000;
const hashLabel = "pod-template-hash";

type Policy = "Background" | "Foreground" | "Orphan";

interface Seen {
  readonly metadata: {
    readonly name: string;
    readonly uid: string;
    readonly generation?: number;
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
    readonly deletionTimestamp?: string;
    readonly ownerReferences?: readonly { readonly uid: string; readonly controller?: boolean }[];
  };
  readonly spec: { readonly replicas: number; readonly template: { readonly spec: object } };
  readonly status: Readonly<Record<string, number | undefined>>;
}

/** ConfigMaps with their owners, as created. */
interface Family {
  readonly owners: readonly string[];
  readonly children: readonly string[];
  /** Created to be orphaned: its only owner is always deleted with propagation policy Orphan. */
  readonly orphaned: boolean;
}

/** Creates Deployments in a new namespace and waits until they are available. The controllers must already be running. */
export async function startCascadeScene(cluster: Cluster, run: FaultyRun, namespace: string): Promise<ConvergingScene> {
  await cluster.createNamespace(namespace);
  const stage = stageOf(cluster, namespace);
  const families: Family[] = [];
  const ended: string[] = [];
  let made = 0;
  for (const name of deployments) await stage.createDeployment(name, 2, 0);
  const replicaSets = run.live.manager.controllers.find(({ definition }) => definition.name === "replicaset");

  /** A pod that is not in the cache yet is not deleted; see live-scene.ts. */
  async function deletePod(random: Random): Promise<void> {
    const pods = (await stage.list("pods")).filter(
      ({ metadata }) => replicaSets?.cache(Pods).get(`${namespace}/${metadata.name}`) !== undefined,
    );
    const name = pods[below(random, pods.length)]?.metadata.name;
    if (name !== undefined) await stage.remove("pods", name);
  }

  async function replaceDeployment(name: string, random: Random): Promise<void> {
    const policy = (["Background", "Foreground", "Orphan"] as const)[below(random, 3)] ?? "Background";
    await stage.remove("deployments", name, policy);
    // After a foreground deletion the name stays taken until all pods are gone; a later step then recreates the Deployment.
    await stage.createDeployment(name, 1 + below(random, 3), below(random, templates));
  }

  async function newFamily(random: Random): Promise<void> {
    const id = ++made;
    const orphaned = random.next() < 0.3;
    const owners = orphaned ? [`owner-${id}`] : [`owner-${id}`, `other-${id}`];
    const children = [`child-${id}-1`, `child-${id}-2`];
    const uids = await Promise.all(owners.map((name) => stage.createConfigMap(name, [])));
    for (const child of children) await stage.createConfigMap(child, uids);
    // Only a complete family is checked: of an incomplete one it is unknown which objects were created.
    families.push({ owners, children, orphaned });
  }

  async function endOwner(random: Random): Promise<void> {
    const family = families[below(random, families.length)];
    const owner = family?.owners[below(random, family.owners.length)];
    if (family === undefined || owner === undefined) return;
    const policy: Policy = family.orphaned ? "Orphan" : random.next() < 0.5 ? "Background" : "Foreground";
    await stage.remove("configmaps", owner, policy);
  }

  async function endNamespace(random: Random): Promise<void> {
    const other = `${namespace}-${++made}`;
    await cluster.createNamespace(other);
    const inside = stageOf(cluster, other);
    await inside.createConfigMap("a", []);
    await inside.createDeployment("web", 1 + below(random, 2), 0);
    await cluster.request("DELETE", `/api/v1/namespaces/${other}`);
    ended.push(other);
  }

  async function step(random: Random): Promise<void> {
    const name = deployments[below(random, deployments.length)] ?? "a";
    const roll = random.next();
    if (roll < 0.25) return stage.scale(name, below(random, mostReplicas + 1));
    if (roll < 0.45) return stage.setTemplate(name, below(random, templates));
    if (roll < 0.6) return deletePod(random);
    if (roll < 0.7) return replaceDeployment(name, random);
    if (roll < 0.8) return newFamily(random);
    if (roll < 0.95) return endOwner(random);
    return ended.length < 3 ? endNamespace(random) : undefined;
  }

  async function look(): Promise<void> {
    for (const name of deployments)
      if ((await stage.get("deployments", name)) === undefined) await stage.createDeployment(name, 1, 0);
    const [owners, sets, pods, maps] = (await Promise.all(
      (["deployments", "replicasets", "pods", "configmaps"] as const).map((resource) => stage.list(resource)),
    )) as [readonly Seen[], readonly Seen[], readonly Seen[], readonly Seen[]];
    for (const each of owners)
      if (isStuckByAnnotation(each, sets)) await stage.scale(each.metadata.name, each.spec.replicas + 1);
    expect(owners.map((each) => standing(each, sets, pods))).toEqual(owners.map(desired));
    expect(dangling([...sets, ...pods], [...owners, ...sets])).toEqual([]);
    const there = new Set(maps.map(({ metadata }) => metadata.name));
    for (const { owners: names, children, orphaned } of families) {
      const kept = orphaned || names.some((name) => there.has(name));
      const left = children.filter((child) => there.has(child));
      expect({ of: names.join(), left }).toEqual({ of: names.join(), left: kept ? [...children] : [] });
    }
    for (const name of ended) {
      const { status } = await cluster.request("GET", `/api/v1/namespaces/${name}`);
      expect({ name, status }).toEqual({ name, status: 404 });
    }
  }

  await eventually(look, waitMs);
  return {
    namespace,
    failures: run.failures,
    ...lifeOf({ step, look, waitMs }),
  };
}

const isControlledBy =
  (uid: string) =>
  ({ metadata }: Seen): boolean =>
    metadata.ownerReferences?.some((owner) => owner.controller === true && owner.uid === uid) === true;

interface SeenPod {
  readonly spec: { readonly nodeName?: string };
  readonly status: { readonly phase?: string; readonly conditions?: readonly PodCondition[] };
}

interface PodCondition {
  readonly type: string;
  readonly status: string;
  readonly reason?: string;
  readonly lastTransitionTime?: string;
}

/** Pods that are not ready: their phase, node and Ready condition, to explain a status that lacks them. */
function unready(pods: readonly Seen[]): string[] {
  return pods.flatMap((seen) => {
    const { spec, status } = seen as unknown as SeenPod;
    const ready = status.conditions?.find(({ type }) => type === "Ready");
    if (ready?.status === "True") return [];
    return [`${seen.metadata.name} is ${status.phase} on ${spec.nodeName}: ${JSON.stringify(ready)}`];
  });
}

const isActive = ({ metadata }: Seen): boolean => metadata.deletionTimestamp === undefined;

/**
 * What a Deployment should have: one ReplicaSet of its template with all of its pods, no pods of any other ReplicaSet, no two ReplicaSets
 * of one template, and a status that reports this.
 */
function standing(
  { metadata: { name, uid }, spec, status }: Seen,
  sets: readonly Seen[],
  pods: readonly Seen[],
): object {
  const mine = sets.filter(isControlledBy(uid)).filter(isActive);
  const hashes = mine.map(({ metadata }) => metadata.labels?.[hashLabel]);
  const full = mine.filter((set) => set.spec.replicas > 0);
  const running = mine.flatMap((set) => pods.filter(isControlledBy(set.metadata.uid)).filter(isActive));
  return {
    name,
    observedGeneration: status["observedGeneration"],
    pods: running.length,
    replicas: status["replicas"] ?? 0,
    updated: status["updatedReplicas"] ?? 0,
    available: status["availableReplicas"] ?? 0,
    unready: unready(running),
    templatesOfFull: full.map((set) => imageOf(set)),
    isEachTemplateThereOnce: new Set(hashes).size === hashes.length,
    image: imageOf({ spec }),
  };
}

/**
 * Whether a rollout is stuck until someone scales the Deployment, by a race that upstream has, too (kubernetes/kubernetes#138036): its only
 * active ReplicaSet has an old template and the right size, but an annotation with another size.
 */
function isStuckByAnnotation({ metadata: { uid }, spec }: Seen, sets: readonly Seen[]): boolean {
  const active = sets.filter(isControlledBy(uid)).filter((set) => set.spec.replicas > 0);
  const [only] = active;
  if (only === undefined || active.length > 1 || imageOf(only) === imageOf({ spec })) return false;
  const annotated = only.metadata.annotations?.["deployment.kubernetes.io/desired-replicas"];
  return only.spec.replicas === spec.replicas && annotated !== String(spec.replicas);
}

function desired({ metadata: { name, generation }, spec }: Seen): object {
  const image = imageOf({ spec });
  return {
    name,
    observedGeneration: generation,
    pods: spec.replicas,
    replicas: spec.replicas,
    updated: spec.replicas,
    available: spec.replicas,
    unready: [],
    templatesOfFull: spec.replicas === 0 ? [] : [image],
    isEachTemplateThereOnce: true,
    image,
  };
}

function imageOf({ spec }: Pick<Seen, "spec">): string {
  return (spec.template.spec as { containers: readonly { image: string }[] }).containers[0]?.image ?? "";
}

/** Names of the objects that have an owner reference to a missing owner. */
function dangling(owned: readonly Seen[], owners: readonly Seen[]): string[] {
  const uids = new Set(owners.map(({ metadata }) => metadata.uid));
  return owned
    .filter(({ metadata }) => metadata.ownerReferences?.some(({ uid }) => !uids.has(uid)) === true)
    .map(({ metadata }) => metadata.name);
}

type ResourceName = "deployments" | "replicasets" | "pods" | "configmaps";

interface Stage {
  list(resource: ResourceName): Promise<readonly Seen[]>;
  get(resource: ResourceName, name: string): Promise<Seen | undefined>;
  remove(resource: ResourceName, name: string, propagationPolicy?: Policy): Promise<void>;
  createDeployment(name: string, replicas: number, template: number): Promise<void>;
  scale(name: string, replicas: number): Promise<void>;
  setTemplate(name: string, template: number): Promise<void>;
  /** Returns an owner reference to it. */
  createConfigMap(name: string, owners: readonly OwnerReference[]): Promise<OwnerReference>;
}

interface OwnerReference {
  readonly apiVersion: "v1";
  readonly kind: "ConfigMap";
  readonly name: string;
  readonly uid: string;
  readonly blockOwnerDeletion: true;
}

/** Accesses one namespace directly on the API server. */
function stageOf(cluster: Cluster, namespace: string): Stage {
  const path = (resource: ResourceName, name = ""): string => {
    const group = resource === "deployments" || resource === "replicasets" ? "/apis/apps/v1" : "/api/v1";
    return `${group}/namespaces/${namespace}/${resource}${name === "" ? "" : `/${name}`}`;
  };
  const granted = async (method: string, to: string, body?: object): Promise<Seen> => {
    const headers = method === "PATCH" ? { "content-type": "application/merge-patch+json" } : {};
    const response = await cluster.request(method, to, body, headers);
    if (response.status >= 300) throw new Error(`${method} ${to}: ${JSON.stringify(response.body)}`);
    return response.body as Seen;
  };
  const patch = async (name: string, spec: object): Promise<void> =>
    void (await granted("PATCH", path("deployments", name), { spec }));
  const containers = (template: number): readonly object[] => [{ name: "main", image: `main:${template}` }];
  return {
    list: async (resource) => ((await granted("GET", path(resource))) as unknown as { items: readonly Seen[] }).items,
    async get(resource, name) {
      const { status, body } = await cluster.request("GET", path(resource, name));
      return status === 200 ? (body as Seen) : undefined;
    },
    remove: async (resource, name, propagationPolicy = "Background") =>
      void (await granted("DELETE", path(resource, name), { propagationPolicy })),
    async createDeployment(name, replicas, template) {
      const labels = { app: name };
      await granted("POST", path("deployments"), {
        metadata: { name },
        spec: {
          replicas,
          selector: { matchLabels: labels },
          template: {
            metadata: { labels },
            spec: { terminationGracePeriodSeconds: 1, containers: containers(template) },
          },
        },
      });
    },
    scale: (name, replicas) => patch(name, { replicas }),
    setTemplate: (name, template) => patch(name, { template: { spec: { containers: containers(template) } } }),
    async createConfigMap(name, ownerReferences) {
      const { metadata } = await granted("POST", path("configmaps"), { metadata: { name, ownerReferences } });
      return { apiVersion: "v1", kind: "ConfigMap", name, uid: metadata.uid, blockOwnerDeletion: true };
    },
  };
}
