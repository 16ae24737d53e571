/** The rules of the kinds that have some of their own, by resource: those of each group. */
import { admissionKinds } from "./admissionregistration/kinds.ts";
import { apiKinds } from "./apiregistration/kinds.ts";
import { appsKinds } from "./apps/kinds.ts";
import { autoscalerRules } from "./autoscaling/autoscaler.ts";
import { batchKinds } from "./batch/kinds.ts";
import { signingRequestRules } from "./certificates/signing-request.ts";
import { leaseRules } from "./coordination/lease.ts";
import { coreKinds } from "./core/kinds.ts";
import { discoveryKinds } from "./discovery/kinds.ts";
import { flowKinds } from "./flowcontrol/kinds.ts";
import { networkingKinds } from "./networking/kinds.ts";
import { runtimeClassRules } from "./node/runtime-class.ts";
import { budgetRules } from "./policy/budget.ts";
import { rbacKinds } from "./rbac/kinds.ts";
import { deviceKinds } from "./resource/kinds.ts";
import { priorityClassRules } from "./scheduling/priority-class.ts";
import { storageKinds } from "./storage/kinds.ts";
import type { KindRules } from "./strategy/kind-rules.ts";

export const kindRules: Readonly<Record<string, KindRules>> = {
  ...admissionKinds,
  ...apiKinds,
  ...appsKinds,
  ...batchKinds,
  ...coreKinds,
  ...discoveryKinds,
  ...flowKinds,
  ...networkingKinds,
  ...rbacKinds,
  ...deviceKinds,
  ...storageKinds,
  "certificatesigningrequests.certificates.k8s.io": signingRequestRules,
  "horizontalpodautoscalers.autoscaling": autoscalerRules,
  "leases.coordination.k8s.io": leaseRules,
  "poddisruptionbudgets.policy": budgetRules,
  "priorityclasses.scheduling.k8s.io": priorityClassRules,
  "runtimeclasses.node.k8s.io": runtimeClassRules,
};
