/** The rules of the kinds that have some of their own, by resource. */
import type { KindRules } from "./kind-rules.ts";
import { eventRules } from "./event.ts";
import { autoscalerRules } from "./autoscaler.ts";
import { budgetRules } from "./budget.ts";
import { claimRules } from "./claim.ts";
import { cronJobRules } from "./cron-job.ts";
import { daemonSetRules } from "./daemon-set.ts";
import { jobRules } from "./job.ts";
import { ingressClassRules, ingressRules } from "./ingress.ts";
import { networkPolicyRules } from "./network-policy.ts";
import { limitRangeRules, quotaRules } from "./limits.ts";
import { namespaceRules } from "./namespace.ts";
import { nodeRules } from "./node.ts";
import { podRules } from "./pod.ts";
import { configMapRules, leaseRules, priorityClassRules, secretRules } from "./small.ts";
import { clusterRoleBindingRules, clusterRoleRules, roleBindingRules, roleRules } from "./roles.ts";
import { admissionKinds } from "./admissionregistration/kinds.ts";
import { apiKinds } from "./apiregistration/kinds.ts";
import { flowKinds } from "./flowcontrol/kinds.ts";
import { addressKinds } from "./networking/kinds.ts";
import { deviceKinds } from "./resource/kinds.ts";
import { coreKinds } from "./core/kinds.ts";
import { discoveryKinds } from "./discovery/kinds.ts";
import { storageKinds } from "./storage/kinds.ts";
import { serviceRules } from "./service.ts";
import { statefulSetRules } from "./stateful-set.ts";
import { deploymentRules, replicaSetRules, replicationControllerRules } from "./workload-validation.ts";

export const kindRules: Readonly<Record<string, KindRules>> = {
  ...storageKinds,
  ...discoveryKinds,
  ...coreKinds,
  ...admissionKinds,
  ...flowKinds,
  ...addressKinds,
  ...apiKinds,
  ...deviceKinds,
  events: eventRules,
  configmaps: configMapRules,
  "daemonsets.apps": daemonSetRules,
  "deployments.apps": deploymentRules,
  "statefulsets.apps": statefulSetRules,
  "jobs.batch": jobRules,
  "cronjobs.batch": cronJobRules,
  "horizontalpodautoscalers.autoscaling": autoscalerRules,
  "poddisruptionbudgets.policy": budgetRules,
  "priorityclasses.scheduling.k8s.io": priorityClassRules,
  limitranges: limitRangeRules,
  resourcequotas: quotaRules,
  "roles.rbac.authorization.k8s.io": roleRules,
  "rolebindings.rbac.authorization.k8s.io": roleBindingRules,
  "clusterroles.rbac.authorization.k8s.io": clusterRoleRules,
  "clusterrolebindings.rbac.authorization.k8s.io": clusterRoleBindingRules,
  "ingresses.networking.k8s.io": ingressRules,
  "ingressclasses.networking.k8s.io": ingressClassRules,
  "networkpolicies.networking.k8s.io": networkPolicyRules,
  namespaces: namespaceRules,
  "leases.coordination.k8s.io": leaseRules,
  nodes: nodeRules,
  persistentvolumeclaims: claimRules,
  pods: podRules,
  "replicasets.apps": replicaSetRules,
  replicationcontrollers: replicationControllerRules,
  secrets: secretRules,
  services: serviceRules,
};
