/** Versions of Kubernetes' own kinds that no supported release serves anymore, and their replacements. */

export interface RemovedVersion {
  readonly apiVersion: string;
  readonly kinds: readonly string[];
  /** The first release without it. */
  readonly removedIn: string;
  /** The version to use; undefined if there is no replacement. */
  readonly instead?: string;
  /** Set if there is something else to do. */
  readonly advice?: string;
}

const workloads = ["DaemonSet", "Deployment", "ReplicaSet"];
const roles = ["ClusterRole", "ClusterRoleBinding", "Role", "RoleBinding"];
const reviews = [
  "LocalSubjectAccessReview",
  "SelfSubjectAccessReview",
  "SelfSubjectRulesReview",
  "SubjectAccessReview",
];
const podSecurity = "the labels of PodSecurity admission on namespaces do its work";

/** Source: the API deprecation guide, https://kubernetes.io/docs/reference/using-api/deprecation-guide/. */
export const removedVersions: readonly RemovedVersion[] = [
  { apiVersion: "extensions/v1beta1", kinds: workloads, removedIn: "1.16", instead: "apps/v1" },
  { apiVersion: "extensions/v1beta1", kinds: ["NetworkPolicy"], removedIn: "1.16", instead: "networking.k8s.io/v1" },
  { apiVersion: "extensions/v1beta1", kinds: ["PodSecurityPolicy"], removedIn: "1.16", advice: podSecurity },
  { apiVersion: "extensions/v1beta1", kinds: ["Ingress"], removedIn: "1.22", instead: "networking.k8s.io/v1" },
  {
    apiVersion: "apps/v1beta1",
    kinds: ["Deployment", "StatefulSet", "ControllerRevision"],
    removedIn: "1.16",
    instead: "apps/v1",
  },
  {
    apiVersion: "apps/v1beta2",
    kinds: [...workloads, "StatefulSet", "ControllerRevision"],
    removedIn: "1.16",
    instead: "apps/v1",
  },
  {
    apiVersion: "admissionregistration.k8s.io/v1beta1",
    kinds: ["MutatingWebhookConfiguration", "ValidatingWebhookConfiguration"],
    removedIn: "1.22",
    instead: "admissionregistration.k8s.io/v1",
  },
  {
    apiVersion: "apiextensions.k8s.io/v1beta1",
    kinds: ["CustomResourceDefinition"],
    removedIn: "1.22",
    instead: "apiextensions.k8s.io/v1",
  },
  {
    apiVersion: "apiregistration.k8s.io/v1beta1",
    kinds: ["APIService"],
    removedIn: "1.22",
    instead: "apiregistration.k8s.io/v1",
  },
  {
    apiVersion: "authentication.k8s.io/v1beta1",
    kinds: ["TokenReview"],
    removedIn: "1.22",
    instead: "authentication.k8s.io/v1",
  },
  {
    apiVersion: "authorization.k8s.io/v1beta1",
    kinds: reviews,
    removedIn: "1.22",
    instead: "authorization.k8s.io/v1",
  },
  {
    apiVersion: "certificates.k8s.io/v1beta1",
    kinds: ["CertificateSigningRequest"],
    removedIn: "1.22",
    instead: "certificates.k8s.io/v1",
  },
  { apiVersion: "coordination.k8s.io/v1beta1", kinds: ["Lease"], removedIn: "1.22", instead: "coordination.k8s.io/v1" },
  {
    apiVersion: "networking.k8s.io/v1beta1",
    kinds: ["Ingress", "IngressClass"],
    removedIn: "1.22",
    instead: "networking.k8s.io/v1",
  },
  {
    apiVersion: "rbac.authorization.k8s.io/v1alpha1",
    kinds: roles,
    removedIn: "1.22",
    instead: "rbac.authorization.k8s.io/v1",
  },
  {
    apiVersion: "rbac.authorization.k8s.io/v1beta1",
    kinds: roles,
    removedIn: "1.22",
    instead: "rbac.authorization.k8s.io/v1",
  },
  {
    apiVersion: "scheduling.k8s.io/v1beta1",
    kinds: ["PriorityClass"],
    removedIn: "1.22",
    instead: "scheduling.k8s.io/v1",
  },
  {
    apiVersion: "storage.k8s.io/v1beta1",
    kinds: ["CSIDriver", "CSINode", "StorageClass", "VolumeAttachment"],
    removedIn: "1.22",
    instead: "storage.k8s.io/v1",
  },
  {
    apiVersion: "storage.k8s.io/v1beta1",
    kinds: ["CSIStorageCapacity"],
    removedIn: "1.27",
    instead: "storage.k8s.io/v1",
  },
  { apiVersion: "batch/v2alpha1", kinds: ["CronJob"], removedIn: "1.21", instead: "batch/v1" },
  { apiVersion: "batch/v1beta1", kinds: ["CronJob"], removedIn: "1.25", instead: "batch/v1" },
  {
    apiVersion: "discovery.k8s.io/v1beta1",
    kinds: ["EndpointSlice"],
    removedIn: "1.25",
    instead: "discovery.k8s.io/v1",
  },
  { apiVersion: "events.k8s.io/v1beta1", kinds: ["Event"], removedIn: "1.25", instead: "events.k8s.io/v1" },
  {
    apiVersion: "autoscaling/v2beta1",
    kinds: ["HorizontalPodAutoscaler"],
    removedIn: "1.25",
    instead: "autoscaling/v2",
  },
  {
    apiVersion: "autoscaling/v2beta2",
    kinds: ["HorizontalPodAutoscaler"],
    removedIn: "1.26",
    instead: "autoscaling/v2",
  },
  { apiVersion: "policy/v1beta1", kinds: ["PodDisruptionBudget"], removedIn: "1.25", instead: "policy/v1" },
  { apiVersion: "policy/v1beta1", kinds: ["PodSecurityPolicy"], removedIn: "1.25", advice: podSecurity },
  { apiVersion: "node.k8s.io/v1beta1", kinds: ["RuntimeClass"], removedIn: "1.25", instead: "node.k8s.io/v1" },
  ...["v1beta1", "v1beta2", "v1beta3"].map((version, index) => ({
    apiVersion: `flowcontrol.apiserver.k8s.io/${version}`,
    kinds: ["FlowSchema", "PriorityLevelConfiguration"],
    removedIn: ["1.26", "1.29", "1.32"][index] ?? "",
    instead: "flowcontrol.apiserver.k8s.io/v1",
  })),
  { apiVersion: "settings.k8s.io/v1alpha1", kinds: ["PodPreset"], removedIn: "1.20" },
];
