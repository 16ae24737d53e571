/**
 * The dependency graph: which objects there are, and which own which. Watches change it, syncs read it.
 * Source: kubernetes v1.36 pkg/controller/garbagecollector/graph_builder.go; differs: changes are applied as they are told, with no
 * queue in between; an object that took the place of another one unseen ends that one's node.
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
  startsToWait,
} from "./references.ts";

/** What comes of a change of the graph. */
export interface Outcome {
  /** Has a key come, at once or later. */
  enqueue(key: ObjectKey, afterMs: number): void;
  /** An object refers to an owner, by this uid, in a namespace where it cannot be. */
  invalidNamespace(dependent: GraphNode, uid: string): void;
}

const noOwners: readonly OwnerReference[] = [];

/** How long a virtual node waits when another identity of it is to be tried: the first step of the queue's back-off. */
const nextIdentityMs = 5;

/** Every method is atomic. */
export class DependencyGraph {
  readonly absentOwners: AbsentOwners = new AbsentOwners();
  #nodes = new Map<string, GraphNode>();
  /** The nodes that have been in the queue, by what they are called there. */
  #byKey = new Map<ObjectKey, GraphNode>();

  node(uid: string): GraphNode | undefined {
    return this.#nodes.get(uid);
  }

  /** The node that a key means; undefined if it has left the graph, or has been seen and was to be looked at as a virtual one. */
  nodeOf(key: ObjectKey): GraphNode | undefined {
    const node = this.#byKey.get(key);
    // It may have another identity by now.
    return node === undefined ? undefined : this.#nodes.get(node.uid);
  }

  /** A watch shows an object. `before`: as the watch showed it last. */
  observe(of: NodeKind, object: StoredObject, before: StoredObject | undefined, outcome: Outcome): void {
    const { uid, name, namespace = "", ownerReferences: owners = noOwners } = object.metadata;
    if (before !== undefined && before.metadata.uid !== uid) {
      this.observeDeletion(of, before, outcome);
      this.observe(of, object, undefined, outcome);
      return;
    }
    const known = this.#nodes.get(uid);
    if (known === undefined) {
      const node = newNode({ namespace, name, uid }, of);
      node.owners = owners;
      node.beingDeleted = isBeingDeleted(object);
      node.deletingDependents = node.beingDeleted && hasFinalizer(object, foregroundFinalizer);
      this.#nodes.set(uid, node);
      this.#addToOwners(node, owners, outcome);
      this.#transitions(before, object, node, outcome);
      return;
    }
    const node = known.virtual ? this.#nowObserved(known, of, object, outcome) : known;
    const changes = referenceChanges(node.owners, owners);
    this.#enqueueUnblocked(changes, outcome);
    node.owners = owners;
    this.#addToOwners(node, changes.added, outcome);
    this.#removeFromOwners(node, changes.removed);
    if (isBeingDeleted(object)) node.beingDeleted = true;
    this.#transitions(before, object, node, outcome);
  }

  /** A watch shows that an object is gone. */
  observeDeletion(of: NodeKind, object: StoredObject, outcome: Outcome): void {
    const { uid, name, namespace = "" } = object.metadata;
    const known = this.#nodes.get(uid);
    if (known === undefined) return;
    const node = known.virtual ? this.#nowObserved(known, of, object, outcome) : known;
    const identity = { apiVersion: of.apiVersion, kind: of.kind, namespace, name, uid };
    this.#remove(node, identity, "its deletion was seen", outcome);
  }

  /** The API server has no object of this identity, though there is a node of its uid. */
  learnAbsence(absent: Identity, evidence: string, outcome: Outcome): void {
    const node = this.#nodes.get(absent.uid);
    if (node === undefined) return;
    const isIt = sameIdentity(identityOf(node), absent);
    if (node.virtual) {
      const { nonmatching } = partitionDependents(node.dependents ?? [], absent);
      if (nonmatching.length === 0) this.#remove(node, absent, evidence, outcome);
      else {
        this.#enqueueWhoMeans(node, absent, evidence, outcome);
        if (isIt) this.#tryAnotherIdentity(node, nonmatching, absent, outcome);
      }
    } else if (isIt) this.#remove(node, absent, evidence, outcome);
    else this.#enqueueWhoMeans(node, absent, evidence, outcome);
  }

