/** Updates with several errors at once: kinds differ in which checks they make, and in which order. */
import { del, patch, post, type Table } from "../case.ts";

type Named = Table["cases"][number];

interface Wrong {
  readonly path: string;
  readonly sent: Readonly<Record<string, unknown>>;
  /** Changes that are sent together with an invalid label. */
  readonly wrong: Readonly<Record<string, unknown>>;
  readonly differs?: string;
}

const v1 = "/api/v1/namespaces/{ns}";
const apps = "/apis/apps/v1/namespaces/{ns}";
const rbac = "/apis/rbac.authorization.k8s.io/v1";
const named = { metadata: { name: "{ns}-a" } };
const reader = { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name: "reader" };
const containers = [{ name: "c", image: "i" }];
const event = { involvedObject: { namespace: "{ns}", kind: "Pod", name: "p" } };
const labels = { app: "a" };
const workload = { selector: { matchLabels: labels }, template: { metadata: { labels }, spec: { containers } } };
const otherSelector = { selector: { matchLabels: { app: "other" } } };

const printsTypes = "the real server prints its own types, with every field";

const kinds: Readonly<Record<string, Wrong>> = {
  ConfigMap: {
    path: `${v1}/configmaps`,
    sent: { immutable: true, data: { a: "1" } },
    wrong: { data: { a: "2", "b c": "3" } },
  },
  Secret: {
    path: `${v1}/secrets`,
    sent: { immutable: true, data: { a: "MQ==" } },
    wrong: { data: { a: "Mg==", "b c": "Mw==" } },
  },
  ServiceAccount: { path: `${v1}/serviceaccounts`, sent: {}, wrong: {} },
  Pod: { path: `${v1}/pods`, sent: { spec: { containers } }, wrong: { spec: { restartPolicy: "Sometimes" } } },
  PersistentVolumeClaim: {
    path: `${v1}/persistentvolumeclaims`,
    sent: { spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } } },
    wrong: { spec: { accessModes: ["Sometimes"] } },
  },
  LimitRange: {
    path: `${v1}/limitranges`,
    sent: { spec: { limits: [{ type: "Container", max: { cpu: "1" } }] } },
    wrong: { spec: { limits: [{ type: "Container", max: { cpu: "1" }, min: { cpu: "2" } }] } },
  },
  Service: {
    path: `${v1}/services`,
    sent: { spec: { ports: [{ port: 80 }] } },
    wrong: { spec: { clusterIP: "10.0.0.250", clusterIPs: ["10.0.0.250"], ports: [{ port: 0 }] } },
  },
  Event: { path: `${v1}/events`, sent: event, wrong: { involvedObject: { namespace: "elsewhere" } } },
  Node: {
    path: "/api/v1/nodes",
    sent: { ...named, spec: { podCIDR: "10.9.0.0/24" } },
    wrong: { spec: { podCIDR: "10.9.1.0/24", podCIDRs: ["10.9.1.0/24"], taints: [{ key: "a", effect: "Sometimes" }] } },
  },
  Deployment: {
    path: `${apps}/deployments`,
    sent: { spec: { replicas: 0, ...workload } },
    wrong: { spec: { replicas: -1, ...otherSelector } },
  },
  DaemonSet: {
    path: `${apps}/daemonsets`,
    sent: { spec: workload },
    wrong: { spec: { minReadySeconds: -1, ...otherSelector } },
  },
  StatefulSet: {
    path: `${apps}/statefulsets`,
    sent: { spec: { replicas: 0, ...workload } },
    wrong: { spec: { replicas: -1, serviceName: "other" } },
  },
  ControllerRevision: {
    path: `${apps}/controllerrevisions`,
    sent: { revision: 1, data: { a: 1 } },
    wrong: { revision: -1, data: { a: 2 } },
  },
  Job: {
    path: "/apis/batch/v1/namespaces/{ns}/jobs",
    sent: { spec: { suspend: true, completions: 1, template: { spec: { restartPolicy: "Never", containers } } } },
    wrong: { spec: { completions: 2, parallelism: -1 } },
  },
  PodDisruptionBudget: {
    path: "/apis/policy/v1/namespaces/{ns}/poddisruptionbudgets",
    sent: { spec: { minAvailable: 1 } },
    wrong: { spec: { minAvailable: -1 } },
  },
  Role: {
    path: `${rbac}/namespaces/{ns}/roles`,
    sent: { rules: [{ verbs: ["get"], apiGroups: [""], resources: ["pods"] }] },
    wrong: { rules: [{ apiGroups: [""], resources: ["pods"] }] },
  },
  RoleBinding: {
    path: `${rbac}/namespaces/{ns}/rolebindings`,
    sent: { roleRef: reader },
    wrong: { roleRef: { ...reader, name: "writer" }, subjects: [{ kind: "Group", name: "" }] },
  },
  IngressClass: {
    path: "/apis/networking.k8s.io/v1/ingressclasses",
    sent: { ...named, spec: { controller: "acme.io/one" } },
    wrong: { spec: { controller: "acme.io/two", parameters: { kind: "", name: "" } } },
  },
  PriorityClass: {
    path: "/apis/scheduling.k8s.io/v1/priorityclasses",
    sent: { ...named, value: 1 },
    wrong: { value: 2, preemptionPolicy: "Sometimes" },
  },
  StorageClass: {
    path: "/apis/storage.k8s.io/v1/storageclasses",
    sent: { ...named, provisioner: "acme.io/one" },
    wrong: { provisioner: "acme.io/two", allowedTopologies: [{ matchLabelExpressions: [{ key: "", values: [] }] }] },
  },
  ReplicaSet: {
    path: `${apps}/replicasets`,
    sent: { spec: { replicas: 0, ...workload } },
    wrong: { spec: { replicas: -1, ...otherSelector } },
  },
  ReplicationController: {
    path: `${v1}/replicationcontrollers`,
    sent: { spec: { replicas: 0, selector: labels, template: workload.template } },
    wrong: { spec: { replicas: -1 } },
  },
  PodTemplate: {
    path: `${v1}/podtemplates`,
    sent: { template: workload.template },
    wrong: { template: { spec: { restartPolicy: "Sometimes" } } },
  },
  Endpoints: {
    path: `${v1}/endpoints`,
    sent: { subsets: [{ addresses: [{ ip: "10.1.1.1" }] }] },
    wrong: { subsets: [{ addresses: [{ ip: "x" }] }] },
  },
  ResourceQuota: {
    path: `${v1}/resourcequotas`,
    sent: { spec: { hard: { pods: "1" }, scopes: ["Terminating"] } },
    wrong: { spec: { hard: { pods: "-1" }, scopes: ["NotTerminating"] } },
  },
  Namespace: { path: "/api/v1/namespaces", sent: named, wrong: {} },
  PersistentVolume: {
    path: "/api/v1/persistentvolumes",
    sent: {
      ...named,
      spec: { accessModes: ["ReadWriteOnce"], capacity: { storage: "1Gi" }, hostPath: { path: "/a" } },
    },
    wrong: { spec: { accessModes: ["Sometimes"], hostPath: { path: "/b" } } },
  },
  CronJob: {
    path: "/apis/batch/v1/namespaces/{ns}/cronjobs",
    sent: {
      spec: {
        schedule: "0 0 1 1 *",
        suspend: true,
        jobTemplate: { spec: { template: { spec: { restartPolicy: "Never", containers } } } },
      },
    },
    wrong: { spec: { schedule: "never" } },
  },
  HorizontalPodAutoscaler: {
    path: "/apis/autoscaling/v2/namespaces/{ns}/horizontalpodautoscalers",
    sent: { spec: { maxReplicas: 1, scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "a" } } },
    wrong: { spec: { maxReplicas: -1 } },
  },
  Lease: {
    path: "/apis/coordination.k8s.io/v1/namespaces/{ns}/leases",
    sent: { spec: { leaseDurationSeconds: 1 } },
    wrong: { spec: { leaseDurationSeconds: -1 } },
  },
  NetworkPolicy: {
    path: "/apis/networking.k8s.io/v1/namespaces/{ns}/networkpolicies",
    sent: { spec: { podSelector: {} } },
    wrong: { spec: { policyTypes: ["Sometimes"] } },
  },
  Ingress: {
    path: "/apis/networking.k8s.io/v1/namespaces/{ns}/ingresses",
    sent: { spec: { defaultBackend: { service: { name: "a", port: { number: 80 } } } } },
    wrong: { spec: { defaultBackend: { service: { name: "A" } } } },
  },
  RuntimeClass: {
    path: "/apis/node.k8s.io/v1/runtimeclasses",
    sent: { ...named, handler: "one" },
    wrong: { handler: "No" },
  },
  CSIDriver: {
    path: "/apis/storage.k8s.io/v1/csidrivers",
    sent: { ...named, spec: { attachRequired: true } },
    wrong: { spec: { attachRequired: false, fsGroupPolicy: "Sometimes" } },
  },
  CSINode: {
    path: "/apis/storage.k8s.io/v1/csinodes",
    sent: { ...named, spec: { drivers: [{ name: "acme.io", nodeID: "a" }] } },
    wrong: { spec: { drivers: [{ name: "acme.io", nodeID: "" }] } },
  },
  CSIStorageCapacity: {
    path: "/apis/storage.k8s.io/v1/namespaces/{ns}/csistoragecapacities",
    sent: { storageClassName: "one", capacity: "1Gi" },
    wrong: { storageClassName: "Two", capacity: "-1Gi" },
  },
  VolumeAttachment: {
    path: "/apis/storage.k8s.io/v1/volumeattachments",
    sent: { ...named, spec: { attacher: "acme.io", nodeName: "n", source: { persistentVolumeName: "v" } } },
    wrong: { spec: { attacher: "acme.io", nodeName: "No", source: { persistentVolumeName: "v" } } },
    differs: printsTypes,
  },
  VolumeAttributesClass: {
    path: "/apis/storage.k8s.io/v1/volumeattributesclasses",
    sent: { ...named, driverName: "acme.io", parameters: { a: "b" } },
    wrong: { driverName: "-", parameters: { a: "c" } },
  },
  EndpointSlice: {
    path: "/apis/discovery.k8s.io/v1/namespaces/{ns}/endpointslices",
    sent: { addressType: "IPv4", endpoints: [] },
    wrong: { addressType: "IPv6", endpoints: [{ addresses: [] }] },
  },
  FlowSchema: {
    path: "/apis/flowcontrol.apiserver.k8s.io/v1/flowschemas",
    sent: { ...named, spec: { priorityLevelConfiguration: { name: "a" }, matchingPrecedence: 9000 } },
    wrong: { spec: { matchingPrecedence: -1 } },
  },
  PriorityLevelConfiguration: {
    path: "/apis/flowcontrol.apiserver.k8s.io/v1/prioritylevelconfigurations",
    sent: { ...named, spec: { type: "Limited", limited: { limitResponse: { type: "Reject" } } } },
    wrong: { spec: { limited: { nominalConcurrencyShares: -1 } } },
  },
  ValidatingWebhookConfiguration: {
    path: "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations",
    sent: named,
    wrong: { webhooks: [{ name: "no" }] },
  },
  ValidatingAdmissionPolicyBinding: {
    path: "/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicybindings",
    sent: { ...named, spec: { policyName: "a", validationActions: ["Audit"] } },
    wrong: { spec: { policyName: "", validationActions: [] } },
  },
  DeviceClass: {
    path: "/apis/resource.k8s.io/v1/deviceclasses",
    sent: { ...named, spec: {} },
    wrong: { spec: { selectors: [{}] } },
  },
  ResourceClaim: {
    path: "/apis/resource.k8s.io/v1/namespaces/{ns}/resourceclaims",
    sent: { spec: {} },
    wrong: { spec: { devices: { requests: [{ name: "No" }] } } },
    differs: printsTypes,
  },
  ResourceClaimTemplate: {
    path: "/apis/resource.k8s.io/v1/namespaces/{ns}/resourceclaimtemplates",
    sent: { spec: { spec: {} } },
    wrong: { spec: { spec: { devices: { requests: [{ name: "No" }] } } } },
    differs: printsTypes,
  },
  ClusterRole: {
    path: `${rbac}/clusterroles`,
    sent: named,
    wrong: { rules: [{ apiGroups: [""], resources: ["pods"] }] },
  },
  ClusterRoleBinding: {
    path: `${rbac}/clusterrolebindings`,
    sent: { ...named, roleRef: { ...reader, kind: "ClusterRole" } },
    wrong: { roleRef: { ...reader, kind: "ClusterRole", name: "writer" }, subjects: [{ kind: "Group", name: "" }] },
  },
};

