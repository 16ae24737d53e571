/** The cluster in which a dry run starts: an empty one for manifests alone, or a snapshot. */
import { resourceOf } from "../../api/kind.ts";
import type { StoredObject } from "../../api/object.ts";
import { formatTime, parseTime } from "../../api/time.ts";
import type { Node, Pod } from "../../api/types.ts";
import { isNodeReady } from "../../controller/workload/node-conditions.ts";
import { nodeAnnotation, silentAnnotation } from "../../controllers/kubelet/annotations.ts";
import { nodeStatusOf, simulatedNode } from "../../controllers/kubelet/node.ts";
import { type Random, randomUuid, seededRandom } from "../../platform/random.ts";
import type { InitialState } from "./dry-run.ts";
import type { UntouchedPods } from "./kubelet.ts";
import { liveRefusals } from "./live-refusals.ts";
import { type Scope, wholeCluster } from "./scope.ts";
import { noCustomResources } from "./custom-objects.ts";
import type { Snapshot } from "./snapshot.ts";

/** The start time for manifests alone; any fixed date would do. */
const emptyClusterAtMs: number = parseTime("2026-01-01T00:00:00Z");
/** Number of nodes in an empty cluster, unless given. */
export const defaultNodes = 3;

/** The nodes of an empty cluster. */
export interface ClusterNodes {
  /** Nodes with 8 CPUs, 16 GiB and 110 pods; unset: `defaultNodes`. */
  readonly simulated?: number;
  /** Further nodes, from manifests. */
  readonly nodes?: readonly Partial<Node>[];
}

function metaOf(name: string, random: Random, atMs: number): StoredObject["metadata"] {
  return { name, uid: randomUuid(random), resourceVersion: "1", creationTimestamp: formatTime(atMs) };
}

/** Ready nodes with 8 CPUs, 16 GiB and 110 pods. */
export function simulatedNodes(atMs: number, count: number = defaultNodes): readonly StoredObject[] {
  const random = seededRandom(1);
  return Array.from({ length: count }, (_, n) => {
    const node = simulatedNode(n);
    const metadata = { ...node.metadata, ...metaOf(node.metadata.name ?? "", random, atMs) };
    return ready({ ...node, metadata } as Node, atMs);
  });
}

/** Adds the status that its kubelet would report: the capacity in its manifest, or that of a simulated node. */
function ready(bare: Node, atMs: number): StoredObject {
  const status = nodeStatusOf(bare, atMs);
  const { capacity, allocatable } = bare.status ?? {};
  const room = {
    capacity: { ...status?.capacity, ...capacity },
    allocatable: { ...status?.allocatable, ...(allocatable ?? capacity) },
  };
  return { ...bare, status: { ...status, ...room } } as StoredObject;
}

/** A Node from a manifest, once its kubelet has joined the cluster. */
function joinedNode({ metadata, spec, status }: Partial<Node>, random: Random, atMs: number): StoredObject {
  const name = metadata?.name ?? "";
  const labels = { "kubernetes.io/hostname": name, ...metadata?.labels };
  const annotations = { ...metadata?.annotations, [nodeAnnotation]: "simulated" };
  const whole = { ...metadata, labels, annotations, ...metaOf(name, random, atMs) };
  return ready({ apiVersion: "v1", kind: "Node", metadata: whole, spec: spec ?? {}, status: status ?? {} }, atMs);
}

/** An empty cluster with these namespaces, and ready nodes. */
export function emptyCluster(namespaces: Iterable<string>, { simulated, nodes = [] }: ClusterNodes = {}): InitialState {
  const random = seededRandom(0);
  const meta = (name: string): StoredObject["metadata"] => metaOf(name, random, emptyClusterAtMs);
  const objects: StoredObject[] = [];
  for (const name of namespaces) {
    objects.push({
      apiVersion: "v1",
      kind: "Namespace",
      metadata: { ...meta(name), labels: { "kubernetes.io/metadata.name": name } },
      spec: { finalizers: ["kubernetes"] },
      status: { phase: "Active" },
    } as StoredObject);
    objects.push({
      apiVersion: "v1",
      kind: "ServiceAccount",
      metadata: { ...meta("default"), namespace: name },
    });
  }
  return {
    objects: [
      ...objects,
      ...simulatedNodes(emptyClusterAtMs, simulated),
      ...nodes.map((node) => joinedNode(node, random, emptyClusterAtMs)),
    ],
    atMs: emptyClusterAtMs,
    isFixed: true,
    settledPods: new Set(),
    loadPods: new Set(),
    scope: wholeCluster,
    liveRefusals: new Map(),
    customResources: noCustomResources,
  };
}

/**
 * A cluster from saved objects (`kubectl get … -o yaml`): with these objects, their namespaces, and the nodes of their pods. References to
 * owners that were not saved are dropped.
 */
