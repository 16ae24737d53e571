/** What the graph is made of. Source: kubernetes v1.36 pkg/controller/garbagecollector/graph.go. */
import { objectKey, type ObjectKey } from "../../api/key.ts";
import type { OwnerReference } from "../../api/object.ts";

/** The kind of an object as owner references name it. */
export interface NodeKind {
  /** `apps/v1` */
  readonly apiVersion: string;
  /** `ReplicaSet` */
  readonly kind: string;
}

/**
 * Which object this is. Of a virtual node it is what an owner reference says, and may be wrong in every part but the uid. The
 * namespace is then the dependent's, also if the kind turns out to have none.
 */
export interface Identity extends NodeKind {
  /** Empty for cluster-scoped objects. */
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
}

/**
 * An object in the graph. All of its fields change under the graph's methods only, which are atomic.
 *
 * A node is kept for every object of the cluster, so it is lean: its texts and references are those of the cached object, and a
 * set of dependents is made when there are some.
 */
export interface GraphNode {
  readonly of: NodeKind;
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  owners: readonly OwnerReference[];
  /** The objects that name this one as an owner; in the order in which they became known. */
  dependents: Set<GraphNode> | undefined;
  /** Known from an owner reference alone: no watch has shown it yet. */
  virtual: boolean;
  /** It has a deletionTimestamp: a one-way trip. */
  beingDeleted: boolean;
  /** And the finalizer `foregroundDeletion`: it waits until its blocking dependents are gone. */
  deletingDependents: boolean;
}

/** A node keeps no identity of its own, to be lean. */
export function identityOf(node: GraphNode): Identity {
  const { of, namespace, name, uid } = node;
  return { apiVersion: of.apiVersion, kind: of.kind, namespace, name, uid };
}

export function newNode(identity: Omit<Identity, keyof NodeKind>, of: NodeKind): GraphNode {
  const { namespace, name, uid } = identity;
  return {
    of,
    namespace,
    name,
    uid,
    owners: [],
    dependents: undefined,
    virtual: false,
    beingDeleted: false,
    deletingDependents: false,
  };
}

/** The dependents that hold up the foreground deletion of their owner. */
export function blockingDependents(node: GraphNode): GraphNode[] {
  const blocking: GraphNode[] = [];
  for (const dependent of node.dependents ?? []) {
    const blocks = dependent.owners.some(
      ({ uid, blockOwnerDeletion }) => uid === node.uid && blockOwnerDeletion === true,
    );
    if (blocks) blocking.push(dependent);
  }
  return blocking;
}

/** `ReplicaSet shop/web-1`: how a node is called in sentences. */
export function nameOfNode({ of, namespace, name }: GraphNode): string {
  return `${of.kind} ${objectKey(namespace, name)}`;
}

/** What is to be done about a node: see whether it is garbage, or free its dependents from it. */
export type Task = "delete" | "orphan";

/**
 * The queue's key for a node: `ReplicaSet.apps shop/web-1`. A virtual node is one among several that may have its name, so its uid
 * is told too: `Node a (uid 07…)`. To orphan dependents is a task of its own: `orphan ReplicaSet.apps shop/web-1`.
 */
export function keyOfNode(node: GraphNode, task: Task): ObjectKey {
  const { of, namespace, name, uid, virtual } = node;
  const slash = of.apiVersion.indexOf("/");
  const group = slash < 0 ? "" : `.${of.apiVersion.slice(0, slash)}`;
  const key = `${of.kind}${group} ${objectKey(namespace, name)}${virtual ? ` (uid ${uid})` : ""}`;
  return task === "orphan" ? `orphan ${key}` : key;
}

/** The object that a key means: `{ kind: "ReplicaSet", key: "shop/web-1" }`. */
export function objectOfKey(key: ObjectKey): { readonly kind: string; readonly key: ObjectKey } | undefined {
  const match = /^(?:orphan )?(\w+)\S* (.+?)(?: \(uid .*\))?$/.exec(key);
  return match === null ? undefined : { kind: match[1] ?? "", key: match[2] ?? "" };
}
