/** The rules of the kinds that have some of their own, by resource. */
import type { KindRules } from "./behaviour.ts";
import { eventRules } from "./event.ts";
import { jobRules } from "./job.ts";
import { namespaceRules } from "./namespace.ts";
import { podRules } from "./pod.ts";
import { deploymentRules, replicaSetRules, replicationControllerRules } from "./workload-validation.ts";

export const kindRules: Readonly<Record<string, KindRules>> = {
  events: eventRules,
  "deployments.apps": deploymentRules,
  "jobs.batch": jobRules,
  namespaces: namespaceRules,
  pods: podRules,
  "replicasets.apps": replicaSetRules,
  replicationcontrollers: replicationControllerRules,
};
