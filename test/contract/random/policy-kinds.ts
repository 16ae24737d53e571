/** Kinds that concern other objects: budgets, autoscalers, roles, quotas, Events. */
import { paths } from "../case.ts";
import type { Dice } from "./dice.ts";
import type { Body, RandomKind } from "./kind.ts";

const labels = { app: "a" };

const budgets: RandomKind = {
  name: "poddisruptionbudgets",
  path: paths.poddisruptionbudgets,
  body: (dice, name) => ({
    metadata: { name },
    spec: {
      minAvailable: dice.maybe(0.6, () => dice.one([0, 1, "50%", "150%", -1, "x"])),
      maxUnavailable: dice.maybe(0.4, () => dice.one([0, 1, "50%", "a%"])),
      selector: dice.maybe(0.8, () =>
        dice.one<Body>([
          { matchLabels: { nobody: "x" } },
          { matchLabels: { x: "1" } },
          { matchLabels: { nobody: "not good" } },
        ]),
      ),
      unhealthyPodEvictionPolicy: dice.maybe(0.2, () => dice.one(["AlwaysAllow", "IfHealthyBudget", "Never"])),
    },
  }),
  patches: (dice) => [["merge", { spec: { minAvailable: dice.one([1, 2, null]), maxUnavailable: null } }]],
  status: (dice) => ({
    observedGeneration: dice.below(3),
    disruptionsAllowed: dice.below(3) - (dice.chance(0.1) ? 3 : 0),
    currentHealthy: dice.below(3),
    desiredHealthy: dice.below(2),
    expectedPods: dice.below(3),
  }),
};

const target = (dice: Dice): Body => ({
  apiVersion: dice.maybe(0.9, () => "apps/v1"),
  kind: dice.chance(0.95) ? "Deployment" : "",
  name: dice.chance(0.95) ? "a" : "Not/A/Name",
});

const autoscalerBounds = (dice: Dice): Body => ({
  scaleTargetRef: target(dice),
  minReplicas: dice.maybe(0.5, () => dice.one([1, 2, 0, -1])),
  maxReplicas: dice.one([1, 3, 5, 0]),
});

const autoscalersV1: RandomKind = {
  name: "horizontalpodautoscalers.v1",
  path: "/apis/autoscaling/v1/namespaces/{ns}/horizontalpodautoscalers",
  body: (dice, name) => ({
    metadata: { name },
    spec: { ...autoscalerBounds(dice), targetCPUUtilizationPercentage: dice.maybe(0.5, () => dice.one([50, 80, 0])) },
  }),
  patches: (dice) => [
    ["merge", { spec: { targetCPUUtilizationPercentage: dice.one([40, null]) } }],
    ["merge", { spec: { maxReplicas: dice.below(6) } }],
  ],
  status: (dice) => ({
    currentReplicas: dice.below(3),
    desiredReplicas: dice.below(3),
    currentCPUUtilizationPercentage: dice.maybe(0.3, () => 50),
  }),
};

const metric = (dice: Dice): Body =>
  dice.one<Body>([
    {
      type: "Resource",
      resource: { name: "cpu", target: { type: "Utilization", averageUtilization: dice.one([50, 80, 0]) } },
    },
    {
      type: "Resource",
      resource: { name: "memory", target: { type: "AverageValue", averageValue: dice.one(["1Gi", "500M", "0"]) } },
    },
    { type: "Pods", pods: { metric: { name: "m" }, target: { type: "AverageValue", averageValue: "10" } } },
    {
      type: "Object",
      object: {
        metric: { name: "m" },
        describedObject: { kind: "Service", name: "a" },
        target: { type: "Value", value: "10" },
      },
    },
    {
      type: "External",
      external: { metric: { name: "m", selector: { matchLabels: labels } }, target: { type: "Value", value: "10" } },
    },
    {
      type: "ContainerResource",
      containerResource: { name: "cpu", container: "c", target: { type: "Utilization", averageUtilization: 50 } },
    },
    { type: "Resource" },
    { type: "Sideways" },
  ]);

