/** The minimal manifest of every kind: the defaults that the server adds, and how it serializes empty values. */
import { del, paths, post, type Case, type Table } from "../case.ts";

type Fields = Readonly<Record<string, unknown>>;

interface Smallest {
  /** The path of the collection. */
  readonly at: string;
  readonly body: Fields;
  readonly differs?: string;
}

const named = (fields: Fields = {}, metadata: Fields = {}): Fields => ({
  metadata: { name: "a", ...metadata },
  ...fields,
});
/** The body for a cluster-scoped kind, named after the namespace of the case. */
const wide = (fields: Fields = {}, suffix = ""): Fields => ({ metadata: { name: `{ns}${suffix}` }, ...fields });
const group = (name: string, plural: string): string => `/apis/${name}/v1/${plural}`;
const inGroup = (name: string, plural: string): string => `/apis/${name}/v1/namespaces/{ns}/${plural}`;
const core = (plural: string): string => `/api/v1/namespaces/{ns}/${plural}`;

const admission = "admissionregistration.k8s.io";
const rbac = "rbac.authorization.k8s.io";
const labels = { a: "b" };
const selector = { matchLabels: labels };
const podSpec = { containers: [{ name: "c", image: "i" }] };
const template = { metadata: { labels }, spec: podSpec };
const jobTemplate = { spec: { template: { spec: { ...podSpec, restartPolicy: "Never" } } } };
const target = { apiVersion: "apps/v1", kind: "Deployment", name: "d" };
const claim = { spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } } };
const webhook = {
  name: "a.example.com",
  clientConfig: { url: "https://127.0.0.1:1/x" },
  sideEffects: "None",
  admissionReviewVersions: ["v1"],
};
const rules = [
  { apiGroups: ["nobody.example.com"], apiVersions: ["v1"], operations: ["CREATE"], resources: ["nothings"] },
];

