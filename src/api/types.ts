/**
 * The wire types of the built-in kinds. The one file that names client-node's models: they describe what its decoder makes
 * (Date objects, `_from` for `from`, `any`), so each is mapped to what JSON on the wire carries.
 */
import type {
  CoreV1Event,
  V1APIService,
  V1CertificateSigningRequest,
  V1Container,
  V1ContainerStatus,
  V1CronJob,
  V1CustomResourceDefinition,
  V1DaemonSet,
  V1DeleteOptions,
  V1Deployment,
  V1EndpointSlice,
  V1Ingress,
  V1IngressClass,
  V1Job,
  V1LabelSelector,
  V1Lease,
  V1Namespace,
  V1Node,
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
  V1ResourceQuota,
  V1RoleBinding,
  V1SelfSubjectAccessReview,
  V1Service,
  V1ServiceAccount,
  V1StatefulSet,
  V1StorageClass,
  V1Taint,
  V1Toleration,
  V1ValidatingWebhookConfiguration,
  V1VolumeAttachment,
  V2HorizontalPodAutoscaler,
} from "@kubernetes/client-node";
import type { Plain, Stored } from "./object.ts";

export interface Pod extends Stored<V1Pod> {}
export interface ReplicaSet extends Stored<V1ReplicaSet> {}
export interface ReplicationController extends Stored<V1ReplicationController> {}
export interface Deployment extends Stored<V1Deployment> {}
export interface Namespace extends Stored<V1Namespace> {}
export interface Node extends Stored<V1Node> {}
export interface ServiceAccount extends Stored<V1ServiceAccount> {}
export interface StatefulSet extends Stored<V1StatefulSet> {}
export interface DaemonSet extends Stored<V1DaemonSet> {}
export interface Job extends Stored<V1Job> {}
export interface CronJob extends Stored<V1CronJob> {}
export interface HorizontalPodAutoscaler extends Stored<V2HorizontalPodAutoscaler> {}
export interface PodDisruptionBudget extends Stored<V1PodDisruptionBudget> {}
export interface ResourceQuota extends Stored<V1ResourceQuota> {}
export interface Service extends Stored<V1Service> {}
export interface EndpointSlice extends Stored<V1EndpointSlice> {}
export interface Ingress extends Stored<V1Ingress> {}
export interface IngressClass extends Stored<V1IngressClass> {}
export interface PersistentVolumeClaim extends Stored<V1PersistentVolumeClaim> {}
export interface PersistentVolume extends Stored<V1PersistentVolume> {}
export interface StorageClass extends Stored<V1StorageClass> {}
export interface VolumeAttachment extends Stored<V1VolumeAttachment> {}
/** A RoleBinding or a ClusterRoleBinding: they have the same fields. */
export interface RoleBinding extends Stored<V1RoleBinding> {}
/** A validating or a mutating one: what is read of them is the same. */
export interface WebhookConfiguration extends Stored<V1ValidatingWebhookConfiguration> {}
export interface CustomResourceDefinition extends Stored<V1CustomResourceDefinition> {}
export interface ApiService extends Stored<V1APIService> {}
export interface CertificateSigningRequest extends Stored<V1CertificateSigningRequest> {}
/** An Event of the core group, `v1`. Times are RFC 3339 texts. */
export interface Event extends Stored<CoreV1Event> {}
export interface Lease extends Stored<V1Lease> {}

export type PodTemplateSpec = Plain<V1PodTemplateSpec>;
export type PodCondition = Plain<V1PodCondition>;
export type Container = Plain<V1Container>;
export type ContainerStatus = Plain<V1ContainerStatus>;
export type PodSpec = Plain<V1PodSpec>;
export type PodStatus = Plain<V1PodStatus>;
export type PodAffinityTerm = Plain<V1PodAffinityTerm>;
export type NodeSelectorTerm = Plain<V1NodeSelectorTerm>;
export type Taint = Plain<V1Taint>;
export type Toleration = Plain<V1Toleration>;
export type LabelSelector = Plain<V1LabelSelector>;
export type DeleteOptions = Plain<V1DeleteOptions>;
export type SelfSubjectAccessReview = Plain<V1SelfSubjectAccessReview>;
