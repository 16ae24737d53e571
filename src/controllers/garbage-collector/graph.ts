/**
 * The dependency graph: which objects exist, and which owns which. Watches change it, syncs read it.
 * Source: kubernetes v1.36 pkg/controller/garbagecollector/graph_builder.go; differs: changes are applied
 * synchronously, without a queue; an object that replaces another of the same name unobserved removes that one's node.
 */
import type { ObjectKey } from "../../api/key.ts";
import type { OwnerReference, StoredObject } from "../../api/object.ts";
import { AbsentOwners } from "./absent-owners.ts";
import { alternateIdentity, partitionDependents, sameCoordinates, sameIdentity } from "./identity.ts";
import { type GraphNode, type Identity, identityOf, keyOfNode, newNode, type NodeKind, type Task } from "./node.ts";
import {
  foregroundFinalizer,
  hasFinalizer,
  isBeingDeleted,
  orphanFinalizer,
  type ReferenceChanges,
  referenceChanges,
  startsWaiting,
} from "./references.ts";

/** What a change of the graph causes. */
export interface GraphEffects {
  /** Adds a key to the queue, at once or after a delay. */
  enqueue(key: ObjectKey, afterMs: number): void;
  /** Reports a dependent that refers to an owner, by this uid, in a different namespace. */
  invalidNamespace(dependent: GraphNode, uid: string): void;
}

const noOwners: readonly OwnerReference[] = [];

/** The delay before another identity of a virtual node is tried: the first back-off of the queue. */
const nextIdentityMs = 5;

/** Every method is atomic. */
export class DependencyGraph {
  readonly absentOwners: AbsentOwners = new AbsentOwners();
  #nodes = new Map<string, GraphNode>();
  /** The nodes that have been queued, by key. */
  #byKey = new Map<ObjectKey, GraphNode>();

  node(uid: string): GraphNode | undefined {
    return this.#nodes.get(uid);
  }

  /** The node that a key names; undefined if it has left the graph, or was queued as virtual and has been observed since. */
  nodeOf(key: ObjectKey): GraphNode | undefined {
    const node = this.#byKey.get(key);
    // Its identity may have changed since.
    return node === undefined ? undefined : this.#nodes.get(node.uid);
  }

  /** A watch reports an object. `before`: its previous state. */
  observe(of: NodeKind, object: StoredObject, before: StoredObject | undefined, effects: GraphEffects): void {
    const { uid, name, namespace = "", ownerReferences: owners = noOwners } = object.metadata;
    if (before !== undefined && before.metadata.uid !== uid) {
      this.observeDeletion(of, before, effects);
      this.observe(of, object, undefined, effects);
      return;
    }
    const known = this.#nodes.get(uid);
    if (known === undefined) {
      const node = newNode({ namespace, name, uid }, of);
      node.owners = owners;
      node.beingDeleted = isBeingDeleted(object);
      node.deletingDependents = node.beingDeleted && hasFinalizer(object, foregroundFinalizer);
      this.#nodes.set(uid, node);
      this.#addToOwners(node, owners, effects);
      this.#transitions(before, object, node, effects);
      return;
    }
    const node = known.virtual ? this.#confirmObserved(known, of, object, effects) : known;
    const changes = referenceChanges(node.owners, owners);
    this.#enqueueUnblocked(changes, effects);
    node.owners = owners;
    this.#addToOwners(node, changes.added, effects);
    this.#removeFromOwners(node, changes.removed);
    if (isBeingDeleted(object)) node.beingDeleted = true;
    this.#transitions(before, object, node, effects);
  }

  /** A watch reports the deletion of an object. */
  observeDeletion(of: NodeKind, object: StoredObject, effects: GraphEffects): void {
    const { uid, name, namespace = "" } = object.metadata;
    const known = this.#nodes.get(uid);
    if (known === undefined) return;
    const node = known.virtual ? this.#confirmObserved(known, of, object, effects) : known;
    const identity = { apiVersion: of.apiVersion, kind: of.kind, namespace, name, uid };
    this.#remove(node, identity, "its deletion was observed", effects);
  }

