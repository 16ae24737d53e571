/** The rules of the kinds that have some of their own, by resource. */
import type { KindRules } from "./kind-rules.ts";
import { eventRules } from "./event.ts";
import { jobRules } from "./job.ts";
import { namespaceRules } from "./namespace.ts";
import { podRules } from "./pod.ts";
import {
  claimRules,
  configMapRules,
  daemonSetRules,
  leaseRules,
  nodeRules,
  secretRules,
  volumeRules,
} from "./small.ts";
import { serviceRules } from "./service.ts";
import { deploymentRules, replicaSetRules, replicationControllerRules } from "./workload-validation.ts";

export const kindRules: Readonly<Record<string, KindRules>> = {
  events: eventRules,
  configmaps: configMapRules,
  "daemonsets.apps": daemonSetRules,
  "deployments.apps": deploymentRules,
  "jobs.batch": jobRules,
  namespaces: namespaceRules,
  "leases.coordination.k8s.io": leaseRules,
  nodes: nodeRules,
  persistentvolumeclaims: claimRules,
  persistentvolumes: volumeRules,
  pods: podRules,
  "replicasets.apps": replicaSetRules,
  replicationcontrollers: replicationControllerRules,
  secrets: secretRules,
  services: serviceRules,
};
