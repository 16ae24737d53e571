/** Validation errors of the kinds around workloads, with all messages and causes. */
import { patch, paths, post, type Case, type Step, type Table } from "../case.ts";

type Fields = Readonly<Record<string, unknown>>;

const named = (spec: Fields, metadata: Fields = {}): Fields => ({ metadata: { name: "a", ...metadata }, spec });
const labels = { app: "a" };
const selector = { matchLabels: labels };
const podSpec = { containers: [{ name: "c", image: "i" }] };
const template = { metadata: { labels }, spec: podSpec };
const once = { ...podSpec, restartPolicy: "Never" };

/** Creates an object with each spec, as a dry run. */
const specs = (path: string, base: Fields, ...changes: readonly Fields[]): Step[] =>
  changes.map((change) => post(path, named({ ...base, ...change }), "dryRun=All"));
const bodies = (path: string, ...all: readonly Fields[]): Step[] => all.map((body) => post(path, body, "dryRun=All"));
/** Makes each change of one object, as a dry run. */
const updates = (path: string, ...changes: readonly Fields[]): Step[] =>
  changes.map((change) => patch("merge", path, change, "dryRun=All"));

const sets: readonly Case[] = [
  {
    name: "StatefulSets",
    steps: [
      ...specs(
        paths.statefulsets,
        { selector, template },
        { selector: undefined },
        { selector: { matchLabels: { app: "b" } } },
        { selector: { matchExpressions: [{ key: "app", operator: "Is" }] } },
        { replicas: -1, minReadySeconds: -1, revisionHistoryLimit: -1 },
        { podManagementPolicy: "Chaos" },
        { updateStrategy: { type: "Never" } },
        { updateStrategy: { type: "OnDelete", rollingUpdate: { partition: 1 } } },
        { updateStrategy: { type: "RollingUpdate", rollingUpdate: { partition: -1, maxUnavailable: 0 } } },
        { ordinals: { start: -1 } },
        { persistentVolumeClaimRetentionPolicy: { whenDeleted: "Perhaps", whenScaled: "Delete" } },
        { serviceName: "A_b" },
        { template: { ...template, spec: { ...podSpec, restartPolicy: "Never", activeDeadlineSeconds: 1 } } },
        { template: { spec: podSpec } },
        { volumeClaimTemplates: [{ metadata: { name: "V" }, spec: {} }] },
      ),
      post(paths.statefulsets, named({ selector, template, serviceName: "s" })),
      ...updates(
        `${paths.statefulsets}/a`,
        { spec: { serviceName: "t" } },
        { spec: { selector: { matchLabels: { b: "c" } } } },
        { spec: { podManagementPolicy: "Parallel" } },
        { spec: { replicas: 3, minReadySeconds: 4 } },
        { spec: { volumeClaimTemplates: [] } },
      ),
    ],
  },
  {
    name: "DaemonSets",
    steps: [
      ...specs(
        paths.daemonsets,
        { selector, template },
        { selector: undefined },
        { selector: {} },
        { selector: { matchLabels: { app: "b" } } },
        { minReadySeconds: -1, revisionHistoryLimit: -1 },
        { updateStrategy: { type: "Never" } },
        { updateStrategy: { rollingUpdate: { maxUnavailable: 0, maxSurge: 0 } } },
        { updateStrategy: { rollingUpdate: { maxUnavailable: "50%", maxSurge: 1 } } },
        { updateStrategy: { rollingUpdate: { maxUnavailable: "150%" } } },
        { updateStrategy: { rollingUpdate: { maxUnavailable: "x" } } },
        { updateStrategy: { rollingUpdate: { maxUnavailable: -1 } } },
        { template: { ...template, spec: { ...podSpec, restartPolicy: "OnFailure", activeDeadlineSeconds: 1 } } },
      ),
      post(paths.daemonsets, named({ selector, template })),
      ...updates(
        `${paths.daemonsets}/a`,
        { spec: { selector: { matchLabels: { b: "c" } } } },
        { spec: { minReadySeconds: 3 } },
      ),
    ],
  },
];

const claim = { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } };
const claims: readonly Case[] = [
  {
    name: "PersistentVolumeClaims",
    steps: specs(
      paths.persistentvolumeclaims,
      claim,
      {},
      { accessModes: [] },
      { accessModes: ["Any", "ReadWriteOnce"] },
      { accessModes: ["ReadWriteOncePod", "ReadOnlyMany"] },
      { resources: {} },
      { resources: { requests: { storage: "0" } } },
      { storageClassName: "A_" },
      { volumeMode: "Tape" },
      { selector: { matchExpressions: [{ key: "a", operator: "X" }] } },
    ),
  },
];

