/**
 * The wire types of the built-in kinds. The only file that names client-node's models: they describe what its decoder produces (Date
 * objects, `_from` for `from`, `any`), so each is mapped to the JSON on the wire.
 */
import type {
  CoreV1Event,
  DiscoveryV1EndpointPort,
  ResourceV1ResourceClaim,
  V1APIService,
  V1CertificateSigningRequest,
  V1CSIDriver,
  V1ClusterRole,
  V1ConfigMap,
  V1Container,
  V1ContainerStatus,
  V1ControllerRevision,
  V1CronJob,
  V1CustomResourceDefinition,
  V1DaemonSet,
  V1DeleteOptions,
  V1Deployment,
  V1Endpoint,
  V1Endpoints,
  V1EndpointSlice,
  V1Ingress,
  V1IngressClass,
  V1IPAddress,
  V1Job,
  V1LabelSelector,
  V1Lease,
  V1Namespace,
  V1NetworkPolicy,
  V1Node,
  V1NodeCondition,
  V1NodeSelectorTerm,
  V1PersistentVolume,
  V1PersistentVolumeClaim,
  V1Pod,
  V1PodAffinityTerm,
  V1PodCondition,
  V1PodDisruptionBudget,
  V1PodSpec,
  V1PodStatus,
  V1PodTemplateSpec,
  V1ReplicaSet,
  V1ReplicationController,
  V1ResourceClaimTemplate,
  V1ResourceQuota,
  V1ResourceSlice,
  V1RoleBinding,
  V1Secret,
  V1SelfSubjectAccessReview,
  V1Service,
  V1ServiceAccount,
  V1ServiceCIDR,
  V1ServicePort,
  V1StatefulSet,
  V1StorageClass,
  V1SubjectAccessReview,
  V1Taint,
  V1Toleration,
  V1ValidatingAdmissionPolicy,
  V1ValidatingAdmissionPolicyBinding,
  V1ValidatingWebhookConfiguration,
  V1VolumeAttachment,
  V1VolumeAttributesClass,
  V2HorizontalPodAutoscaler,
} from "@kubernetes/client-node";
import type { Plain, ApiObject } from "./object.ts";

