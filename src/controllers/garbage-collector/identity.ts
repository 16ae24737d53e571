/**
 * Owner references that contradict each other: two dependents may say of one uid that it is different objects.
 * Source: kubernetes v1.36 pkg/controller/garbagecollector/graph_builder.go partitionDependents, getAlternateOwnerIdentity.
 */
import type { OwnerReference } from "../../api/object.ts";
import type { GraphNode, Identity } from "./node.ts";

type Coordinates = Pick<OwnerReference, "apiVersion" | "kind" | "name" | "uid">;

/** Whether two references, or a reference and an identity, name the same object, but for its namespace. */
export function sameCoordinates(a: Coordinates, b: Coordinates): boolean {
  return a.uid === b.uid && a.name === b.name && a.kind === b.kind && a.apiVersion === b.apiVersion;
}

export function sameIdentity(a: Identity, b: Identity): boolean {
  return a.namespace === b.namespace && sameCoordinates(a, b);
}

/** A text of its own for each identity. */
export function identityText({ apiVersion, kind, namespace, name, uid }: Identity): string {
  return `${apiVersion}, ${kind}, ${namespace}, ${name}, ${uid}`;
}

export interface Partition {
  /** Dependents with a reference that names exactly this object. */
  readonly matching: readonly GraphNode[];
  /** Dependents with a reference to its uid that names something else; one with two references may stand in both. */
  readonly nonmatching: readonly GraphNode[];
}

/** Which of an owner's dependents mean the object of this identity. */
export function partitionDependents(dependents: Iterable<GraphNode>, owner: Identity): Partition {
  const matching: GraphNode[] = [];
  const nonmatching: GraphNode[] = [];
  for (const dependent of dependents) {
    // An owner with a namespace can own nothing outside of it.
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

/** Kind and version weigh more than the namespace, so that the order within a kind does not depend on its scope. */
function compareIdentities(a: Identity, b: Identity): number {
  for (const part of ["kind", "apiVersion", "namespace", "name", "uid"] as const) {
    if (a[part] !== b[part]) return a[part] < b[part] ? -1 : 1;
  }
  return 0;
}

/**
 * Another object that these dependents may mean by the uid of one that turned out to be absent: the next in the order of
 * identities, or the first when it was the last. So all are tried in turn. Undefined if they mean no other.
 */
export function alternateIdentity(dependents: Iterable<GraphNode>, absent: Identity): Identity | undefined {
  const others = new Map<string, Identity>();
  for (const dependent of dependents) {
    for (const reference of dependent.owners) {
      if (reference.uid !== absent.uid) continue;
      const { apiVersion, kind, name, uid } = reference;
      // That the kind has no namespace is known from the absent one.
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