const jobSpec = { template: { spec: once } };
const jobs: readonly Case[] = [
  {
    name: "Jobs",
    steps: [
      ...specs(
        paths.jobs,
        jobSpec,
        { parallelism: -1, completions: -1, backoffLimit: -1, activeDeadlineSeconds: -1, ttlSecondsAfterFinished: -1 },
        { completionMode: "Other" },
        { completionMode: "Indexed" },
        { completionMode: "Indexed", completions: 5, parallelism: 200_000 },
        { backoffLimitPerIndex: 1 },
        { completionMode: "Indexed", completions: 5, backoffLimitPerIndex: 1, maxFailedIndexes: 6 },
        { maxFailedIndexes: 1 },
        { template: { spec: podSpec } },
        { template: { spec: { ...podSpec, restartPolicy: "OnFailure" } }, podFailurePolicy: { rules: [] } },
        { podFailurePolicy: { rules: [{ action: "Ignore" }] } },
        { podFailurePolicy: { rules: [{ action: "X", onExitCodes: { operator: "In", values: [] } }] } },
        {
          podFailurePolicy: {
            rules: [{ action: "Ignore", onExitCodes: { containerName: "z", operator: "In", values: [0] } }],
          },
        },
        { podFailurePolicy: { rules: [{ action: "FailIndex", onPodConditions: [{ type: "A!", status: "Maybe" }] }] } },
        { podReplacementPolicy: "Never" },
        { podReplacementPolicy: "TerminatingOrFailed", podFailurePolicy: { rules: [] } },
        { successPolicy: { rules: [] } },
        { completionMode: "Indexed", completions: 5, successPolicy: { rules: [{ succeededIndexes: "3-1" }] } },
        { managedBy: "no-slash" },
        { selector },
        { manualSelector: true },
        { manualSelector: true, selector, template: { metadata: { labels: { b: "c" } }, spec: once } },
      ),
      post(paths.jobs, named(jobSpec)),
      ...updates(
        `${paths.jobs}/a`,
        { spec: { completions: 3 } },
        { spec: { parallelism: 3, suspend: true, backoffLimit: 2 } },
        { spec: { completionMode: "Indexed" } },
        { spec: { selector: { matchLabels: { x: "y" } } } },
        { spec: { managedBy: "example.com/x" } },
        { spec: { activeDeadlineSeconds: 5, ttlSecondsAfterFinished: 5 } },
      ),
    ],
  },
  {
    name: "changes of immutable fields of Jobs",
    differs: "the real server prints its own types, with every field",
    steps: [
      post(paths.jobs, named(jobSpec)),
      ...updates(
        `${paths.jobs}/a`,
        { spec: { template: { metadata: { labels: { x: "y" } } } } },
        { spec: { podFailurePolicy: { rules: [] } } },
      ),
    ],
  },
  {
    name: "CronJobs",
    steps: [
      ...specs(
        paths.cronjobs,
        { schedule: "* * * * *", jobTemplate: { spec: jobSpec } },
        { schedule: "" },
        { schedule: "60 * * * *" },
        { schedule: "* * * *" },
        { schedule: "@every x" },
        { schedule: "TZ=UTC * * * * *" },
        { schedule: "CRON_TZ=UTC * * * * *", timeZone: "UTC" },
        { timeZone: "" },
        { timeZone: "Mars/Olympus" },
        { timeZone: "Local" },
        { timeZone: "../etc" },
        { startingDeadlineSeconds: -1, successfulJobsHistoryLimit: -1, failedJobsHistoryLimit: -1 },
        { concurrencyPolicy: "Sometimes" },
        { jobTemplate: { spec: { template: { spec: podSpec } } } },
        { jobTemplate: { spec: { ...jobSpec, parallelism: -1 } } },
        { jobTemplate: { spec: { ...jobSpec, manualSelector: true } } },
      ),
      post(paths.cronjobs, {
        metadata: { name: "n".repeat(53) },
        spec: { schedule: "@daily", jobTemplate: { spec: jobSpec } },
      }),
      post(paths.cronjobs, named({ schedule: "@daily", jobTemplate: { spec: jobSpec } })),
      ...updates(
        `${paths.cronjobs}/a`,
        { spec: { schedule: "x" } },
        { spec: { timeZone: "Nowhere" } },
        { spec: { suspend: true } },
      ),
    ],
  },
];

