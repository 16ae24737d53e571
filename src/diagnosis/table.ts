/** Which kind is examined by which function. Other kinds are examined by what any object may have. */
import { type Kind, resourceOf } from "../api/kind.ts";
import { Deployments, Namespaces, Nodes, Pods, ReplicaSets, ReplicationControllers } from "../api/kinds.ts";
import type { StoredObject } from "../api/object.ts";
import { examineDeletion } from "./deletion.ts";
import { examineResourceClaim } from "./device-claims.ts";
import { examineDaemonSet } from "./daemon-sets.ts";
import { examineDeployment } from "./deployments.ts";
import type { Examined, Item } from "./diagnosis.ts";
import { bindingOf, examineMutatingPolicy, examineValidatingPolicy } from "./admission-policies.ts";
import { examineDefinition, examineSigningRequest, examineWebhooks } from "./extensions.ts";
import { examineGeneric } from "./generic.ts";
import { examineIngress } from "./ingresses.ts";
import { examineCronJob, examineJob } from "./jobs.ts";
import { isKind } from "./kinds.ts";
import {
  CertificateSigningRequests,
  ClusterRoleBindings,
  ClusterRoles,
  CronJobs,
  CustomResourceDefinitions,
  DaemonSets,
  HorizontalPodAutoscalers,
  Ingresses,
  Jobs,
  MutatingAdmissionPolicies,
  MutatingAdmissionPolicyBindings,
  MutatingWebhookConfigurations,
  PersistentVolumeClaims,
  PersistentVolumes,
  PodDisruptionBudgets,
  ResourceClaims,
  ResourceQuotas,
  RoleBindings,
  Secrets,
  Services,
  StatefulSets,
  ValidatingAdmissionPolicies,
  ValidatingAdmissionPolicyBindings,
  ValidatingWebhookConfigurations,
  VolumeAttachments,
} from "../api/kinds.ts";
import type { Look } from "./look.ts";
import { examineNamespace, examineNamespaceDeletion } from "./namespaces.ts";
import { examineNode } from "./nodes.ts";
import { examinePassive, isPassive } from "./passive.ts";
import { examinePod } from "./pods.ts";
import { examineAutoscaler } from "./autoscalers.ts";
import { examineReplicated } from "./replicas.ts";
import { examineBinding, examineClusterRole } from "./roles.ts";
import { examineStatefulSet } from "./stateful-sets.ts";
import { examineBudget, examineQuota } from "./scaling.ts";
import { examineSecret } from "./secrets.ts";
import { examineService } from "./services.ts";
import { examineAttachment, examineClaim, examineVolume } from "./storage.ts";

type Examine<T extends StoredObject = StoredObject> = (look: Look, item: Item<T>) => Examined;

function row<T extends StoredObject>(kind: Kind<T>, examine: Examine<T>): readonly [string, Examine] {
  // It is looked up by its kind, which determines the type of its objects.
  return [resourceOf(kind), examine as Examine];
}

const table: readonly (readonly [string, Examine])[] = [
  row(Pods, examinePod),
  row(Deployments, examineDeployment),
  row(ReplicaSets, examineReplicated),
  row(ReplicationControllers, examineReplicated),
  row(StatefulSets, examineStatefulSet),
  row(DaemonSets, examineDaemonSet),
  row(Jobs, examineJob),
  row(CronJobs, examineCronJob),
  row(HorizontalPodAutoscalers, examineAutoscaler),
  row(PodDisruptionBudgets, examineBudget),
  row(ResourceQuotas, examineQuota),
  row(Services, examineService),
  row(Ingresses, examineIngress),
  row(PersistentVolumeClaims, examineClaim),
  row(PersistentVolumes, examineVolume),
  row(VolumeAttachments, examineAttachment),
  row(ResourceClaims, examineResourceClaim),
  row(Secrets, (_look, item) => examineSecret(item)),
  row(Namespaces, examineNamespace),
  row(Nodes, examineNode),
  row(CustomResourceDefinitions, examineDefinition),
  row(ValidatingWebhookConfigurations, examineWebhooks),
  row(MutatingWebhookConfigurations, examineWebhooks),
  row(CertificateSigningRequests, examineSigningRequest),
  row(RoleBindings, examineBinding),
  row(ClusterRoleBindings, examineBinding),
  row(ClusterRoles, examineClusterRole),
  row(ValidatingAdmissionPolicies, examineValidatingPolicy),
  row(MutatingAdmissionPolicies, examineMutatingPolicy),
  row(ValidatingAdmissionPolicyBindings, bindingOf(ValidatingAdmissionPolicies)),
  row(MutatingAdmissionPolicyBindings, bindingOf(MutatingAdmissionPolicies)),
];

const byResource: ReadonlyMap<string, Examine> = new Map(table);

/** Examines an object of any kind. */
export function examine(look: Look, item: Item): Examined {
  if (item.object.metadata.deletionTimestamp !== undefined) {
    return isKind(item.kind, Namespaces) ? examineNamespaceDeletion(look, item) : examineDeletion(look, item);
  }
  const own = byResource.get(resourceOf(item.kind));
  if (own !== undefined) return own(look, item);
  return isPassive(item.kind) ? examinePassive() : examineGeneric(look, item);
}

/** Whether the kind has an examination of its own, or is passive. */
export function isKnown(kind: Kind): boolean {
  return isPassive(kind) || byResource.has(resourceOf(kind));
}