  /** Some dependents of a virtual node mean something else by its uid: that is looked for next. */
  #tryAnotherIdentity(node: GraphNode, by: readonly GraphNode[], absent: Identity, outcome: Outcome): void {
    const other = alternateIdentity(by, absent);
    if (other === undefined) return;
    const next = this.#replace(node, other, { apiVersion: other.apiVersion, kind: other.kind });
    this.#enqueue(next, "delete", outcome, nextIdentityMs);
  }

  #enqueueWhoMeans(node: GraphNode, absent: Identity, evidence: string, outcome: Outcome): void {
    const { matching } = partitionDependents(node.dependents ?? [], absent);
    if (matching.length > 0) this.absentOwners.add(absent, evidence);
    for (const dependent of matching) this.#enqueue(dependent, "delete", outcome);
  }

  /** Takes the node out: its dependents may be garbage now, and its owners may wait for it no more. */
  #remove(node: GraphNode, identity: Identity, evidence: string, outcome: Outcome): void {
    this.#nodes.delete(node.uid);
    if (this.#byKey.size > 0) for (const task of ["delete", "orphan"] as const) this.#forget(node, task);
    this.#removeFromOwners(node, node.owners);
    if (node.dependents !== undefined) {
      if (node.dependents.size > 0) this.absentOwners.add(identity, evidence);
      for (const dependent of node.dependents) this.#enqueue(dependent, "delete", outcome);
    }
    for (const { uid } of node.owners) {
      const owner = this.#nodes.get(uid);
      if (owner?.deletingDependents === true) this.#enqueue(owner, "delete", outcome);
    }
  }

  /** A watch shows what was known from owner references alone; those that say something else of it are looked at. */
  #nowObserved(node: GraphNode, of: NodeKind, object: StoredObject, outcome: Outcome): GraphNode {
    const { name, namespace = "" } = object.metadata;
    const observed: Identity = { apiVersion: of.apiVersion, kind: of.kind, namespace, name, uid: node.uid };
    this.#byKey.delete(keyOfNode(node, "delete"));
    if (sameIdentity(identityOf(node), observed)) {
      node.virtual = false;
      return node;
    }
    for (const dependent of partitionDependents(node.dependents ?? [], observed).nonmatching) {
      if (namespace !== "" && dependent.namespace !== namespace) outcome.invalidNamespace(dependent, node.uid);
      this.#enqueue(dependent, "delete", outcome);
    }
    const next = this.#replace(node, observed, of);
    next.virtual = false;
    return next;
  }

  /** Puts a virtual node under another identity. Syncs at work have it as it was; virtual nodes have no owners. */
  #replace(node: GraphNode, { namespace, name }: Identity, of: NodeKind): GraphNode {
    const next = { ...node, namespace, name, of };
    this.#nodes.set(node.uid, next);
    return next;
  }

  /** Makes the node a dependent of its owners; those that nobody has seen become virtual nodes, and are looked for. */
  #addToOwners(node: GraphNode, owners: readonly OwnerReference[], outcome: Outcome): void {
    let doubtful = false;
    for (const reference of owners) {
      const known = this.#nodes.get(reference.uid);
      const owner = known ?? this.#virtual(reference, node.namespace);
      owner.dependents ??= new Set();
      owner.dependents.add(node);
      if (known === undefined) this.#enqueue(owner, "delete", outcome);
      else if (!doubtful) doubtful = this.#isDoubtful(node, reference, owner, outcome);
    }
    // Whether such a reference is wrong is found out by asking the API server.
    if (doubtful) this.#enqueue(node, "delete", outcome);
  }

  #virtual({ apiVersion, kind, name, uid }: OwnerReference, namespace: string): GraphNode {
    const node = newNode({ namespace, name, uid }, { apiVersion, kind });
    node.virtual = true;
    this.#nodes.set(uid, node);
    return node;
  }

  /** Whether the reference does not fit the owner as far as it is known. */
  #isDoubtful(node: GraphNode, reference: OwnerReference, owner: GraphNode, outcome: Outcome): boolean {
    if (owner.namespace !== "" && owner.namespace !== node.namespace) {
      if (!owner.virtual) outcome.invalidNamespace(node, reference.uid);
      return true;
    }
    if (!sameCoordinates(reference, identityOf(owner))) return true;
    // Seen from a cluster-scoped object, an owner that has a namespace looks as if it had none.
    return owner.namespace !== node.namespace && owner.virtual;
  }

  #removeFromOwners(node: GraphNode, owners: readonly OwnerReference[]): void {
    for (const { uid } of owners) this.#nodes.get(uid)?.dependents?.delete(node);
  }

  /** An owner that waits for its dependents may wait no more for one that has let go of it. */
  #enqueueUnblocked({ removed, changed }: ReferenceChanges, outcome: Outcome): void {
    const released = [
      ...removed.filter(({ blockOwnerDeletion }) => blockOwnerDeletion === true),
      ...changed
        .filter(({ before, after }) => before.blockOwnerDeletion === true && after.blockOwnerDeletion !== true)
        .map(({ after }) => after),
    ];
    for (const { uid } of released) {
      const owner = this.#nodes.get(uid);
      if (owner !== undefined) this.#enqueue(owner, "delete", outcome);
    }
  }

  /** The object begins to wait: for its dependents to be freed from it, or to be deleted. */
  #transitions(before: StoredObject | undefined, object: StoredObject, node: GraphNode, outcome: Outcome): void {
    if (startsToWait(before, object, orphanFinalizer)) {
      this.#enqueue(node, "orphan", outcome);
      return;
    }
    if (!startsToWait(before, object, foregroundFinalizer)) return;
    node.deletingDependents = true;
    for (const dependent of node.dependents ?? []) this.#enqueue(dependent, "delete", outcome);
    this.#enqueue(node, "delete", outcome);
  }

  /** The key of a node that is to be put into the queue. */
  keyOf(node: GraphNode, task: Task): ObjectKey {
    const key = keyOfNode(node, task);
    this.#byKey.set(key, node);
    return key;
  }

  /** Another object may have the node's key by now. */
  #forget(node: GraphNode, task: Task): void {
    const key = keyOfNode(node, task);
    if (this.#byKey.get(key)?.uid === node.uid) this.#byKey.delete(key);
  }

  #enqueue(node: GraphNode, task: Task, outcome: Outcome, afterMs = 0): void {
    outcome.enqueue(this.keyOf(node, task), afterMs);
  }

  /**
   * Which keys wait in one line: the dependents of one owner, and the owner itself while it waits for them. So the ten thousand
   * pods of one owner keep nothing else waiting, and an owner is not looked at again for each of its dependents that goes.
   */
  groupOf(key: ObjectKey): string {
    const node = this.#byKey.get(key);
    if (node === undefined) return key;
    return node.deletingDependents ? node.uid : (node.owners[0]?.uid ?? node.uid);
  }
}