const isClusterScoped = ({ path }: Wrong): boolean => !path.includes("{ns}");

function updateOf(kind: string, each: Wrong): Named {
  const { path, sent, wrong, differs } = each;
  const name = isClusterScoped(each) ? "{ns}-a" : "a";
  return {
    name: `an update with several errors: ${kind}`,
    steps: [
      post(path, { metadata: { name }, ...sent }),
      patch("merge", `${path}/${name}`, { metadata: { labels: { a: "-" } }, ...wrong }),
      ...(isClusterScoped(each) ? [del(`${path}/${name}`)] : []),
    ],
    ...(differs === undefined ? {} : { differs }),
  };
}

const labelled = { metadata: { name: "a", labels: { a: "-" } } };
const budgets = "/apis/policy/v1/namespaces/{ns}/poddisruptionbudgets";

export const validationOrder: Table = {
  name: "validation-order",
  cases: [
    ...Object.entries(kinds).map(([kind, each]) => updateOf(kind, each)),
    {
      name: "new objects whose metadata is validated last",
      steps: [
        post(budgets, { ...labelled, spec: { minAvailable: -1 } }),
        post(budgets, { ...labelled, spec: { minAvailable: 1 } }),
        post(`${v1}/events`, { ...labelled, involvedObject: { namespace: "elsewhere" } }),
        post(`${v1}/events`, { ...labelled, ...event }),
      ],
    },
    {
      name: "new objects whose metadata is validated first",
      steps: [
        post(`${v1}/configmaps`, { ...labelled, data: { "a b": "1" } }),
        post(`${v1}/services`, { ...labelled, spec: { ports: [{ port: 0 }] } }),
      ],
    },
  ],
};