const kinds: Readonly<Record<string, Smallest>> = {
  ConfigMap: { at: paths.configmaps, body: named() },
  Endpoints: { at: core("endpoints"), body: named() },
  Event: { at: paths.events, body: named({ involvedObject: { namespace: "{ns}" } }) },
  LimitRange: { at: paths.limitranges, body: named() },
  Namespace: { at: "/api/v1/namespaces", body: wide({}, "-x") },
  Node: { at: "/api/v1/nodes", body: wide() },
  PersistentVolumeClaim: { at: paths.persistentvolumeclaims, body: named(claim) },
  PersistentVolume: {
    at: "/api/v1/persistentvolumes",
    body: wide({ spec: { capacity: { storage: "1Gi" }, accessModes: ["ReadWriteOnce"], hostPath: { path: "/x" } } }),
  },
  Pod: { at: paths.pods, body: named({ spec: podSpec }) },
  PodTemplate: { at: core("podtemplates"), body: named({ template }) },
  ReplicationController: { at: paths.replicationcontrollers, body: named({ spec: { template } }) },
  ResourceQuota: { at: paths.resourcequotas, body: named() },
  Secret: { at: paths.secrets, body: named() },
  ServiceAccount: { at: paths.serviceaccounts, body: named() },
  Service: { at: paths.services, body: named({ spec: { ports: [{ port: 1 }] } }) },
  ControllerRevision: { at: inGroup("apps", "controllerrevisions"), body: named({ revision: 1, data: { a: 1 } }) },
  DaemonSet: { at: paths.daemonsets, body: named({ spec: { selector, template } }) },
  Deployment: { at: paths.deployments, body: named({ spec: { selector, template } }) },
  ReplicaSet: { at: paths.replicasets, body: named({ spec: { selector, template } }) },
  StatefulSet: { at: paths.statefulsets, body: named({ spec: { selector, template } }) },
  "HorizontalPodAutoscaler (v2)": {
    at: "/apis/autoscaling/v2/namespaces/{ns}/horizontalpodautoscalers",
    body: named({ spec: { scaleTargetRef: target, maxReplicas: 1 } }),
  },
  "HorizontalPodAutoscaler (v1)": {
    at: "/apis/autoscaling/v1/namespaces/{ns}/horizontalpodautoscalers",
    body: named({ spec: { scaleTargetRef: target, maxReplicas: 1 } }),
  },
  CronJob: { at: paths.cronjobs, body: named({ spec: { schedule: "* * * * *", jobTemplate } }) },
  Job: { at: paths.jobs, body: named(jobTemplate) },
  IngressClass: {
    at: group("networking.k8s.io", "ingressclasses"),
    body: wide({ spec: { controller: "a.example.com/b" } }),
  },
  Ingress: {
    at: inGroup("networking.k8s.io", "ingresses"),
    body: named({ spec: { defaultBackend: { service: { name: "s", port: { number: 1 } } } } }),
  },
  NetworkPolicy: { at: inGroup("networking.k8s.io", "networkpolicies"), body: named({ spec: { podSelector: {} } }) },
  ServiceCIDR: { at: group("networking.k8s.io", "servicecidrs"), body: wide({ spec: { cidrs: ["10.200.0.0/24"] } }) },
  IPAddress: {
    at: group("networking.k8s.io", "ipaddresses"),
    body: {
      metadata: { name: "10.200.0.9" },
      spec: { parentRef: { resource: "services", namespace: "x", name: "y" } },
    },
  },
  PodDisruptionBudget: { at: paths.poddisruptionbudgets, body: named() },
  ClusterRoleBinding: {
    at: group(rbac, "clusterrolebindings"),
    body: wide({ roleRef: { apiGroup: rbac, kind: "ClusterRole", name: "r" } }),
  },
  ClusterRole: { at: group(rbac, "clusterroles"), body: wide() },
  RoleBinding: {
    at: inGroup(rbac, "rolebindings"),
    body: named({ roleRef: { apiGroup: rbac, kind: "Role", name: "r" } }),
  },
  Role: { at: inGroup(rbac, "roles"), body: named() },
  CSIDriver: { at: group("storage.k8s.io", "csidrivers"), body: wide({ spec: {} }) },
  CSINode: { at: group("storage.k8s.io", "csinodes"), body: wide({ spec: { drivers: [] } }) },
  CSIStorageCapacity: { at: inGroup("storage.k8s.io", "csistoragecapacities"), body: named({ storageClassName: "s" }) },
  StorageClass: { at: group("storage.k8s.io", "storageclasses"), body: wide({ provisioner: "a.example.com/b" }) },
  VolumeAttachment: {
    at: group("storage.k8s.io", "volumeattachments"),
    body: wide({ spec: { attacher: "a", nodeName: "n", source: { persistentVolumeName: "v" } } }),
  },
  VolumeAttributesClass: {
    at: group("storage.k8s.io", "volumeattributesclasses"),
    body: wide({ driverName: "a.example.com", parameters: { a: "b" } }),
  },
  MutatingWebhookConfiguration: {
    at: group(admission, "mutatingwebhookconfigurations"),
    body: wide({ webhooks: [{ ...webhook, rules }] }),
  },
  ValidatingWebhookConfiguration: {
    at: group(admission, "validatingwebhookconfigurations"),
    body: wide({ webhooks: [{ ...webhook, rules }] }),
  },
  ValidatingAdmissionPolicy: {
    at: group(admission, "validatingadmissionpolicies"),
    body: wide({
      spec: { matchConstraints: { resourceRules: rules }, validations: [{ expression: "true" }] },
    }),
  },
  ValidatingAdmissionPolicyBinding: {
    at: group(admission, "validatingadmissionpolicybindings"),
    body: wide({ spec: { policyName: "p", validationActions: ["Deny"] } }),
  },
  MutatingAdmissionPolicy: {
    at: group(admission, "mutatingadmissionpolicies"),
    body: wide({
      spec: {
        matchConstraints: { resourceRules: rules },
        reinvocationPolicy: "Never",
        mutations: [{ patchType: "ApplyConfiguration", applyConfiguration: { expression: "Object{}" } }],
      },
    }),
  },
  MutatingAdmissionPolicyBinding: {
    at: group(admission, "mutatingadmissionpolicybindings"),
    body: wide({ spec: { policyName: "p" } }),
  },
  CustomResourceDefinition: {
    differs: "definitions are refused, since their kinds would not be served",
    at: group("apiextensions.k8s.io", "customresourcedefinitions"),
    body: {
      metadata: { name: "as.smallest.example.com" },
      spec: {
        group: "smallest.example.com",
        scope: "Namespaced",
        names: { plural: "as", kind: "A" },
        versions: [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema: { type: "object" } } }],
      },
    },
  },
  PriorityClass: { at: group("scheduling.k8s.io", "priorityclasses"), body: wide({ value: 1 }) },
  Lease: { at: paths.leases, body: named() },
  RuntimeClass: { at: group("node.k8s.io", "runtimeclasses"), body: wide({ handler: "h" }) },
  EndpointSlice: {
    at: inGroup("discovery.k8s.io", "endpointslices"),
    body: named({ addressType: "IPv4", endpoints: [] }),
  },
  DeviceClass: { at: group("resource.k8s.io", "deviceclasses"), body: wide({ spec: {} }) },
  ResourceClaim: { at: inGroup("resource.k8s.io", "resourceclaims"), body: named({ spec: {} }) },
  ResourceClaimTemplate: {
    at: inGroup("resource.k8s.io", "resourceclaimtemplates"),
    body: named({ spec: { spec: {} } }),
  },
  ResourceSlice: {
    at: group("resource.k8s.io", "resourceslices"),
    body: wide({
      spec: { driver: "a.example.com", nodeName: "n", pool: { name: "p", generation: 1, resourceSliceCount: 1 } },
    }),
  },
  FlowSchema: {
    at: group("flowcontrol.apiserver.k8s.io", "flowschemas"),
    body: wide({ spec: { priorityLevelConfiguration: { name: "exempt" } } }),
  },
  PriorityLevelConfiguration: {
    at: group("flowcontrol.apiserver.k8s.io", "prioritylevelconfigurations"),
    body: wide({ spec: { type: "Limited", limited: { limitResponse: { type: "Reject" } } } }),
  },
};

export const smallest: Table = {
  name: "smallest",
  cases: Object.entries(kinds).map(([kind, { at, body, differs }]): Case => {
    const { name = "" } = body["metadata"] as { name?: string };
    return {
      name: kind,
      // Deleted, because other cases could notice the object.
      steps: [post(at, body), del(`${at}/${name}`)],
      ...(differs === undefined ? {} : { differs }),
    };
  }),
};
