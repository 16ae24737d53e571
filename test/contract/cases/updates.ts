/** The effects of updates: field managers, values that the server sets again, and the addresses of Services. */
import { del, get, patch, paths, pod, post, put, settle, type Step, type Table, workload } from "../case.ts";

const p = paths;
const volumes = "/api/v1/persistentvolumes";
const gates = [{ name: "example.com/a" }];
const exists = { key: "disk", operator: "Exists" };
const zoneIn = (...values: readonly string[]) => ({ matchExpressions: [{ key: "zone", operator: "In", values }] });
const nodeAffinity = (nodeSelectorTerms: readonly object[]): Record<string, unknown> => ({
  nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms } },
});
const podTerm = (keys: object): Record<string, unknown> => ({
  topologyKey: "zone",
  labelSelector: { matchExpressions: [{ key: "team", operator: "Exists" }] },
  ...keys,
});
const volumeOn = (name: string, requirement: object): { metadata: object; spec: Record<string, unknown> } => ({
  metadata: { name },
  spec: {
    capacity: { storage: "1Gi" },
    accessModes: ["ReadWriteOnce"],
    hostPath: { path: "/tmp/a" },
    nodeAffinity: { required: { nodeSelectorTerms: [{ matchExpressions: [requirement] }] } },
  },
});
type Named = Table["cases"][number];

const scales = (name: string, path: string, spec: Record<string, unknown>, ...steps: readonly Step[]): Named => ({
  name,
  steps: [post(path, workload("a", spec)), ...steps, get(`${path}/a`)],
});
const scaleTo = (path: string, replicas: number, query?: string): Step =>
  put(`${path}/a/scale`, { metadata: { name: "a" }, spec: { replicas } }, query);

const scaling: readonly Named[] = [
  scales("a scale to the same number", p.replicasets, { replicas: 2 }, scaleTo(p.replicasets, 2)),
  scales(
    "a scale to the same number, twice, by two managers",
    p.replicasets,
    { replicas: 2 },
    scaleTo(p.replicasets, 2, "fieldManager=one"),
    scaleTo(p.replicasets, 2, "fieldManager=two"),
  ),
  scales(
    "a scale to another number, and back by another manager",
    p.statefulsets,
    { replicas: 2 },
    scaleTo(p.statefulsets, 3, "fieldManager=one"),
    get(`${p.statefulsets}/a`),
    scaleTo(p.statefulsets, 2, "fieldManager=two"),
  ),
  scales(
    "after a scale to 0 nobody manages the replicas",
    p.deployments,
    { replicas: 2 },
    scaleTo(p.deployments, 0),
    get(`${p.deployments}/a`),
    scaleTo(p.deployments, 3),
  ),
  scales(
    "after a scale to 0 an update manages the replicas again",
    p.deployments,
    { replicas: 2 },
    scaleTo(p.deployments, 0),
    patch("merge", `${p.deployments}/a`, { spec: { replicas: 1 } }),
    scaleTo(p.deployments, 3),
  ),
  scales("a scale from 0", p.replicasets, { replicas: 0 }, scaleTo(p.replicasets, 0), scaleTo(p.replicasets, 1)),
];

const jobTemplate = { spec: { restartPolicy: "Never", containers: [{ name: "c", image: "i" }] } };
const job = (name: string, metadata: Record<string, unknown>, template: unknown): Named => ({
  name,
  steps: [
    post(p.jobs, { metadata: { name: "a", ...metadata }, spec: { template } }),
    patch("merge", `${p.jobs}/a`, {}),
    patch("merge", `${p.jobs}/a`, {}),
    get(p.jobs, "labelSelector=job-name%3Da"),
  ],
});
const appTemplate = { ...jobTemplate, metadata: { labels: { app: "a" } } };