/** `Pod` of v1, as stored. */
export interface Pod extends ApiObject<V1Pod> {}
/** `ReplicaSet` of apps/v1, as stored. */
export interface ReplicaSet extends ApiObject<V1ReplicaSet> {}
/** `ReplicationController` of v1, as stored. */
export interface ReplicationController extends ApiObject<V1ReplicationController> {}
/** `Deployment` of apps/v1, as stored. */
export interface Deployment extends ApiObject<V1Deployment> {}
/** `Namespace` of v1, as stored. */
export interface Namespace extends ApiObject<V1Namespace> {}
/** `Node` of v1, as stored. */
export interface Node extends ApiObject<V1Node> {}
/** `ServiceAccount` of v1, as stored. */
export interface ServiceAccount extends ApiObject<V1ServiceAccount> {}
/** `ConfigMap` of v1, as stored. */
export interface ConfigMap extends ApiObject<V1ConfigMap> {}
/** `Secret` of v1, as stored: its data is base64. */
export interface Secret extends ApiObject<V1Secret> {}
/** `ControllerRevision` of apps/v1, as stored. */
export interface ControllerRevision extends ApiObject<V1ControllerRevision> {}
/** `StatefulSet` of apps/v1, as stored. */
export interface StatefulSet extends ApiObject<V1StatefulSet> {}
/** `DaemonSet` of apps/v1, as stored. */
export interface DaemonSet extends ApiObject<V1DaemonSet> {}
/** `Job` of batch/v1, as stored. */
export interface Job extends ApiObject<V1Job> {}
/** `CronJob` of batch/v1, as stored. */
export interface CronJob extends ApiObject<V1CronJob> {}
/** `HorizontalPodAutoscaler` of autoscaling/v2, as stored. */
export interface HorizontalPodAutoscaler extends ApiObject<V2HorizontalPodAutoscaler> {}
/** `PodDisruptionBudget` of policy/v1, as stored. */
export interface PodDisruptionBudget extends ApiObject<V1PodDisruptionBudget> {}
/** `ResourceQuota` of v1, as stored. */
export interface ResourceQuota extends ApiObject<V1ResourceQuota> {}
/** `Service` of v1, as stored. */
export interface Service extends ApiObject<V1Service> {}
/** `Endpoints` of v1, as stored. */
export interface Endpoints extends ApiObject<V1Endpoints> {}
/** `EndpointSlice` of discovery.k8s.io/v1, as stored. */
export interface EndpointSlice extends ApiObject<V1EndpointSlice> {}
/** `Ingress` of networking.k8s.io/v1, as stored. */
export interface Ingress extends ApiObject<V1Ingress> {}
/** `IngressClass` of networking.k8s.io/v1, as stored. */
export interface IngressClass extends ApiObject<V1IngressClass> {}
/** `ServiceCIDR` of networking.k8s.io/v1, as stored. */
export interface ServiceCidr extends ApiObject<V1ServiceCIDR> {}
/** `IPAddress` of networking.k8s.io/v1, as stored: its name is the address. */
export interface IpAddress extends ApiObject<V1IPAddress> {}
/** `NetworkPolicy` of networking.k8s.io/v1, as stored. */
export interface NetworkPolicy extends ApiObject<V1NetworkPolicy> {}
/** `PersistentVolumeClaim` of v1, as stored. */
export interface PersistentVolumeClaim extends ApiObject<V1PersistentVolumeClaim> {}
/** `PersistentVolume` of v1, as stored. */
export interface PersistentVolume extends ApiObject<V1PersistentVolume> {}
/** `StorageClass` of storage.k8s.io/v1, as stored. */
export interface StorageClass extends ApiObject<V1StorageClass> {}
/** `CSIDriver` of storage.k8s.io/v1, as stored. */
export interface CsiDriver extends ApiObject<V1CSIDriver> {}
/** `VolumeAttachment` of storage.k8s.io/v1, as stored. */
export interface VolumeAttachment extends ApiObject<V1VolumeAttachment> {}
/** `VolumeAttributesClass` of storage.k8s.io/v1, as stored. */
export interface VolumeAttributesClass extends ApiObject<V1VolumeAttributesClass> {}
/** `ResourceClaim` of resource.k8s.io/v1, as stored. */
export interface ResourceClaim extends ApiObject<ResourceV1ResourceClaim> {}
/** `ResourceClaimTemplate` of resource.k8s.io/v1, as stored. */
export interface ResourceClaimTemplate extends ApiObject<V1ResourceClaimTemplate> {}
/** `ResourceSlice` of resource.k8s.io/v1, as stored. */
export interface ResourceSlice extends ApiObject<V1ResourceSlice> {}
/** A taint of a device. */
export type DeviceTaint = NonNullable<NonNullable<ResourceSlice["spec"]["devices"]>[number]["taints"]>[number];
/** `ClusterRole` of rbac.authorization.k8s.io/v1, as stored. */
export interface ClusterRole extends ApiObject<V1ClusterRole> {}
/** A RoleBinding or a ClusterRoleBinding: they have the same fields. */
export interface RoleBinding extends ApiObject<V1RoleBinding> {}
/** A validating or mutating one: the fields read from them are the same. */
export interface WebhookConfiguration extends ApiObject<V1ValidatingWebhookConfiguration> {}
/** `CustomResourceDefinition` of apiextensions.k8s.io/v1, as stored. */
export interface CustomResourceDefinition extends ApiObject<V1CustomResourceDefinition> {}
/** `APIService` of apiregistration.k8s.io/v1, as stored. */
export interface ApiService extends ApiObject<V1APIService> {}
/** `CertificateSigningRequest` of certificates.k8s.io/v1, as stored. */
export interface CertificateSigningRequest extends ApiObject<V1CertificateSigningRequest> {}
/** `ValidatingAdmissionPolicyBinding` or `MutatingAdmissionPolicyBinding` of admissionregistration.k8s.io/v1, as stored. */
export interface AdmissionPolicyBinding extends ApiObject<V1ValidatingAdmissionPolicyBinding> {}
/** `ValidatingAdmissionPolicy` of admissionregistration.k8s.io/v1, as stored. */
export interface ValidatingAdmissionPolicy extends ApiObject<V1ValidatingAdmissionPolicy> {}
/** `SubjectAccessReview` of authorization.k8s.io/v1: a request's attributes, and the decision. It is never stored. */
export interface SubjectAccessReview extends ApiObject<V1SubjectAccessReview> {}
/** An Event of the core group, `v1`. Times are RFC 3339 strings. */
export interface Event extends ApiObject<CoreV1Event> {}
/** `Lease` of coordination.k8s.io/v1, as stored. */
export interface Lease extends ApiObject<V1Lease> {}

/** The template that a workload creates pods from. */
export type PodTemplateSpec = Plain<V1PodTemplateSpec>;
/** An entry of a pod's `status.conditions`. */
export type PodCondition = Plain<V1PodCondition>;
/** An entry of a node's `status.conditions`. */
export type NodeCondition = Plain<V1NodeCondition>;
/** A container of a pod's spec. */
export type Container = Plain<V1Container>;
/** What a kubelet reports about one container. */
export type ContainerStatus = Plain<V1ContainerStatus>;
/** The `spec` of a pod or a template. */
export type PodSpec = Plain<V1PodSpec>;
/** The `status` of a pod. */
export type PodStatus = Plain<V1PodStatus>;
/** One term of pod affinity or anti-affinity. */
export type PodAffinityTerm = Plain<V1PodAffinityTerm>;
/** One term of node affinity; its requirements are ANDed. */
export type NodeSelectorTerm = Plain<V1NodeSelectorTerm>;
/** A taint of a node. */
export type Taint = Plain<V1Taint>;
/** A toleration of a pod. */
export type Toleration = Plain<V1Toleration>;
/** `matchLabels` and `matchExpressions`, ANDed. */
export type LabelSelector = Plain<V1LabelSelector>;
/** The body of a DELETE. */
export type DeleteOptions = Plain<V1DeleteOptions>;
/** A port of a Service. */
export type ServicePort = Plain<V1ServicePort>;
/** One endpoint of an EndpointSlice: usually a pod. */
export type Endpoint = Plain<V1Endpoint>;
/** A port of the endpoints of an EndpointSlice. */
export type EndpointPort = Plain<DiscoveryV1EndpointPort>;
/** A request to check whether the user may do something. */
export type SelfSubjectAccessReview = Plain<V1SelfSubjectAccessReview>;