export function savedCluster(
  given: readonly StoredObject[],
  namespaces: Iterable<string>,
  cluster: ClusterNodes = {},
): InitialState {
  const uids = new Set(given.map(({ metadata }) => metadata.uid));
  const saved = given.map((object) => withoutUnknownOwners(object, uids));
  const there = new Set(saved.map(({ kind, metadata }) => `${kind ?? ""} ${metadata.name}`));
  const empty = emptyCluster(
    [...namespaces].filter((name) => !there.has(`Namespace ${name}`)),
    cluster,
  );
  const named = new Set(
    saved.flatMap((object) => (object.kind === "Pod" ? ((object as Pod).spec?.nodeName ?? []) : [])),
  );
  const nodesThere = saved.filter(({ kind }) => kind === "Node").map(({ metadata }) => metadata.name);
  const missing = [...named].filter((name) => !nodesThere.includes(name)).sort();
  const others =
    nodesThere.length > 0 && cluster.simulated === undefined
      ? empty.objects.filter(({ kind }) => kind !== "Node")
      : empty.objects;
  const random = seededRandom(3);
  const added = missing.map((name, n) => {
    const node = simulatedNode(defaultNodes + n);
    const labels = { ...node.metadata.labels, "kubernetes.io/hostname": name };
    const bare = { ...node, metadata: { ...node.metadata, labels, ...metaOf(name, random, emptyClusterAtMs) } } as Node;
    return { ...bare, status: nodeStatusOf(bare, emptyClusterAtMs) } as StoredObject;
  });
  const used = [...new Set(saved.map(({ metadata }) => metadata.namespace ?? ""))];
  const begun = untouchedPodsOf([...others, ...added, ...saved], used);
  return {
    ...begun,
    atMs: latestTime(saved),
    isFixed: true,
    scope: wholeCluster,
    liveRefusals: liveRefusals(saved),
    customResources: noCustomResources,
  };
}

/**
 * Drops owner references to objects that were not saved; the garbage collector would otherwise delete the dependents.
 */
function withoutUnknownOwners(object: StoredObject, uids: ReadonlySet<string>): StoredObject {
  const owners = object.metadata.ownerReferences ?? [];
  const known = owners.filter(({ uid }) => uids.has(uid));
  if (known.length === owners.length) return object;
  return { ...object, metadata: { ...object.metadata, ownerReferences: known } };
}

/** The latest time in the objects: the dry run continues from there. */
function latestTime(objects: readonly StoredObject[]): number {
  let latest = emptyClusterAtMs;
  for (const [, text] of JSON.stringify(objects).matchAll(/"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z)"/g)) {
    latest = Math.max(latest, parseTime(text ?? ""));
  }
  return latest;
}

/** Nodes that run new pods, and existing pods that keep their state. */
function untouchedPodsOf(
  found: readonly StoredObject[],
  namespaces: readonly string[],
): UntouchedPods & { readonly objects: StoredObject[] } {
  const settledPods = new Set<string>();
  const loadPods = new Set<string>();
  const objects = found.map((object) => {
    if (object.kind === "Node") return asSimulated(object);
    if (object.kind !== "Pod") return object;
    if (!namespaces.includes(object.metadata.namespace ?? "")) loadPods.add(object.metadata.uid);
    else if (isSettled(object)) settledPods.add(object.metadata.uid);
    return object;
  });
  return { objects, settledPods, loadPods };
}

/** The initial state of a dry run from a snapshot: its nodes run new pods, and existing pods keep their state. */
export function initialStateFrom(snapshot: Snapshot, namespaces: readonly string[], now: number): InitialState {
  const { objects, ...leftAlone } = untouchedPodsOf(snapshot.objects, namespaces);
  const atMs = snapshot.atMs ?? now;
  const isUnreadable = (plural: string): boolean => snapshot.unreadable.some(({ kind }) => kind.plural === plural);
  // Pods need nodes even if nodes cannot be read.
  if (isUnreadable("nodes")) objects.push(...simulatedNodes(atMs));
  // Every namespace has one, and no pod is admitted without it.
  if (isUnreadable("serviceaccounts")) objects.push(...defaultAccounts(namespaces, atMs));
  return {
    objects,
    atMs,
    revision: snapshot.revision,
    ...leftAlone,
    scope: scopeOf(snapshot, namespaces),
    liveRefusals: liveRefusals(snapshot.objects),
    customResources: noCustomResources,
  };
}

/** Kinds that a snapshot never reads, and those that cannot be read. */
function scopeOf({ unreadable, held, unread }: Snapshot, namespaces: readonly string[]): Scope {
  const uncounted = new Set(unread.map(resourceOf));
  const kinds = new Map(unread.map(({ group, kind }) => [`${group}/${kind}`, "they are not read here"]));
  for (const { kind, namespace } of unreadable) {
    // Pods of other namespaces are read only for the capacity that they use.
    const isOurs = !kind.namespaced || namespace !== undefined;
    if (!isOurs) continue;
    kinds.set(`${kind.group}/${kind.kind}`, `${kind.plural} cannot be read`);
    uncounted.add(resourceOf(kind));
  }
  return { namespaces, held, unread: kinds, uncounted };
}

function defaultAccounts(namespaces: readonly string[], atMs: number): readonly StoredObject[] {
  const random = seededRandom(2);
  return namespaces.map((namespace) => ({
    apiVersion: "v1",
    kind: "ServiceAccount",
    metadata: { ...metaOf("default", random, atMs), namespace },
  }));
}

/** Its pods run in the dry run; those of a node that is not ready do not change. */
export function asSimulated(node: Node): StoredObject {
  const annotations = {
    ...node.metadata.annotations,
    [nodeAnnotation]: "simulated",
    ...(!isNodeReady(node) && { [silentAnnotation]: "true" }),
  };
  return { ...node, metadata: { ...node.metadata, annotations } };
}

/** Waiting reasons that pass on their own, as far as is known. */
const passing: ReadonlySet<string> = new Set(["ContainerCreating", "PodInitializing"]);

/** A pod that is about to start will start; any other keeps its state. */
export function isSettled({ status }: Pod): boolean {
  if ((status?.phase ?? "Pending") !== "Pending") return true;
  const containers = [...(status?.initContainerStatuses ?? []), ...(status?.containerStatuses ?? [])];
  return containers.some(({ state }) => state?.waiting !== undefined && !passing.has(state.waiting.reason ?? ""));
}