const autoscalersV2: RandomKind = {
  name: "horizontalpodautoscalers.v2",
  path: "/apis/autoscaling/v2/namespaces/{ns}/horizontalpodautoscalers",
  body: (dice, name) => ({
    metadata: { name },
    spec: {
      ...autoscalerBounds(dice),
      metrics: dice.maybe(0.7, () => Array.from({ length: dice.below(3) }, () => metric(dice))),
      behavior: dice.maybe(0.3, () => ({
        scaleDown: dice.maybe(0.7, () => ({
          stabilizationWindowSeconds: dice.maybe(0.5, () => dice.one([0, 60, 4000])),
          selectPolicy: dice.maybe(0.3, () => dice.one(["Min", "Disabled", "Sideways"])),
          policies: dice.maybe(0.5, () => [
            { type: dice.one(["Pods", "Percent"]), value: dice.one([1, 0]), periodSeconds: dice.one([15, 4000]) },
          ]),
        })),
        scaleUp: dice.maybe(0.4, () => ({ stabilizationWindowSeconds: 10 })),
      })),
    },
  }),
  patches: (dice) => [
    ["merge", { spec: { metrics: dice.one([null, [], [metric(dice)]]) } }],
    ["merge", { spec: { behavior: null } }],
  ],
  status: (dice) => ({
    currentReplicas: dice.below(3),
    desiredReplicas: dice.below(3),
    currentMetrics: dice.maybe(0.4, () => [
      { type: "Resource", resource: { name: "cpu", current: { averageUtilization: 30, averageValue: "3m" } } },
    ]),
    conditions: dice.maybe(0.3, () => [
      { type: "AbleToScale", status: "True", lastTransitionTime: "2026-01-02T03:04:05Z", reason: "r", message: "m" },
    ]),
  }),
};

const rule = (dice: Dice): Body =>
  dice.one<Body>([
    { verbs: ["get"], apiGroups: [""], resources: ["pods"] },
    { verbs: ["get", "list"], apiGroups: ["apps"], resources: ["deployments"], resourceNames: ["a"] },
    { verbs: [], apiGroups: [""], resources: ["pods"] },
    { verbs: ["get"], nonResourceURLs: ["/healthz"] },
    { verbs: ["get"] },
    { verbs: ["*"], apiGroups: ["*"], resources: ["*"] },
  ]);

const rbac = (plural: string, wide: boolean): string =>
  `/apis/rbac.authorization.k8s.io/v1/${wide ? "" : "namespaces/{ns}/"}${plural}`;

function roles(name: string, wide: boolean): RandomKind {
  return {
    name,
    path: rbac(name, wide),
    ...(wide ? { clusterWide: true as const } : {}),
    body: (dice, object) => ({
      metadata: { name: object },
      rules: dice.maybe(0.9, () => Array.from({ length: dice.below(3) }, () => rule(dice))),
    }),
    patches: (dice) => [
      ["merge", { rules: [rule(dice)] }],
      ["json", [{ op: "add", path: "/rules/-", value: rule(dice) }]],
    ],
  };
}

const subject = (dice: Dice): Body =>
  dice.one<Body>([
    { kind: "User", name: "u" },
    { kind: "Group", name: "g" },
    { kind: "ServiceAccount", name: "a", namespace: "{ns}" },
    { kind: "ServiceAccount", name: "a" },
    { kind: "ServiceAccount", name: "Not Good", namespace: "x" },
    { kind: "User", name: "" },
    { kind: "Dog", name: "d" },
  ]);

function bindings(name: string, wide: boolean): RandomKind {
  return {
    name,
    path: rbac(name, wide),
    ...(wide ? { clusterWide: true as const } : {}),
    body: (dice, object) => ({
      metadata: { name: object },
      roleRef: dice.chance(0.95)
        ? {
            apiGroup: dice.maybe(0.7, () => "rbac.authorization.k8s.io"),
            kind: dice.chance(0.8) ? "ClusterRole" : dice.one(["Role", "Dog"]),
            name: dice.one(["a", "b"]),
          }
        : dice.one([undefined, { kind: "ClusterRole", name: "" }]),
      subjects: dice.maybe(0.9, () => Array.from({ length: dice.below(3) }, () => subject(dice))),
    }),
    patches: (dice) => [
      ["merge", { subjects: [subject(dice)] }],
      ["merge", { roleRef: { name: dice.one(["a", "b"]) } }],
    ],
  };
}

const priorityClasses: RandomKind = {
  name: "priorityclasses",
  path: "/apis/scheduling.k8s.io/v1/priorityclasses",
  clusterWide: true,
  body: (dice, name) => ({
    metadata: { name },
    value: dice.one([0, 10, 2_000_000_000, -5]),
    description: dice.maybe(0.3, () => dice.one(["d", "e"])),
    preemptionPolicy: dice.maybe(0.3, () => dice.one(["Never", "PreemptLowerPriority", "Sideways"])),
  }),
  patches: (dice) => [
    ["merge", { value: dice.one([0, 10]) }],
    ["merge", { description: dice.one(["d", null]) }],
    ["merge", { preemptionPolicy: "Never" }],
  ],
};