const writtenAgain: readonly Named[] = [
  job("a Job without labels is changed by an empty patch", {}, jobTemplate),
  job("a Job with labels is not", { labels: { app: "a" } }, jobTemplate),
  job("a Job whose template has labels is not", {}, appTemplate),
  {
    name: "a pod's tolerations are replaced, except for the server's own",
    steps: [
      post(p.pods, pod("a", {}, { tolerations: [{ key: "t", operator: "Exists" }] })),
      patch("strategic", `${p.pods}/a`, { spec: { tolerations: [{ key: "t", operator: "Exists" }] } }),
    ],
  },
  {
    name: "a pod evicted twice",
    steps: [
      post(p.pods, pod("a", { finalizers: ["example.com/a"] })),
      post(`${p.pods}/a/eviction`, { metadata: { name: "a" } }),
      get(`${p.pods}/a`),
      post(`${p.pods}/a/eviction`, { metadata: { name: "a" } }),
      get(`${p.pods}/a`),
    ],
  },
  {
    name: "a pod's podIP and podIPs",
    steps: [
      post(p.pods, pod("a")),
      patch("merge", `${p.pods}/a/status`, { status: { podIP: "1.2.3.4" } }),
      patch("merge", `${p.pods}/a/status`, { status: { podIP: "1.2.3.5", podIPs: [{ ip: "1.2.3.4" }] } }),
    ],
  },
];

const goneInDryRun = (name: string, path: string, body: Record<string, unknown>): Named => ({
  name,
  steps: [
    post(path, { metadata: { name: "a", finalizers: ["orphan"] }, ...body }),
    del(`${path}/a`, { propagationPolicy: "Background", dryRun: ["All"] }),
    del(`${path}/a`, { propagationPolicy: "Background" }),
  ],
});

const roles = "/apis/rbac.authorization.k8s.io/v1/namespaces/{ns}/roles";

const ends: readonly Named[] = [
  goneInDryRun("a dry run of a deletion that removes a Job's finalizer", p.jobs, {
    spec: { template: jobTemplate },
  }),
  goneInDryRun("a dry run of a deletion that removes a ConfigMap's finalizer", p.configmaps, { data: { k: "v" } }),
  goneInDryRun("a dry run of a deletion that removes a Service's finalizer", p.services, {
    spec: { ports: [{ port: 80 }] },
  }),
  {
    name: "a Role loses its last finalizer and its rules in one update",
    steps: [
      post(roles, { metadata: { name: "a", finalizers: ["example.com/a"] }, rules: [] }),
      del(`${roles}/a`),
      put(`${roles}/a`, { metadata: { name: "a" }, rules: [] }),
    ],
  },
  {
    name: "a terminating LimitRange rejects new finalizers, with one error",
    steps: [
      post(p.limitranges, { metadata: { name: "a", finalizers: ["example.com/a"] }, spec: { limits: [] } }),
      del(`${p.limitranges}/a`),
      patch("merge", `${p.limitranges}/a`, { metadata: { finalizers: ["example.com/a", "example.com/b"] } }),
      patch("merge", `${p.limitranges}/a`, { metadata: { labels: { x: "not good" } } }),
    ],
  },
  {
    name: "a pod's new tolerations are validated twice",
    steps: [
      post(p.pods, pod("a")),
      patch("merge", `${p.pods}/a`, { spec: { tolerations: [{ key: "k", effect: "Never" }] } }),
    ],
  },
  {
    name: "a selector is printed with its labels first",
    steps: [
      post(
        p.replicasets,
        workload("a", { selector: { matchExpressions: [{ key: "app", operator: "In", values: ["a"] }] } }),
      ),
      patch("merge", `${p.replicasets}/a`, { spec: { selector: { matchLabels: { app: "b", a: "b" } } } }),
    ],
  },
];

const claim = (name: string, spec: Record<string, unknown>): unknown => ({
  metadata: { name },
  spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } }, ...spec },
});
const claims = `${p.persistentvolumeclaims}/a`;
const grows = (storage: string): Step => patch("merge", claims, { spec: { resources: { requests: { storage } } } });