const scalers = (version: string): string => `/apis/autoscaling/${version}/namespaces/{ns}/horizontalpodautoscalers`;
const scaled = { apiVersion: "apps/v1", kind: "Deployment", name: "d" };
const cpu = (target: Fields): Fields => ({ type: "Resource", resource: { name: "cpu", target } });
const around: readonly Case[] = [
  {
    name: "HorizontalPodAutoscalers, at version 2",
    steps: specs(
      scalers("v2"),
      { scaleTargetRef: scaled, maxReplicas: 3 },
      { minReplicas: 0 },
      { minReplicas: -1, maxReplicas: 0 },
      { minReplicas: 5 },
      { scaleTargetRef: {} },
      { scaleTargetRef: { ...scaled, name: "a/b", kind: "%" } },
      { metrics: [cpu({ type: "Utilization" })] },
      { metrics: [cpu({ type: "Utilization", averageUtilization: 0 })] },
      { metrics: [cpu({ type: "AverageValue", averageValue: "0" })] },
      { metrics: [cpu({ type: "AverageValue", averageValue: "1", averageUtilization: 5 })] },
      { metrics: [cpu({ type: "Other", value: "1" })] },
      { metrics: [{ type: "Resource" }] },
      { metrics: [{ type: "X" }] },
      { metrics: [{ type: "Pods", pods: { metric: { name: "" }, target: { type: "AverageValue" } } }] },
      {
        metrics: [
          {
            type: "Object",
            object: { metric: { name: "m" }, describedObject: {}, target: { type: "Value", value: "1" } },
          },
        ],
      },
      { metrics: [{ type: "External", external: { metric: { name: "m/x" }, target: { type: "Value" } } }] },
      {
        metrics: [
          {
            type: "ContainerResource",
            containerResource: { name: "cpu", container: "", target: { type: "Utilization", averageUtilization: 1 } },
          },
        ],
      },
      { behavior: { scaleUp: { policies: [] } } },
      { behavior: { scaleUp: { selectPolicy: "Most", stabilizationWindowSeconds: -1 } } },
      {
        behavior: {
          scaleDown: { stabilizationWindowSeconds: 3601, policies: [{ type: "Pods", value: 0, periodSeconds: 0 }] },
        },
      },
      { behavior: { scaleDown: { policies: [{ type: "X", value: 1, periodSeconds: 1801 }] } } },
    ),
  },
  {
    name: "HorizontalPodAutoscalers, at version 1, and both versions of the same object",
    steps: [
      ...specs(
        scalers("v1"),
        { scaleTargetRef: scaled, maxReplicas: 3 },
        { minReplicas: 0, maxReplicas: 0 },
        { targetCPUUtilizationPercentage: 0 },
        { targetCPUUtilizationPercentage: -5, minReplicas: 9 },
        { scaleTargetRef: { kind: "", name: "" } },
      ),
      post(scalers("v1"), named({ scaleTargetRef: scaled, maxReplicas: 3, targetCPUUtilizationPercentage: 50 })),
      ...["v1", "v2"].map((version): Step => ({ method: "GET", path: `${scalers(version)}/a` })),
      patch("merge", `${scalers("v2")}/a`, {
        spec: {
          metrics: [
            cpu({ type: "Utilization", averageUtilization: 60 }),
            { type: "Resource", resource: { name: "memory", target: { type: "AverageValue", averageValue: "1Gi" } } },
          ],
        },
      }),
      ...["v1", "v2"].map((version): Step => ({ method: "GET", path: `${scalers(version)}/a` })),
      patch("merge", `${scalers("v1")}/a`, { spec: { targetCPUUtilizationPercentage: 70 } }),
      { method: "GET", path: `${scalers("v2")}/a` },
    ],
  },
  {
    name: "PodDisruptionBudgets",
    steps: [
      ...specs(
        paths.poddisruptionbudgets,
        { selector },
        { minAvailable: 1, maxUnavailable: 1 },
        { minAvailable: -1 },
        { minAvailable: "101%" },
        { minAvailable: "x" },
        { maxUnavailable: "-1%" },
        { unhealthyPodEvictionPolicy: "Never" },
        { selector: { matchLabels: { "a b": "c" } } },
        { selector: { matchExpressions: [{ key: "a", operator: "In" }] } },
      ),
      post(paths.poddisruptionbudgets, named({ minAvailable: 1, selector })),
      ...updates(
        `${paths.poddisruptionbudgets}/a`,
        { spec: { minAvailable: -1 } },
        { spec: { maxUnavailable: 1 } },
        { spec: { minAvailable: null, maxUnavailable: 1, selector: { matchLabels: { b: "c" } } } },
      ),
    ],
  },
];

