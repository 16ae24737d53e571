/** What to do about the number of pods: a pure comparison of desired and actual. */

/** The most pods that one sync creates or deletes. */
export const burstReplicas = 500;

/** What one sync does about the number of pods. */
export type Plan =
  | { readonly do: "nothing" }
  | { readonly do: "create"; readonly count: number }
  | { readonly do: "delete"; readonly count: number };

/**
 * Compares the desired with the actual number of active pods.
 * Source: kubernetes v1.36 pkg/controller/replicaset/replica_set.go manageReplicas.
 */
export function planReplicas(desired: number, active: number): Plan {
  if (active < desired) return { do: "create", count: Math.min(desired - active, burstReplicas) };
  if (active > desired) return { do: "delete", count: Math.min(active - desired, burstReplicas) };
  return { do: "nothing" };
}