const storage: readonly Named[] = [
  {
    name: "an unbound claim cannot grow or shrink",
    steps: [post(p.persistentvolumeclaims, claim("a", {})), grows("2Gi"), grows("500Mi"), patch("merge", claims, {})],
  },
  {
    name: "a bound claim can grow if its class allows it",
    steps: [
      post(p.persistentvolumeclaims, claim("a", { storageClassName: "slow-{ns}" })),
      post(p.persistentvolumeclaims, claim("b", { storageClassName: "grows-{ns}" })),
      post("/apis/storage.k8s.io/v1/storageclasses", {
        metadata: { name: "grows-{ns}" },
        provisioner: "example.com/p",
        allowVolumeExpansion: true,
      }),
      patch("merge", `${claims}/status`, { status: { phase: "Bound", capacity: { storage: "1Gi" } } }),
      patch("merge", `${p.persistentvolumeclaims}/b/status`, {
        status: { phase: "Bound", capacity: { storage: "1Gi" } },
      }),
      settle,
      grows("2Gi"),
      patch("merge", `${p.persistentvolumeclaims}/b`, { spec: { resources: { requests: { storage: "2Gi" } } } }),
      patch("merge", `${p.persistentvolumeclaims}/b`, { spec: { resources: { requests: { storage: "1Gi" } } } }),
      del("/apis/storage.k8s.io/v1/storageclasses/grows-{ns}"),
    ],
  },
  {
    name: "a claim's volume and class can be set once",
    steps: [
      post(p.persistentvolumeclaims, claim("a", {})),
      patch("merge", claims, { spec: { volumeName: "v", storageClassName: "fast" } }),
      patch("merge", claims, { spec: { volumeName: "w" } }),
      patch("merge", claims, { spec: { storageClassName: "slow" } }),
      patch("merge", claims, { spec: { volumeMode: "Block" } }),
    ],
  },
  {
    name: "claims with an invalid class and selector, and with two data sources",
    steps: [
      post(p.persistentvolumeclaims, { metadata: { name: "a" }, spec: {} }),
      post(p.persistentvolumeclaims, claim("a", { accessModes: ["ReadWriteOncePod", "ReadWriteOnce", "Else"] })),
      post(p.persistentvolumeclaims, claim("a", { resources: { requests: { storage: "-1" } }, volumeMode: "Else" })),
      post(
        p.persistentvolumeclaims,
        claim("a", { storageClassName: "Not good", selector: { matchLabels: { a: "!" } } }),
      ),
      post(
        p.persistentvolumeclaims,
        claim("a", {
          dataSource: { kind: "PersistentVolumeClaim", name: "b" },
          dataSourceRef: { kind: "Else", apiGroup: "example.com", name: "e" },
        }),
      ),
      post(p.persistentvolumeclaims, claim("a", { dataSource: { kind: "PersistentVolumeClaim", name: "b" } })),
      post(p.persistentvolumeclaims, claim("b", { dataSource: { kind: "Else", apiGroup: "example.com", name: "e" } })),
    ],
  },
];

const withInit = { initContainers: [{ name: "init", image: "i" }] };

