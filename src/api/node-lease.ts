/** The Leases that kubelets renew as heartbeats, each named after its node. */

/** Their namespace. Source: kubernetes v1.36 staging/src/k8s.io/api/core/v1/types.go NamespaceNodeLease. */
export const nodeLeaseNamespace = "kube-node-lease";
