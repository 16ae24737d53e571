/**
 * ALL=1: runs a suite with every controller on each side, as in a normal cluster: kube-controller-manager with all of its controllers, and
 * on our side everything that `run all` runs. Only the writes of the suite's own controllers, and the final objects, are compared.
 */
import { controllersEnabledByDefault } from "../../src/controllers/index.ts";
import type { Suite } from "./suite.ts";

/** Names of kube-controller-manager's controllers in its user agents, if not our name plus `-controller`. */
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

/** Returns the suite, extended to all controllers if ALL=1 is set. */
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