const nodePods: readonly Named[] = [
  {
    name: "a pod's images are validated before its init containers are counted",
    steps: [
      post(p.pods, pod("a", {}, withInit)),
      put(`${p.pods}/a`, pod("a", {}, { containers: [{ name: "c", image: "" }] })),
      put(`${p.pods}/a`, pod("a", {}, { ...withInit, containers: [{ name: "c", image: " i" }] })),
    ],
  },
  {
    name: "an invalid change of a pod's deadline is the only error",
    steps: [
      post(p.pods, pod("a", {}, { activeDeadlineSeconds: 50 })),
      patch("merge", `${p.pods}/a`, { spec: { activeDeadlineSeconds: 60, hostname: "h" } }),
      patch("merge", `${p.pods}/a`, { spec: { activeDeadlineSeconds: -1, hostname: "h" } }),
      patch("merge", `${p.pods}/a`, { spec: { activeDeadlineSeconds: null, hostname: "h" } }),
    ],
  },
  {
    name: "a pod's scheduling gates can only be removed",
    steps: [
      post(p.pods, pod("a", {}, { schedulingGates: [{ name: "example.com/a" }, { name: "example.com/b" }] })),
      patch("merge", `${p.pods}/a`, { spec: { schedulingGates: [{ name: "example.com/c" }] } }),
      patch("merge", `${p.pods}/a`, { spec: { schedulingGates: [{ name: "example.com/a" }] } }),
    ],
  },
  {
    name: "a gated pod's choice of nodes can only be narrowed",
    steps: [
      post(p.pods, pod("a", {}, { schedulingGates: gates, nodeSelector: { disk: "ssd" } })),
      patch("merge", `${p.pods}/a`, { spec: { nodeSelector: { zone: "a" } } }),
      patch("merge", `${p.pods}/a`, { spec: { nodeSelector: { disk: "hdd" } } }),
      patch("merge", `${p.pods}/a`, { spec: { affinity: nodeAffinity([zoneIn("a", "b")]) } }),
      patch("merge", `${p.pods}/a`, { spec: { affinity: nodeAffinity([zoneIn("a", "b"), zoneIn("c")]) } }),
      patch("merge", `${p.pods}/a`, { spec: { affinity: nodeAffinity([zoneIn("c")]) } }),
      patch("merge", `${p.pods}/a`, {
        spec: { affinity: nodeAffinity([{ matchExpressions: [...zoneIn("a", "b").matchExpressions, exists] }]) },
      }),
      patch("merge", `${p.pods}/a`, { spec: { affinity: null } }),
      patch("merge", `${p.pods}/a`, { spec: { nodeSelector: { rack: "1" }, schedulingGates: [] } }),
      patch("merge", `${p.pods}/a`, { spec: { nodeSelector: { row: "1" } } }),
    ],
  },
  {
    name: "a pod's label keys are merged into its selectors",
    steps: [
      post(
        p.pods,
        pod(
          "a",
          { labels: { app: "a", hash: "h" } },
          {
            topologySpreadConstraints: [
              {
                maxSkew: 1,
                topologyKey: "zone",
                whenUnsatisfiable: "DoNotSchedule",
                labelSelector: { matchLabels: { app: "a" } },
                matchLabelKeys: ["hash", "none"],
              },
            ],
            affinity: {
              podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [podTerm({ matchLabelKeys: ["hash"] })] },
              podAntiAffinity: {
                preferredDuringSchedulingIgnoredDuringExecution: [
                  { weight: 1, podAffinityTerm: podTerm({ mismatchLabelKeys: ["hash"], matchLabelKeys: ["app"] }) },
                ],
              },
            },
          },
        ),
      ),
    ],
  },
  {
    name: "the node affinity of a volume does not change, except for beta labels",
    steps: [
      post(volumes, volumeOn("v", { key: "beta.kubernetes.io/os", operator: "In", values: ["linux"] })),
      patch("merge", `${volumes}/v`, volumeOn("v", { ...exists, key: "kubernetes.io/os" })),
      patch("merge", `${volumes}/v`, {
        spec: volumeOn("v", { key: "kubernetes.io/os", operator: "In", values: ["linux"] }).spec,
      }),
      patch("merge", `${volumes}/v`, { spec: { nodeAffinity: null } }),
      del(`${volumes}/v`),
    ],
  },
  {
    name: "pages of the pods with and without a node",
    steps: [
      ...["a", "b", "c"].map((name) => post(p.pods, pod(name, {}, name === "b" ? {} : { nodeName: "n" }))),
      get(p.pods, "fieldSelector=spec.nodeName%3D&limit=1"),
      get(p.pods, "fieldSelector=spec.nodeName%3Dn&limit=1"),
      get(p.pods, "fieldSelector=spec.nodeName%3Dn&limit=2"),
      get(p.pods, "fieldSelector=spec.nodeName!%3Dn&limit=1"),
    ],
  },
  {
    name: "a host port can be used once",
    steps: [
      post(
        p.pods,
        pod(
          "a",
          {},
          {
            hostNetwork: true,
            containers: ["c", "d"].map((name) => ({ name, image: "i", ports: [{ containerPort: 80 }] })),
          },
        ),
      ),
    ],
  },
];

