/** The kinds known to diagnoses, in addition to those of src/api/kind.ts. */
import { type Kind, kindOf } from "../api/kind.ts";
import type { StoredObject } from "../api/object.ts";
import type {
  ApiService,
  CertificateSigningRequest,
  CronJob,
  CustomResourceDefinition,
  DaemonSet,
  EndpointSlice,
  HorizontalPodAutoscaler,
  Ingress,
  IngressClass,
  Job,
  PersistentVolume,
  PodDisruptionBudget,
  RoleBinding,
  StatefulSet,
  StorageClass,
  VolumeAttachment,
  WebhookConfiguration,
} from "../api/types.ts";

export { PersistentVolumeClaims, ResourceQuotas, Services } from "../api/kind.ts";

const core = { group: "", version: "v1", namespaced: true };
const apps = { group: "apps", version: "v1", namespaced: true };
const batch = { group: "batch", version: "v1", namespaced: true };
const networking = { group: "networking.k8s.io", version: "v1" };
const storage = { group: "storage.k8s.io", version: "v1", namespaced: false };
const access = { group: "rbac.authorization.k8s.io", version: "v1" };
const admission = { group: "admissionregistration.k8s.io", version: "v1", namespaced: false };

/** StatefulSets (apps/v1). */
export const StatefulSets: Kind<StatefulSet> = kindOf({ ...apps, kind: "StatefulSet", plural: "statefulsets" });
/** DaemonSets (apps/v1). */
export const DaemonSets: Kind<DaemonSet> = kindOf({ ...apps, kind: "DaemonSet", plural: "daemonsets" });
/** Jobs (batch/v1). */
export const Jobs: Kind<Job> = kindOf({ ...batch, kind: "Job", plural: "jobs" });
/** CronJobs (batch/v1). */
export const CronJobs: Kind<CronJob> = kindOf({ ...batch, kind: "CronJob", plural: "cronjobs" });
/** HorizontalPodAutoscalers (autoscaling/v2). */
export const HorizontalPodAutoscalers: Kind<HorizontalPodAutoscaler> = kindOf({
  group: "autoscaling",
  version: "v2",
  kind: "HorizontalPodAutoscaler",
  plural: "horizontalpodautoscalers",
  namespaced: true,
});
/** PodDisruptionBudgets (policy/v1). */
export const PodDisruptionBudgets: Kind<PodDisruptionBudget> = kindOf({
  group: "policy",
  version: "v1",
  kind: "PodDisruptionBudget",
  plural: "poddisruptionbudgets",
  namespaced: true,
});
/** ConfigMaps (v1). */
export const ConfigMaps: Kind<StoredObject> = kindOf({ ...core, kind: "ConfigMap", plural: "configmaps" });
/** Secrets (v1); only their metadata is read. */
export const Secrets: Kind<StoredObject> = kindOf({ ...core, kind: "Secret", plural: "secrets" });
/** EndpointSlices (discovery.k8s.io/v1). */
export const EndpointSlices: Kind<EndpointSlice> = kindOf({
  group: "discovery.k8s.io",
  version: "v1",
  kind: "EndpointSlice",
  plural: "endpointslices",
  namespaced: true,
});
/** Ingresses (networking.k8s.io/v1). */
export const Ingresses: Kind<Ingress> = kindOf({
  ...networking,
  kind: "Ingress",
  plural: "ingresses",
  namespaced: true,
});
/** IngressClasses (networking.k8s.io/v1); cluster-scoped. */
export const IngressClasses: Kind<IngressClass> = kindOf({
  ...networking,
  kind: "IngressClass",
  plural: "ingressclasses",
  namespaced: false,
});
/** PersistentVolumes (v1); cluster-scoped. */
export const PersistentVolumes: Kind<PersistentVolume> = kindOf({
  ...core,
  kind: "PersistentVolume",
  plural: "persistentvolumes",
  namespaced: false,
});
/** StorageClasses (storage.k8s.io/v1); cluster-scoped. */
export const StorageClasses: Kind<StorageClass> = kindOf({
  ...storage,
  kind: "StorageClass",
  plural: "storageclasses",
});
/** VolumeAttachments (storage.k8s.io/v1); cluster-scoped. */
export const VolumeAttachments: Kind<VolumeAttachment> = kindOf({
  ...storage,
  kind: "VolumeAttachment",
  plural: "volumeattachments",
});
/** Roles (rbac.authorization.k8s.io/v1). */
export const Roles: Kind = kindOf({ ...access, kind: "Role", plural: "roles", namespaced: true });
/** ClusterRoles (rbac.authorization.k8s.io/v1); cluster-scoped. */
export const ClusterRoles: Kind = kindOf({ ...access, kind: "ClusterRole", plural: "clusterroles", namespaced: false });
/** RoleBindings (rbac.authorization.k8s.io/v1). */
export const RoleBindings: Kind<RoleBinding> = kindOf({
  ...access,
  kind: "RoleBinding",
  plural: "rolebindings",
  namespaced: true,
});
/** ClusterRoleBindings (rbac.authorization.k8s.io/v1); cluster-scoped. */
export const ClusterRoleBindings: Kind<RoleBinding> = kindOf({
  ...access,
  kind: "ClusterRoleBinding",
  plural: "clusterrolebindings",
  namespaced: false,
});
/** ValidatingWebhookConfigurations (admissionregistration.k8s.io/v1); cluster-scoped. */
export const ValidatingWebhookConfigurations: Kind<WebhookConfiguration> = kindOf({
  ...admission,
  kind: "ValidatingWebhookConfiguration",
  plural: "validatingwebhookconfigurations",
});
/** MutatingWebhookConfigurations (admissionregistration.k8s.io/v1); cluster-scoped. */
export const MutatingWebhookConfigurations: Kind<WebhookConfiguration> = kindOf({
  ...admission,
  kind: "MutatingWebhookConfiguration",
  plural: "mutatingwebhookconfigurations",
});
/** CustomResourceDefinitions (apiextensions.k8s.io/v1); cluster-scoped. */
export const CustomResourceDefinitions: Kind<CustomResourceDefinition> = kindOf({
  group: "apiextensions.k8s.io",
  version: "v1",
  kind: "CustomResourceDefinition",
  plural: "customresourcedefinitions",
  namespaced: false,
});
/** APIServices (apiregistration.k8s.io/v1); cluster-scoped. */
export const ApiServices: Kind<ApiService> = kindOf({
  group: "apiregistration.k8s.io",
  version: "v1",
  kind: "APIService",
  plural: "apiservices",
  namespaced: false,
});
/** CertificateSigningRequests (certificates.k8s.io/v1); cluster-scoped. */
export const CertificateSigningRequests: Kind<CertificateSigningRequest> = kindOf({
  group: "certificates.k8s.io",
  version: "v1",
  kind: "CertificateSigningRequest",
  plural: "certificatesigningrequests",
  namespaced: false,
});

/** Whether both are the same kind, in any version. */
export function isKind(kind: Kind, other: Kind): boolean {
  return kind.kind === other.kind && kind.group === other.group;
}

/** The object typed as one of the kind; undefined if the item is of another kind. */
export function asKind<T extends StoredObject>(
  item: { readonly kind: Kind; readonly object: StoredObject },
  kind: Kind<T>,
): T | undefined {
  // The kind determines the type of its objects.
  return isKind(item.kind, kind) ? (item.object as T) : undefined;
}
