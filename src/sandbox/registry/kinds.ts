/** The strategies of all groups, by resource (`pods`, `replicasets.apps`). */
import { admissionStrategies } from "./admissionregistration/kinds.ts";
import { definitionStrategy } from "./apiextensions/definition-strategy.ts";
import { apiStrategies } from "./apiregistration/kinds.ts";
import { appsStrategies } from "./apps/kinds.ts";
import { autoscalerStrategy } from "./autoscaling/autoscaler.ts";
import { batchStrategies } from "./batch/kinds.ts";
import { signingRequestStrategy } from "./certificates/signing-request.ts";
import { leaseStrategy } from "./coordination/lease.ts";
import { coreStrategies } from "./core/kinds.ts";
import { discoveryStrategies } from "./discovery/kinds.ts";
import { flowStrategies } from "./flowcontrol/kinds.ts";
import { networkingStrategies } from "./networking/kinds.ts";
import { runtimeClassStrategy } from "./node/runtime-class.ts";
import { budgetStrategy } from "./policy/budget.ts";
import { rbacStrategies } from "./rbac/kinds.ts";
import { deviceStrategies } from "./resource/kinds.ts";
import { priorityClassStrategy } from "./scheduling/priority-class.ts";
import { storageStrategies } from "./storage/kinds.ts";
import { defaultStrategy } from "./strategy/default-strategy.ts";
import type { RESTStrategy } from "./strategy/rest-strategy.ts";

/** By resource. */
export const strategies: Readonly<Record<string, RESTStrategy>> = {
  ...admissionStrategies,
  "customresourcedefinitions.apiextensions.k8s.io": definitionStrategy,
  ...apiStrategies,
  ...appsStrategies,
  ...batchStrategies,
  ...coreStrategies,
  ...discoveryStrategies,
  ...flowStrategies,
  ...networkingStrategies,
  ...rbacStrategies,
  ...deviceStrategies,
  ...storageStrategies,
  "certificatesigningrequests.certificates.k8s.io": signingRequestStrategy,
  "horizontalpodautoscalers.autoscaling": autoscalerStrategy,
  "leases.coordination.k8s.io": leaseStrategy,
  "poddisruptionbudgets.policy": budgetStrategy,
  "priorityclasses.scheduling.k8s.io": priorityClassStrategy,
  "runtimeclasses.node.k8s.io": runtimeClassStrategy,
};

/** The strategy of a resource, by its storage name; the default strategy for kinds without their own. */
export function strategyOf(storage: string): RESTStrategy {
  return strategies[storage] ?? defaultStrategy;
}