const autoscalers = (version: string): string =>
  `/apis/autoscaling/${version}/namespaces/{ns}/horizontalpodautoscalers`;
const autoscaler = (spec: Record<string, unknown>): unknown => ({
  metadata: { name: "a" },
  spec: { scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "a" }, maxReplicas: 3, ...spec },
});
const cpu = { type: "Resource", resource: { name: "cpu", target: { type: "Utilization", averageUtilization: 50 } } };
const external = { type: "External", external: { metric: { name: "m" }, target: { type: "Value", value: "10" } } };
const current = {
  type: "Resource",
  resource: { name: "memory", current: { averageUtilization: 30, averageValue: "3m" } },
};

const versions: readonly Named[] = [
  {
    name: "metrics that another version reorders keep their manager",
    steps: [
      post(autoscalers("v2"), autoscaler({ metrics: [cpu, external] })),
      patch("merge", `${autoscalers("v1")}/a/status`, { status: { currentReplicas: 1, desiredReplicas: 1 } }),
      patch("merge", `${autoscalers("v1")}/a`, { metadata: { labels: { x: "y" } } }, "fieldManager=one"),
      get(`${autoscalers("v2")}/a`),
    ],
  },
  {
    name: "a status that a PUT leaves out is kept, but loses its manager if it is an annotation",
    steps: [
      post(autoscalers("v1"), autoscaler({})),
      patch("merge", `${autoscalers("v2")}/a/status`, { status: { currentMetrics: [current] } }, "fieldManager=one"),
      patch("merge", `${autoscalers("v1")}/a/status`, { status: { currentReplicas: 2 } }, "fieldManager=two"),
      put(`${autoscalers("v1")}/a`, autoscaler({ minReplicas: 2 })),
      put(`${autoscalers("v2")}/a`, autoscaler({ minReplicas: 1 })),
      get(`${autoscalers("v1")}/a`),
    ],
  },
];

const port = { port: 80 };
const serves = (name: string, spec: Record<string, unknown>, ...steps: readonly Step[]): Named => ({
  name: `a Service ${name}`,
  steps: [post(p.services, { metadata: { name: "a" }, spec }), ...steps],
});
const changed = (spec: Record<string, unknown>): Step => patch("merge", `${p.services}/a`, { spec });
const replaced = (spec: Record<string, unknown>): Step => put(`${p.services}/a`, { metadata: { name: "a" }, spec });
const headless = { clusterIP: "None" };
const elsewhere = { type: "ExternalName", externalName: "example.com" };