// In a separate namespace, because quotas and LimitRanges would affect the other objects, and only once the server's caches contain them.
const apart = (plural: string): string => `/api/v1/namespaces/{ns}-apart/${plural}`;

const quotas: RandomKind = {
  name: "resourcequotas",
  path: apart("resourcequotas"),
  body: (dice, name) => ({
    metadata: { name },
    spec: {
      hard: {
        [dice.one(["pods", "requests.cpu", "count/secrets", "cpu", "limits.memory", "nonsense", "a b"])]: dice.one([
          "1",
          "500m",
          "2Gi",
          "-1",
        ]),
      },
      scopes: dice.maybe(0.15, () => dice.some(["BestEffort", "NotBestEffort", "Terminating", "Sideways"])),
    },
  }),
  patches: (dice) => [["merge", { spec: { hard: { pods: dice.one(["1", "2", null]) } } }]],
};

const ranges: RandomKind = {
  name: "limitranges",
  path: apart("limitranges"),
  body: (dice, name) => ({
    metadata: { name },
    spec: {
      limits: [
        {
          type: dice.one(["Container", "Container", "Pod", "PersistentVolumeClaim", "Sideways!"]),
          max: dice.maybe(0.6, () => ({ cpu: dice.one(["1", "2"]) })),
          min: dice.maybe(0.5, () => ({ cpu: dice.one(["100m", "1500m"]) })),
          default: dice.maybe(0.4, () => ({ cpu: dice.one(["500m", "3"]) })),
          defaultRequest: dice.maybe(0.4, () => ({ cpu: dice.one(["200m", "700m"]) })),
        },
      ],
    },
  }),
};

const about = (dice: Dice): Body => ({
  kind: "Pod",
  name: "a",
  namespace: dice.chance(0.9) ? "{ns}" : "other",
  apiVersion: "v1",
});

const coreEvents: RandomKind = {
  name: "events.v1",
  path: paths.events,
  body: (dice, name) => ({
    metadata: { name },
    involvedObject: about(dice),
    reason: dice.one(["Created", "Killed"]),
    message: "m",
    type: dice.one(["Normal", "Warning"]),
    count: dice.maybe(0.5, () => dice.below(4)),
    source: dice.maybe(0.5, () => ({ component: "x" })),
    firstTimestamp: dice.maybe(0.3, () => "2026-01-02T03:04:05Z"),
    eventTime: dice.maybe(0.2, () => "2026-01-02T03:04:05.000006Z"),
    reportingComponent: dice.maybe(0.3, () => "example.com/x"),
    reportingInstance: dice.maybe(0.3, () => "x-1"),
    action: dice.maybe(0.3, () => "Do"),
  }),
  patches: (dice) => [["merge", { count: dice.below(5) }]],
  fields: [
    "involvedObject.name=a",
    "type=Warning",
    "reason=Created",
    "source=x",
    "reportingComponent=x",
    "involvedObject.uid=x",
  ],
};

const newEvents: RandomKind = {
  name: "events.events.k8s.io",
  path: "/apis/events.k8s.io/v1/namespaces/{ns}/events",
  body: (dice, name) => ({
    metadata: { name },
    regarding: about(dice),
    reason: dice.chance(0.95) ? dice.one(["Created", "Killed"]) : "",
    note: "m",
    type: dice.chance(0.95) ? dice.one(["Normal", "Warning"]) : "Loud",
    eventTime: dice.maybe(0.9, () => "2026-01-02T03:04:05.000006Z"),
    reportingController: dice.maybe(0.9, () => "example.com/x"),
    reportingInstance: dice.maybe(0.9, () => "x-1"),
    action: dice.maybe(0.9, () => "Do"),
    deprecatedCount: dice.maybe(0.05, () => 2),
    series: dice.maybe(0.1, () => ({ count: dice.one([1, 2]), lastObservedTime: "2026-01-02T03:04:06.000006Z" })),
  }),
  patches: (dice) => [
    ["merge", { series: { count: 2 + dice.below(3), lastObservedTime: "2026-01-02T03:04:07.000006Z" } }],
  ],
  fields: ["regarding.name=a", "type=Warning", "reportingController=example.com/x"],
};

export const policyKinds: readonly RandomKind[] = [
  budgets,
  autoscalersV1,
  autoscalersV2,
  roles("roles", false),
  roles("clusterroles", true),
  bindings("rolebindings", false),
  bindings("clusterrolebindings", true),
  priorityClasses,
  quotas,
  ranges,
  coreEvents,
  newEvents,
];
