/**
 * ALL=1: a suite with all controllers on each side, as on a cluster: all of kube-controller-manager's, and all of `run all`. The comparison
 * is still of the writes of the suite's controllers, and of the final objects.
 */
import { controllersEnabledByDefault } from "../../src/controllers/index.ts";
import type { Suite } from "./suite.ts";

/** The client names of kube-controller-manager's controllers, if they are not our name and `-controller`. */
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
  "root-ca-certificate-publisher": "root-ca-cert-publisher",
  serviceaccount: "service-account-controller",
  "service-cidr": "service-cidrs-controller",
  "taint-eviction": "node-controller",
};

/** The suite unchanged, or in the form for ALL=1. */
export function suiteAsAsked(suite: Suite): Suite {
  if (process.env["ALL"] !== "1") return suite;
  const own = suite.ours.map(({ name }) => name);
  return {
    ...suite,
    oracle: "*",
    ours: [...suite.ours, ...controllersEnabledByDefault.filter(({ name }) => !own.includes(name))],
    only: { theirs: own.map((name) => clients[name] ?? `${name}-controller`), ours: own },
  };
}
