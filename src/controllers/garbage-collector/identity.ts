/**
 * Contradicting owner references: two dependents may use one uid for different objects.
 * Source: kubernetes v1.36 pkg/controller/garbagecollector/graph_builder.go partitionDependents,
 * getAlternateOwnerIdentity.
 */
import type { OwnerReference } from "../../api/object.ts";
import type { GraphNode, Identity } from "./node.ts";

type Coordinates = Pick<OwnerReference, "apiVersion" | "kind" | "name" | "uid">;

/** Whether two references, or a reference and an identity, name the same object, regardless of namespace. */
export function sameCoordinates(a: Coordinates, b: Coordinates): boolean {
  return a.uid === b.uid && a.name === b.name && a.kind === b.kind && a.apiVersion === b.apiVersion;
}

/** Whether two identities are equal, including the namespace. */
export function sameIdentity(a: Identity, b: Identity): boolean {
  return a.namespace === b.namespace && sameCoordinates(a, b);
}

/** Unique text for an identity. */
export function identityText({ apiVersion, kind, namespace, name, uid }: Identity): string {
  return `${apiVersion}, ${kind}, ${namespace}, ${name}, ${uid}`;
}

/** The dependents of a uid, by the object that they mean. */
export interface Partition {
  /** Dependents with a reference that names exactly this object. */
  readonly matching: readonly GraphNode[];
  /**
   * Dependents with a reference to its uid that names a different object; one with two references may be in both lists.
   */
  readonly nonmatching: readonly GraphNode[];
}

/** Separates the dependents that mean this object from those that mean another one by its uid. */
export function partitionDependents(dependents: Iterable<GraphNode>, owner: Identity): Partition {
  const matching: GraphNode[] = [];
  const nonmatching: GraphNode[] = [];
  for (const dependent of dependents) {
    // A namespaced owner cannot own objects outside its namespace.
    if (owner.namespace !== "" && owner.namespace !== dependent.namespace) {
      nonmatching.push(dependent);
      continue;
    }
    const toIt = dependent.owners.filter(({ uid }) => uid === owner.uid);
    if (toIt.some((reference) => sameCoordinates(reference, owner))) matching.push(dependent);
    if (toIt.some((reference) => !sameCoordinates(reference, owner))) nonmatching.push(dependent);
  }
  return { matching, nonmatching };
}

/** Kind and version are compared before the namespace, so that the order within a kind does not depend on its scope. */
function compareIdentities(a: Identity, b: Identity): number {
  for (const part of ["kind", "apiVersion", "namespace", "name", "uid"] as const) {
    if (a[part] !== b[part]) return a[part] < b[part] ? -1 : 1;
  }
  return 0;
}

/**
 * Another object that these dependents may mean by the uid of an absent one: the next in the order of identities, or
 * the first after the last, so that all are tried in turn. Undefined if they mean no other.
 */
export function alternateIdentity(dependents: Iterable<GraphNode>, absent: Identity): Identity | undefined {
  const others = new Map<string, Identity>();
  for (const dependent of dependents) {
    for (const reference of dependent.owners) {
      if (reference.uid !== absent.uid) continue;
      const { apiVersion, kind, name, uid } = reference;
      // The absent identity shows that the kind is cluster-scoped.
      const clusterScoped = absent.namespace === "" && apiVersion === absent.apiVersion && kind === absent.kind;
      const namespace = clusterScoped ? "" : dependent.namespace;
      const other = { apiVersion, kind, namespace, name, uid };
      const isAbsent =
        sameCoordinates(reference, absent) && (absent.namespace === "" || absent.namespace === dependent.namespace);
      if (!isAbsent) others.set(identityText(other), other);
    }
  }
  const sorted = [...others.values()].sort(compareIdentities);
  return sorted.find((other) => compareIdentities(absent, other) < 0) ?? sorted[0];
}