const rbac = "rbac.authorization.k8s.io";
const roles = `/apis/${rbac}/v1/namespaces/{ns}/roles`;
const bindings = `/apis/${rbac}/v1/namespaces/{ns}/rolebindings`;
const wideRoles = `/apis/${rbac}/v1/clusterroles`;
const wideBindings = `/apis/${rbac}/v1/clusterrolebindings`;
const roleRef = { apiGroup: rbac, kind: "Role", name: "r" };
const rule = (fields: Fields): Fields => ({ metadata: { name: "a" }, rules: [fields] });
const bound = (fields: Fields): Fields => ({ metadata: { name: "a" }, roleRef, ...fields });
const rights: readonly Case[] = [
  {
    name: "Roles and ClusterRoles",
    steps: [
      ...bodies(
        roles,
        rule({}),
        rule({ verbs: [], apiGroups: [""], resources: ["pods"] }),
        rule({ verbs: ["get"], resources: ["pods"] }),
        rule({ verbs: ["get"], apiGroups: [""] }),
        rule({ verbs: ["get"], nonResourceURLs: ["/x"] }),
        rule({ verbs: ["get"], apiGroups: [""], resources: ["pods"], nonResourceURLs: ["/x"] }),
        { metadata: { name: "a/b" }, rules: [] },
        { metadata: { name: "system:x" }, rules: [] },
      ),
      ...bodies(
        wideRoles,
        rule({ verbs: ["get"], nonResourceURLs: ["/x"] }),
        rule({ verbs: ["get"], apiGroups: [""], resources: ["pods"], nonResourceURLs: ["/x"] }),
        rule({ verbs: [] }),
        { metadata: { name: "a" }, aggregationRule: { clusterRoleSelectors: [] } },
        {
          metadata: { name: "a" },
          aggregationRule: { clusterRoleSelectors: [{ matchExpressions: [{ key: "a", operator: "X" }] }] },
        },
      ),
    ],
  },
  {
    name: "RoleBindings and ClusterRoleBindings",
    steps: [
      ...bodies(
        bindings,
        bound({ roleRef: {} }),
        bound({ roleRef: { ...roleRef, kind: "Group" } }),
        bound({ roleRef: { ...roleRef, apiGroup: "x" } }),
        bound({ roleRef: { ...roleRef, name: "a/b" } }),
        bound({ subjects: [{ kind: "ServiceAccount", name: "s" }] }),
        bound({ subjects: [{ kind: "ServiceAccount", name: "S_", namespace: "n", apiGroup: "x" }] }),
        bound({ subjects: [{ kind: "User", name: "" }] }),
        bound({ subjects: [{ kind: "User", name: "u", apiGroup: "x" }] }),
        bound({ subjects: [{ kind: "Robot", name: "u" }] }),
        bound({ subjects: [{ kind: "Group", name: "g", namespace: "n" }] }),
      ),
      ...bodies(
        wideBindings,
        bound({}),
        bound({ roleRef: { ...roleRef, kind: "ClusterRole" }, subjects: [{ kind: "ServiceAccount", name: "s" }] }),
      ),
      post(bindings, bound({ subjects: [{ kind: "User", name: "u" }] })),
      ...updates(
        `${bindings}/a`,
        { roleRef: { name: "other" } },
        { roleRef: { kind: "ClusterRole" }, subjects: [{ kind: "X", name: "" }] },
        { subjects: null },
      ),
      post(wideBindings, { metadata: { name: "{ns}" }, roleRef: { ...roleRef, kind: "ClusterRole" } }),
      ...updates(`${wideBindings}/{ns}`, { roleRef: { name: "other" } }),
    ],
  },
];

