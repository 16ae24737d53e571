/** The nodes of the graph. Source: kubernetes v1.36 pkg/controller/garbagecollector/graph.go. */
import { objectKey, type ObjectKey } from "../../api/key.ts";
import type { OwnerReference } from "../../api/object.ts";

/** A kind as owner references name it. */
export interface NodeKind {
  /** `apps/v1` */
  readonly apiVersion: string;
  /** `ReplicaSet` */
  readonly kind: string;
}

/**
 * Which object a node is for. The identity of a virtual node comes from an owner reference; everything but the uid
 * may be wrong. Its namespace is the dependent's, even if the kind turns out to be cluster-scoped.
 */
export interface Identity extends NodeKind {
  /** Empty for cluster-scoped objects. */
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
}

/**
 * An object in the graph. Its fields change only in methods of the graph, which are atomic.
 *
 * Every object of the cluster has a node, so nodes are lean: strings and references are shared with the cached object,
 * and the set of dependents is created on first use.
 */
export interface GraphNode {
  readonly of: NodeKind;
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  owners: readonly OwnerReference[];
  /** The objects that name this one as an owner, in the order in which they were added. */
  dependents: Set<GraphNode> | undefined;
  /** Known only from an owner reference: no watch has reported it yet. */
  virtual: boolean;
  /** It has a deletionTimestamp; never reset. */
  beingDeleted: boolean;
  /** It also has the finalizer `foregroundDeletion`: it waits until its blocking dependents are deleted. */
  deletingDependents: boolean;
}

/** The node's identity; nodes do not store one, to be lean. */
export function identityOf(node: GraphNode): Identity {
  const { of, namespace, name, uid } = node;
  return { apiVersion: of.apiVersion, kind: of.kind, namespace, name, uid };
}

/** A node without owners and dependents, observed and not being deleted. */
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

/** The dependents that block the foreground deletion of their owner. */
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

/** `ReplicaSet shop/web-1`: the name of a node in sentences. */
export function nameOfNode({ of, namespace, name }: GraphNode): string {
  return `${of.kind} ${objectKey(namespace, name)}`;
}

/** What to do about a node: delete it if it is garbage, or remove the references to it from its dependents. */
export type Task = "delete" | "orphan";

/**
 * The queue key of a node: `ReplicaSet.apps shop/web-1`. Several virtual nodes may share a name, so their keys include
 * the uid: `Node a (uid 07…)`. Orphaning dependents has a separate key: `orphan ReplicaSet.apps shop/web-1`.
 */
export function keyOfNode(node: GraphNode, task: Task): ObjectKey {
  const { of, namespace, name, uid, virtual } = node;
  const slash = of.apiVersion.indexOf("/");
  const group = slash < 0 ? "" : `.${of.apiVersion.slice(0, slash)}`;
  const key = `${of.kind}${group} ${objectKey(namespace, name)}${virtual ? ` (uid ${uid})` : ""}`;
  return task === "orphan" ? `orphan ${key}` : key;
}

/** The object that a key names: `{ kind: "ReplicaSet", key: "shop/web-1" }`. */
export function objectOfKey(key: ObjectKey): { readonly kind: string; readonly key: ObjectKey } | undefined {
  const match = /^(?:orphan )?(\w+)\S* (.+?)(?: \(uid .*\))?$/.exec(key);
  return match === null ? undefined : { kind: match[1] ?? "", key: match[2] ?? "" };
}
