/** The names under which kube-controller-manager's controllers send their requests. Source: kubernetes v1.36 cmd/kube-controller-manager/app. */
const clients: Readonly<Record<string, string>> = {
  "certificatesigningrequest-approving": "certificate-controller",
  "certificatesigningrequest-cleaner": "certificate-controller",
  daemonset: "daemon-set-controller",
  endpoints: "endpoint-controller",
  "endpointslice-mirroring": "endpointslicemirroring-controller",
  "garbage-collector": "generic-garbage-collector",
  "horizontal-pod-autoscaler": "horizontal-pod-autoscaler",
  "node-lifecycle": "node-controller",
  "persistentvolume-attach-detach": "attachdetach-controller",
  "persistentvolume-binder": "persistent-volume-binder",
  "persistentvolume-expander": "expand-controller",
  "persistentvolume-protection": "pv-protection-controller",
  "persistentvolumeclaim-protection": "pvc-protection-controller",
  "pod-garbage-collector": "pod-garbage-collector",
  replicationcontroller: "replication-controller",
  resourceclaim: "resource-claim-controller",
  "root-ca-certificate-publisher": "root-ca-cert-publisher",
  serviceaccount: "service-account-controller",
  "service-cidr": "service-cidrs-controller",
  "taint-eviction": "node-controller",
};

/** The name, as in audit events, of the client of kube-controller-manager's counterpart of our controller. */
export function upstreamClientOf(controller: string): string {
  return clients[controller] ?? `${controller}-controller`;
}
