/** The built-in kinds that parts of this project, or users of its library, work with. */
import { type Kind, kindOf } from "./kind.ts";
import type {
  ApiService,
  CertificateSigningRequest,
  ClusterRole,
  ConfigMap,
  ControllerRevision,
  CronJob,
  CsiDriver,
  CustomResourceDefinition,
  DaemonSet,
  Deployment,
  Endpoints as EndpointsObject,
  EndpointSlice,
  Event,
  HorizontalPodAutoscaler,
  Ingress,
  IngressClass,
  IpAddress,
  Job,
  Lease,
  Namespace,
  NetworkPolicy,
  Node,
  PersistentVolume,
  PersistentVolumeClaim,
  Pod,
  PodDisruptionBudget,
  ReplicaSet,
  ReplicationController,
  ResourceClaim,
  ResourceClaimTemplate,
  ResourceQuota,
  ResourceSlice,
  RoleBinding,
  Secret,
  Service,
  ServiceAccount,
  ServiceCidr,
  StatefulSet,
  StorageClass,
  SubjectAccessReview,
  AdmissionPolicyBinding,
  ValidatingAdmissionPolicy,
  VolumeAttachment,
  VolumeAttributesClass,
  WebhookConfiguration,
} from "./types.ts";

const core = { group: "", version: "v1", namespaced: true };
const apps = { group: "apps", version: "v1", namespaced: true };
const batch = { group: "batch", version: "v1", namespaced: true };
const networking = { group: "networking.k8s.io", version: "v1" };
const storage = { group: "storage.k8s.io", version: "v1", namespaced: false };
/** v1 since Kubernetes 1.34. */
const devices = { group: "resource.k8s.io", version: "v1", namespaced: true, optional: true } as const;
const access = { group: "rbac.authorization.k8s.io", version: "v1" };
const admission = { group: "admissionregistration.k8s.io", version: "v1", namespaced: false };

