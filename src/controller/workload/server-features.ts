/** What API servers of older versions do not keep. Source: kubernetes v1.36 pkg/features/kube_features.go. */
import { isAtLeast, type ServerVersion } from "../../api/server-version.ts";

/**
 * Whether the server keeps `status.terminatingReplicas` of ReplicaSets and Deployments (the feature DeploymentReplicaSetTerminatingReplicas,
 * enabled by default since 1.35). Another server drops it, and its kube-controller-manager does not count terminating pods.
 */
export function countsTerminatingReplicas(version: ServerVersion): boolean {
  return isAtLeast(version, 35);
}