const services: readonly Named[] = [
  serves("without a selector gets one", headless, changed({ selector: { a: "b" } })),
  serves(
    "without a selector is replaced by one with a selector",
    headless,
    replaced({ ports: [port], selector: { a: "b" } }),
  ),
  serves("without a selector is set to SingleStack", headless, changed({ ipFamilyPolicy: "SingleStack" })),
  serves("that is headless stays so", { ...headless, selector: { a: "b" } }, changed({ ports: [port] })),
  serves("of type ExternalName becomes a ClusterIP", elsewhere, replaced({ ports: [port] })),
  serves("of type ExternalName becomes headless", elsewhere, replaced({ ...headless })),
  serves("of type ClusterIP becomes an ExternalName", { ports: [port] }, changed(elsewhere)),
  serves("of type ClusterIP is replaced by an ExternalName", { ports: [port] }, replaced(elsewhere)),
  serves(
    "of type ClusterIP is replaced by an ExternalName with clusterIP None",
    { ports: [port] },
    replaced({ ...elsewhere, ...headless }),
  ),
  serves("that is headless becomes an ExternalName", headless, replaced({ ...elsewhere, ...headless })),
  serves("cannot change its clusterIP", { ports: [port] }, changed({ clusterIP: "10.0.0.77" })),
  serves("with a null or empty clusterIP", { ports: [port] }, changed({ clusterIP: null }), changed({ clusterIP: "" })),
  serves("with null clusterIP and clusterIPs", { ports: [port] }, changed({ clusterIP: null, clusterIPs: null })),
  serves("cannot become headless", { ports: [port] }, changed(headless)),
  serves(
    "that is headless cannot get a clusterIP",
    { ...headless, ports: [port] },
    changed({ clusterIP: "10.0.0.78" }),
  ),
  serves("with PreferDualStack", { ports: [port], ipFamilyPolicy: "PreferDualStack" }),
  serves("changes to PreferDualStack", { ports: [port] }, changed({ ipFamilyPolicy: "PreferDualStack" })),
  serves("with RequireDualStack", { ports: [port], ipFamilyPolicy: "RequireDualStack" }),
  serves("changes to RequireDualStack", { ports: [port] }, changed({ ipFamilyPolicy: "RequireDualStack" })),
  serves("with an IP family that the server lacks", { ports: [port], ipFamilies: ["IPv6"] }),
  serves("with two families and SingleStack", { ports: [port], ipFamilies: ["IPv4", "IPv6"] }),
  serves("with the same family twice", { ports: [port], ipFamilies: ["IPv4", "IPv4"] }),
  serves("with an invalid family and policy", { ports: [port], ipFamilies: ["IPv5"], ipFamilyPolicy: "Any" }),
  serves("with only clusterIPs", { ports: [port], clusterIPs: ["10.0.0.79"] }),
  serves("with two clusterIPs", { ports: [port], clusterIP: "10.0.0.79", clusterIPs: ["10.0.0.79", "10.0.0.80"] }),
  serves("with a clusterIP that is not the first of its clusterIPs", {
    ports: [port],
    clusterIP: "10.0.0.79",
    clusterIPs: ["10.0.0.80"],
  }),
  serves("with clusterIPs None and an address", {
    ports: [port],
    clusterIP: "None",
    clusterIPs: ["None", "10.0.0.80"],
  }),
  serves(
    "gets the node port that it requests",
    { ports: [port] },
    changed({ type: "NodePort", ports: [{ ...port, nodePort: 30_101 }] }),
  ),
  serves(
    "requests a node port of another one",
    { type: "NodePort", ports: [{ ...port, nodePort: 30_104 }] },
    post(p.services, { metadata: { name: "b" }, spec: { type: "NodePort", ports: [{ ...port, nodePort: 30_104 }] } }),
    post(p.services, { metadata: { name: "b" }, spec: { ports: [port] } }),
    patch("merge", `${p.services}/b`, { spec: { type: "NodePort", ports: [{ ...port, nodePort: 30_104 }] } }),
  ),
  serves("requests an invalid node port", { type: "NodePort", ports: [{ ...port, nodePort: 80 }] }),
  serves(
    "requests an address of another one",
    { clusterIP: "10.0.77.1", ports: [port] },
    post(p.services, { metadata: { name: "b" }, spec: { clusterIP: "10.0.77.1", ports: [port] } }),
    post(p.services, { metadata: { name: "b" }, spec: elsewhere }),
    put(`${p.services}/b`, { metadata: { name: "b" }, spec: { clusterIP: "10.0.77.1", ports: [port] } }),
  ),
  serves("requests an address outside the range", { clusterIP: "10.9.9.9", ports: [port] }),
  serves(
    "keeps its node ports by name",
    { type: "NodePort", ports: [{ port: 80, name: "x", nodePort: 30_102 }] },
    replaced({ type: "NodePort", ports: [{ port: 81, name: "x" }] }),
  ),
  serves(
    "releases its node ports",
    { type: "NodePort", ports: [{ port: 80, nodePort: 30_103 }] },
    changed({ type: "ClusterIP" }),
  ),
];

export const updates: Table = {
  name: "updates",
  cases: [...scaling, ...writtenAgain, ...ends, ...storage, ...nodePods, ...versions, ...services],
};
