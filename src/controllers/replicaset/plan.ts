/** What is to be done about the number of pods: desired compared with actual, and nothing else. */

/** So many pods are created or deleted in one sync at most. */
export const burstReplicas = 500;

export type Plan =
  | { readonly do: "nothing" }
  | { readonly do: "create"; readonly count: number }
  | { readonly do: "delete"; readonly count: number };

/** Source: kubernetes v1.36 pkg/controller/replicaset/replica_set.go manageReplicas. */
export function planReplicas(desired: number, active: number): Plan {
  if (active < desired) return { do: "create", count: Math.min(desired - active, burstReplicas) };
  if (active > desired) return { do: "delete", count: Math.min(active - desired, burstReplicas) };
  return { do: "nothing" };
}