/** Pods (v1). */
export const Pods: Kind<Pod> = { ...core, kind: "Pod", plural: "pods", namespaced: true, shortNames: ["po"] };
/** ReplicationControllers (v1). */
export const ReplicationControllers: Kind<ReplicationController> = {
  ...core,
  kind: "ReplicationController",
  plural: "replicationcontrollers",
  namespaced: true,
  shortNames: ["rc"],
};
/** ReplicaSets (apps/v1). */
export const ReplicaSets: Kind<ReplicaSet> = {
  ...apps,
  kind: "ReplicaSet",
  plural: "replicasets",
  namespaced: true,
  shortNames: ["rs"],
};
/** Deployments (apps/v1). */
export const Deployments: Kind<Deployment> = {
  ...apps,
  kind: "Deployment",
  plural: "deployments",
  namespaced: true,
  shortNames: ["deploy"],
};
/** Namespaces (v1); cluster-scoped. */
export const Namespaces: Kind<Namespace> = {
  ...core,
  kind: "Namespace",
  plural: "namespaces",
  namespaced: false,
  shortNames: ["ns"],
};
/** Nodes (v1); cluster-scoped. */
export const Nodes: Kind<Node> = { ...core, kind: "Node", plural: "nodes", namespaced: false, shortNames: ["no"] };
/** ServiceAccounts (v1). */
export const ServiceAccounts: Kind<ServiceAccount> = {
  ...core,
  kind: "ServiceAccount",
  plural: "serviceaccounts",
  namespaced: true,
  shortNames: ["sa"],
};
/** Services (v1). */
export const Services: Kind<Service> = {
  ...core,
  kind: "Service",
  plural: "services",
  namespaced: true,
  shortNames: ["svc"],
};
/** PersistentVolumeClaims (v1). */
export const PersistentVolumeClaims: Kind<PersistentVolumeClaim> = {
  ...core,
  kind: "PersistentVolumeClaim",
  plural: "persistentvolumeclaims",
  namespaced: true,
  shortNames: ["pvc"],
};
/** ResourceQuotas (v1). */
export const ResourceQuotas: Kind<ResourceQuota> = {
  ...core,
  kind: "ResourceQuota",
  plural: "resourcequotas",
  namespaced: true,
  shortNames: ["quota"],
};
/** Events of the core group (v1). */
export const Events: Kind<Event> = { ...core, kind: "Event", plural: "events", namespaced: true, shortNames: ["ev"] };
/** Leases (coordination.k8s.io/v1). */
export const Leases: Kind<Lease> = {
  group: "coordination.k8s.io",
  version: "v1",
  kind: "Lease",
  plural: "leases",
  namespaced: true,
};
/** StatefulSets (apps/v1). */
export const StatefulSets: Kind<StatefulSet> = kindOf({ ...apps, kind: "StatefulSet", plural: "statefulsets" });
/** ControllerRevisions (apps/v1). */
export const ControllerRevisions: Kind<ControllerRevision> = kindOf({
  ...apps,
  kind: "ControllerRevision",
  plural: "controllerrevisions",
});
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
export const ConfigMaps: Kind<ConfigMap> = kindOf({ ...core, kind: "ConfigMap", plural: "configmaps" });
/** Secrets (v1). */
export const Secrets: Kind<Secret> = kindOf({ ...core, kind: "Secret", plural: "secrets" });
/** Endpoints (v1): the predecessor of EndpointSlices. */
export const Endpoints: Kind<EndpointsObject> = { ...core, kind: "Endpoints", plural: "endpoints", shortNames: ["ep"] };
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
/** NetworkPolicies (networking.k8s.io/v1). */
export const NetworkPolicies: Kind<NetworkPolicy> = kindOf({
  ...networking,
  kind: "NetworkPolicy",
  plural: "networkpolicies",
  namespaced: true,
});
/** ServiceCIDRs (networking.k8s.io/v1, since Kubernetes 1.33); cluster-scoped. */
export const ServiceCidrs: Kind<ServiceCidr> = kindOf({
  ...networking,
  kind: "ServiceCIDR",
  plural: "servicecidrs",
  namespaced: false,
  optional: true,
});
/** IPAddresses (networking.k8s.io/v1, since Kubernetes 1.33); cluster-scoped. */
export const IpAddresses: Kind<IpAddress> = kindOf({
  ...networking,
  kind: "IPAddress",
  plural: "ipaddresses",
  namespaced: false,
  optional: true,
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
/** CSIDrivers (storage.k8s.io/v1); cluster-scoped. */
export const CsiDrivers: Kind<CsiDriver> = kindOf({
  ...storage,
  kind: "CSIDriver",
  plural: "csidrivers",
});
/** VolumeAttachments (storage.k8s.io/v1); cluster-scoped. */
export const VolumeAttachments: Kind<VolumeAttachment> = kindOf({
  ...storage,
  kind: "VolumeAttachment",
  plural: "volumeattachments",
});
/** VolumeAttributesClasses (storage.k8s.io/v1, since Kubernetes 1.34); cluster-scoped. */
export const VolumeAttributesClasses: Kind<VolumeAttributesClass> = kindOf({
  ...storage,
  kind: "VolumeAttributesClass",
  plural: "volumeattributesclasses",
  optional: true,
});
/** ResourceClaims (resource.k8s.io/v1): devices that pods use. */
export const ResourceClaims: Kind<ResourceClaim> = kindOf({
  ...devices,
  kind: "ResourceClaim",
  plural: "resourceclaims",
});
/** ResourceClaimTemplates (resource.k8s.io/v1). */
export const ResourceClaimTemplates: Kind<ResourceClaimTemplate> = kindOf({
  ...devices,
  kind: "ResourceClaimTemplate",
  plural: "resourceclaimtemplates",
});
/** DeviceClasses (resource.k8s.io/v1); cluster-scoped. */
export const DeviceClasses: Kind = kindOf({
  ...devices,
  kind: "DeviceClass",
  plural: "deviceclasses",
  namespaced: false,
});
/** ResourceSlices (resource.k8s.io/v1): the devices of drivers; cluster-scoped. */
export const ResourceSlices: Kind<ResourceSlice> = kindOf({
  ...devices,
  kind: "ResourceSlice",
  plural: "resourceslices",
  namespaced: false,
});
/** Roles (rbac.authorization.k8s.io/v1). */
export const Roles: Kind = kindOf({ ...access, kind: "Role", plural: "roles", namespaced: true });
/** ClusterRoles (rbac.authorization.k8s.io/v1); cluster-scoped. */
export const ClusterRoles: Kind<ClusterRole> = kindOf({
  ...access,
  kind: "ClusterRole",
  plural: "clusterroles",
  namespaced: false,
});
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
/** SubjectAccessReviews (authorization.k8s.io/v1): what a user may do; they are created but never stored. */
export const SubjectAccessReviews: Kind<SubjectAccessReview> = kindOf({
  group: "authorization.k8s.io",
  version: "v1",
  kind: "SubjectAccessReview",
  plural: "subjectaccessreviews",
  namespaced: false,
});
/** ValidatingAdmissionPolicies (admissionregistration.k8s.io/v1, since Kubernetes 1.30); cluster-scoped. */
export const ValidatingAdmissionPolicies: Kind<ValidatingAdmissionPolicy> = kindOf({
  group: "admissionregistration.k8s.io",
  version: "v1",
  kind: "ValidatingAdmissionPolicy",
  plural: "validatingadmissionpolicies",
  namespaced: false,
  optional: true,
});
/** ValidatingAdmissionPolicyBindings (admissionregistration.k8s.io/v1, since Kubernetes 1.30); cluster-scoped. */
export const ValidatingAdmissionPolicyBindings: Kind<AdmissionPolicyBinding> = kindOf({
  group: "admissionregistration.k8s.io",
  version: "v1",
  kind: "ValidatingAdmissionPolicyBinding",
  plural: "validatingadmissionpolicybindings",
  namespaced: false,
  optional: true,
});
/** MutatingAdmissionPolicies (admissionregistration.k8s.io/v1, since Kubernetes 1.36); cluster-scoped. */
export const MutatingAdmissionPolicies: Kind = kindOf({
  group: "admissionregistration.k8s.io",
  version: "v1",
  kind: "MutatingAdmissionPolicy",
  plural: "mutatingadmissionpolicies",
  namespaced: false,
  optional: true,
});
/** MutatingAdmissionPolicyBindings (admissionregistration.k8s.io/v1, since Kubernetes 1.36); cluster-scoped. */
export const MutatingAdmissionPolicyBindings: Kind<AdmissionPolicyBinding> = kindOf({
  group: "admissionregistration.k8s.io",
  version: "v1",
  kind: "MutatingAdmissionPolicyBinding",
  plural: "mutatingadmissionpolicybindings",
  namespaced: false,
  optional: true,
});
/** CertificateSigningRequests (certificates.k8s.io/v1); cluster-scoped. */
export const CertificateSigningRequests: Kind<CertificateSigningRequest> = kindOf({
  group: "certificates.k8s.io",
  version: "v1",
  kind: "CertificateSigningRequest",
  plural: "certificatesigningrequests",
  namespaced: false,
});
