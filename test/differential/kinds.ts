/** The kinds that scripts refer to by name. Others, such as custom resources, are passed as a `Kind`. */
import { type Kind } from "../../src/api/kind.ts";
import {
  Deployments,
  Namespaces,
  Nodes,
  Pods,
  ReplicaSets,
  ReplicationControllers,
  ServiceAccounts,
} from "../../src/api/kinds.ts";

function kind(groupVersion: string, name: string, plural: string, namespaced = true): Kind {
  const [group, version] = groupVersion.includes("/") ? groupVersion.split("/") : ["", groupVersion];
  return { group: group as string, version: version as string, kind: name, plural, namespaced };
}

export type ResourceName =
  | "pods"
  | "replicasets"
  | "replicationcontrollers"
  | "deployments"
  | "namespaces"
  | "nodes"
  | "serviceaccounts"
  | "configmaps"
  | "secrets"
  | "services"
  | "endpoints"
  | "events"
  | "resourcequotas"
  | "limitranges"
  | "podtemplates"
  | "persistentvolumes"
  | "persistentvolumeclaims"
  | "statefulsets"
  | "daemonsets"
  | "controllerrevisions"
  | "jobs"
  | "cronjobs"
  | "leases"
  | "ingresses"
  | "networkpolicies"
  | "poddisruptionbudgets"
  | "horizontalpodautoscalers"
  | "roles"
  | "rolebindings"
  | "clusterroles"
  | "clusterrolebindings"
  | "priorityclasses"
  | "storageclasses"
  | "customresourcedefinitions"
  | "apiservices";

/** Keyed by plural name. */
export const known: Readonly<Record<ResourceName, Kind>> = {
  pods: Pods,
  replicasets: ReplicaSets,
  replicationcontrollers: ReplicationControllers,
  deployments: Deployments,
  namespaces: Namespaces,
  nodes: Nodes,
  serviceaccounts: ServiceAccounts,
  configmaps: kind("v1", "ConfigMap", "configmaps"),
  secrets: kind("v1", "Secret", "secrets"),
  services: kind("v1", "Service", "services"),
  endpoints: kind("v1", "Endpoints", "endpoints"),
  events: kind("v1", "Event", "events"),
  resourcequotas: kind("v1", "ResourceQuota", "resourcequotas"),
  limitranges: kind("v1", "LimitRange", "limitranges"),
  podtemplates: kind("v1", "PodTemplate", "podtemplates"),
  persistentvolumes: kind("v1", "PersistentVolume", "persistentvolumes", false),
  persistentvolumeclaims: kind("v1", "PersistentVolumeClaim", "persistentvolumeclaims"),
  statefulsets: kind("apps/v1", "StatefulSet", "statefulsets"),
  daemonsets: kind("apps/v1", "DaemonSet", "daemonsets"),
  controllerrevisions: kind("apps/v1", "ControllerRevision", "controllerrevisions"),
  jobs: kind("batch/v1", "Job", "jobs"),
  cronjobs: kind("batch/v1", "CronJob", "cronjobs"),
  leases: kind("coordination.k8s.io/v1", "Lease", "leases"),
  ingresses: kind("networking.k8s.io/v1", "Ingress", "ingresses"),
  networkpolicies: kind("networking.k8s.io/v1", "NetworkPolicy", "networkpolicies"),
  poddisruptionbudgets: kind("policy/v1", "PodDisruptionBudget", "poddisruptionbudgets"),
  horizontalpodautoscalers: kind("autoscaling/v2", "HorizontalPodAutoscaler", "horizontalpodautoscalers"),
  roles: kind("rbac.authorization.k8s.io/v1", "Role", "roles"),
  rolebindings: kind("rbac.authorization.k8s.io/v1", "RoleBinding", "rolebindings"),
  clusterroles: kind("rbac.authorization.k8s.io/v1", "ClusterRole", "clusterroles", false),
  clusterrolebindings: kind("rbac.authorization.k8s.io/v1", "ClusterRoleBinding", "clusterrolebindings", false),
  priorityclasses: kind("scheduling.k8s.io/v1", "PriorityClass", "priorityclasses", false),
  storageclasses: kind("storage.k8s.io/v1", "StorageClass", "storageclasses", false),
  customresourcedefinitions: kind(
    "apiextensions.k8s.io/v1",
    "CustomResourceDefinition",
    "customresourcedefinitions",
    false,
  ),
  apiservices: kind("apiregistration.k8s.io/v1", "APIService", "apiservices", false),
};

export type Resource = ResourceName | Kind;