const ingresses = "/apis/networking.k8s.io/v1/namespaces/{ns}/ingresses";
const policies = "/apis/networking.k8s.io/v1/namespaces/{ns}/networkpolicies";
const classes = "/apis/networking.k8s.io/v1/ingressclasses";
const backend = { service: { name: "s", port: { number: 80 } } };
const http = (...list: readonly Fields[]): Fields => ({ rules: [{ http: { paths: list } }] });
const way = (fields: Fields): Fields => ({ path: "/", pathType: "Prefix", backend, ...fields });
const network: readonly Case[] = [
  {
    name: "Ingresses",
    steps: [
      ...specs(
        ingresses,
        {},
        {},
        { defaultBackend: {} },
        { defaultBackend: { service: { name: "" } } },
        { defaultBackend: { service: { name: "A_", port: { number: 0, name: "" } } } },
        { defaultBackend: { service: { name: "s", port: { number: 1, name: "n" } } } },
        { defaultBackend: { service: { name: "s", port: { number: 70000 } } } },
        { defaultBackend: { service: { name: "s", port: { name: "Not_A_Port" } } } },
        { defaultBackend: { ...backend, resource: { kind: "K", name: "n" } } },
        { defaultBackend: { resource: { kind: "", name: "" } } },
        http(way({})),
        http(),
        http(way({ path: "x" })),
        http(way({ path: "" })),
        http(way({ pathType: undefined })),
        http(way({ pathType: "Regex" })),
        http(way({ path: "/a//b" }), way({ path: "/a/../b" }), way({ path: "/a/%2f" }), way({ path: "/a/." })),
        http(way({ path: "", pathType: "ImplementationSpecific" })),
        http(way({ path: "x", pathType: "ImplementationSpecific" })),
        http(way({ backend: {} })),
        {
          rules: [
            { host: "a" },
            { host: "*.a.b" },
            { host: "*" },
            { host: "A_b" },
            { host: "1.2.3.4" },
            { host: "a.*.b" },
          ],
        },
        { defaultBackend: backend, tls: [{ hosts: ["A_", "*.x.y"], secretName: "S_" }] },
        { defaultBackend: backend, ingressClassName: "A_" },
      ),
      post(
        ingresses,
        {
          metadata: { name: "a", annotations: { "kubernetes.io/ingress.class": "x" } },
          spec: { ingressClassName: "y", defaultBackend: backend },
        },
        "dryRun=All",
      ),
      post(ingresses, named({ defaultBackend: backend })),
      ...updates(
        `${ingresses}/a`,
        { spec: { defaultBackend: null } },
        { spec: { ingressClassName: "x" } },
        { metadata: { annotations: { "kubernetes.io/ingress.class": "x" } } },
      ),
    ],
  },
  {
    name: "IngressClasses",
    steps: [
      ...specs(
        classes,
        { controller: "a.example.com/b" },
        { controller: "" },
        { controller: "nobody" },
        { controller: "a.b/c d" },
        { parameters: { kind: "", name: "" } },
        { parameters: { kind: "K", name: "n", scope: "Other" } },
        { parameters: { kind: "K", name: "n", scope: "Namespace" } },
        { parameters: { kind: "K", name: "n", scope: "Cluster", namespace: "x" } },
        { parameters: { apiGroup: "A_", kind: "K", name: "n" } },
      ),
      post(classes, { metadata: { name: "{ns}" }, spec: { controller: "a.example.com/b" } }),
      ...updates(
        `${classes}/{ns}`,
        { spec: { controller: "a.example.com/c" } },
        { spec: { parameters: { kind: "K", name: "n" } } },
      ),
    ],
  },
  {
    name: "NetworkPolicies",
    steps: [
      ...specs(
        policies,
        { podSelector: {} },
        { podSelector: { matchLabels: { "a b": "c" } } },
        { podSelector: { matchExpressions: [{ key: "a", operator: "In" }] } },
        { policyTypes: ["Ingress", "Egress", "Sideways"] },
        { policyTypes: ["Sideways"] },
        { ingress: [{ ports: [{ port: 0 }, { port: 70000 }, { port: "Not_A_Port" }, { protocol: "ICMP" }] }] },
        {
          ingress: [
            {
              ports: [
                { port: 80, endPort: 70 },
                { endPort: 80 },
                { port: "http", endPort: 80 },
                { port: 80, endPort: 70000 },
              ],
            },
          ],
        },
        { ingress: [{ from: [{}] }] },
        { ingress: [{ from: [{ podSelector: {}, ipBlock: { cidr: "10.0.0.0/8" } }] }] },
        { ingress: [{ from: [{ podSelector: {}, namespaceSelector: {} }] }] },
        { ingress: [{ from: [{ namespaceSelector: { matchLabels: { "a b": "c" } } }] }] },
        { egress: [{ to: [{ ipBlock: { cidr: "" } }] }] },
        { egress: [{ to: [{ ipBlock: { cidr: "10.0.0.0" } }] }] },
        {
          egress: [
            { to: [{ ipBlock: { cidr: "10.0.0.0/8", except: ["11.0.0.0/8", "10.1.0.0/16", "10.0.0.0/8", "x"] } }] },
          ],
        },
        { egress: [{ ports: [{ port: 53, protocol: "UDP" }], to: [{ ipBlock: { cidr: "10.0.0.0/8" } }] }] },
        { egress: [{ to: [{}], ports: [{ port: -1 }] }] },
      ),
      post(policies, named({ podSelector: {} })),
      ...updates(`${policies}/a`, { spec: { policyTypes: ["X"] } }, { spec: { podSelector: { matchLabels: labels } } }),
    ],
  },
];

export const validation: Table = {
  name: "validation",
  cases: [...sets, ...claims, ...jobs, ...around, ...rights, ...network],
};