  /** The API server has no object of this identity, although the graph has a node with its uid. */
  markAbsent(absent: Identity, evidence: string, effects: GraphEffects): void {
    const node = this.#nodes.get(absent.uid);
    if (node === undefined) return;
    const isSameIdentity = sameIdentity(identityOf(node), absent);
    if (node.virtual) {
      const { nonmatching } = partitionDependents(node.dependents ?? [], absent);
      if (nonmatching.length === 0) this.#remove(node, absent, evidence, effects);
      else {
        this.#enqueueDependentsMeaning(node, absent, evidence, effects);
        if (isSameIdentity) this.#tryAnotherIdentity(node, nonmatching, absent, effects);
      }
    } else if (isSameIdentity) this.#remove(node, absent, evidence, effects);
    else this.#enqueueDependentsMeaning(node, absent, evidence, effects);
  }

  /** Some dependents of a virtual node use its uid for a different identity: that one is looked up next. */
  #tryAnotherIdentity(node: GraphNode, by: readonly GraphNode[], absent: Identity, effects: GraphEffects): void {
    const other = alternateIdentity(by, absent);
    if (other === undefined) return;
    const next = this.#replace(node, other, { apiVersion: other.apiVersion, kind: other.kind });
    this.#enqueue(next, "delete", effects, nextIdentityMs);
  }

  #enqueueDependentsMeaning(node: GraphNode, absent: Identity, evidence: string, effects: GraphEffects): void {
    const { matching } = partitionDependents(node.dependents ?? [], absent);
    if (matching.length > 0) this.absentOwners.add(absent, evidence);
    for (const dependent of matching) this.#enqueue(dependent, "delete", effects);
  }

  /** Removes the node: its dependents may now be garbage, and its owners may no longer have to wait for it. */
  #remove(node: GraphNode, identity: Identity, evidence: string, effects: GraphEffects): void {
    this.#nodes.delete(node.uid);
    if (this.#byKey.size > 0) for (const task of ["delete", "orphan"] as const) this.#forget(node, task);
    this.#removeFromOwners(node, node.owners);
    if (node.dependents !== undefined) {
      if (node.dependents.size > 0) this.absentOwners.add(identity, evidence);
      for (const dependent of node.dependents) this.#enqueue(dependent, "delete", effects);
    }
    for (const { uid } of node.owners) {
      const owner = this.#nodes.get(uid);
      if (owner?.deletingDependents === true) this.#enqueue(owner, "delete", effects);
    }
  }

  /** A watch reports an object known only from owner references; dependents whose references contradict it are enqueued. */
  #confirmObserved(node: GraphNode, of: NodeKind, object: StoredObject, effects: GraphEffects): GraphNode {
    const { name, namespace = "" } = object.metadata;
    const observed: Identity = { apiVersion: of.apiVersion, kind: of.kind, namespace, name, uid: node.uid };
    this.#byKey.delete(keyOfNode(node, "delete"));
    if (sameIdentity(identityOf(node), observed)) {
      node.virtual = false;
      return node;
    }
    for (const dependent of partitionDependents(node.dependents ?? [], observed).nonmatching) {
      if (namespace !== "" && dependent.namespace !== namespace) effects.invalidNamespace(dependent, node.uid);
      this.#enqueue(dependent, "delete", effects);
    }
    const next = this.#replace(node, observed, of);
    next.virtual = false;
    return next;
  }

  /** Gives a virtual node another identity. Running syncs keep the old node; virtual nodes have no owners. */
  #replace(node: GraphNode, { namespace, name }: Identity, of: NodeKind): GraphNode {
    const next = { ...node, namespace, name, of };
    this.#nodes.set(node.uid, next);
    return next;
  }

  /** Makes the node a dependent of its owners; unobserved owners become virtual nodes and are looked up. */
  #addToOwners(node: GraphNode, owners: readonly OwnerReference[], effects: GraphEffects): void {
    let inconsistent = false;
    for (const reference of owners) {
      const known = this.#nodes.get(reference.uid);
      const owner = known ?? this.#virtual(reference, node.namespace);
      owner.dependents ??= new Set();
      owner.dependents.add(node);
      if (known === undefined) this.#enqueue(owner, "delete", effects);
      else if (!inconsistent) inconsistent = this.#isInconsistent(node, reference, owner, effects);
    }
    // The API server decides whether such a reference is wrong.
    if (inconsistent) this.#enqueue(node, "delete", effects);
  }

  #virtual({ apiVersion, kind, name, uid }: OwnerReference, namespace: string): GraphNode {
    const node = newNode({ namespace, name, uid }, { apiVersion, kind });
    node.virtual = true;
    this.#nodes.set(uid, node);
    return node;
  }

  /** Whether the reference contradicts what is known of the owner. */
  #isInconsistent(node: GraphNode, reference: OwnerReference, owner: GraphNode, effects: GraphEffects): boolean {
    if (owner.namespace !== "" && owner.namespace !== node.namespace) {
      if (!owner.virtual) effects.invalidNamespace(node, reference.uid);
      return true;
    }
    if (!sameCoordinates(reference, identityOf(owner))) return true;
    // A reference from a cluster-scoped object names no namespace, even if the owner has one.
    return owner.namespace !== node.namespace && owner.virtual;
  }

  #removeFromOwners(node: GraphNode, owners: readonly OwnerReference[]): void {
    for (const { uid } of owners) this.#nodes.get(uid)?.dependents?.delete(node);
  }

  /** An owner that waits for its dependents no longer waits for one that has dropped its blocking reference. */
  #enqueueUnblocked({ removed, changed }: ReferenceChanges, effects: GraphEffects): void {
    const released = [
      ...removed.filter(({ blockOwnerDeletion }) => blockOwnerDeletion === true),
      ...changed
        .filter(({ before, after }) => before.blockOwnerDeletion === true && after.blockOwnerDeletion !== true)
        .map(({ after }) => after),
    ];
    for (const { uid } of released) {
      const owner = this.#nodes.get(uid);
      if (owner !== undefined) this.#enqueue(owner, "delete", effects);
    }
  }

  /** The object starts waiting for its dependents to be orphaned or deleted. */
  #transitions(before: StoredObject | undefined, object: StoredObject, node: GraphNode, effects: GraphEffects): void {
    if (startsWaiting(before, object, orphanFinalizer)) {
      this.#enqueue(node, "orphan", effects);
      return;
    }
    if (!startsWaiting(before, object, foregroundFinalizer)) return;
    node.deletingDependents = true;
    for (const dependent of node.dependents ?? []) this.#enqueue(dependent, "delete", effects);
    this.#enqueue(node, "delete", effects);
  }

  /** The key of a node, registered so that `nodeOf` finds the node again. */
  keyOf(node: GraphNode, task: Task): ObjectKey {
    const key = keyOfNode(node, task);
    this.#byKey.set(key, node);
    return key;
  }

  /** Unregisters the key, unless it belongs to another object by now. */
  #forget(node: GraphNode, task: Task): void {
    const key = keyOfNode(node, task);
    if (this.#byKey.get(key)?.uid === node.uid) this.#byKey.delete(key);
  }

  #enqueue(node: GraphNode, task: Task, effects: GraphEffects, afterMs = 0): void {
    effects.enqueue(this.keyOf(node, task), afterMs);
  }

  /**
   * Which keys share a place in the fair queue: the dependents of one owner, and the owner itself while it waits for them. So ten thousand
   * pods of one owner delay nothing else, and an owner is not synced again for each dependent that is deleted.
   */
  groupOf(key: ObjectKey): string {
    const node = this.#byKey.get(key);
    if (node === undefined) return key;
    return node.deletingDependents ? node.uid : (node.owners[0]?.uid ?? node.uid);
  }
}
