/** Scheduling constraints and resource requests. */
import { type Case } from "../../case.ts";
import { container, containers, pods } from "./one-pod-each.ts";

export const scheduling: readonly Case[] = [
  pods(
    "node affinity",
    { affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [] } } } },
    {
      affinity: {
        nodeAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: {
            nodeSelectorTerms: [{ matchExpressions: [{ key: "a b", operator: "In", values: ["c d"] }] }],
          },
          preferredDuringSchedulingIgnoredDuringExecution: [
            { weight: 0, preference: { matchExpressions: [{ key: "a", operator: "In", values: ["c d"] }] } },
            { weight: 101, preference: { matchFields: [{ key: "a", operator: "Exists" }] } },
          ],
        },
      },
    },
  ),
  pods("pod affinity", {
    affinity: {
      podAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: [
          {},
          {
            topologyKey: "a b",
            namespaces: ["A_b"],
            labelSelector: { matchLabels: { a: "b c" } },
            namespaceSelector: { matchExpressions: [{ key: "a", operator: "Like" }] },
          },
        ],
      },
      podAntiAffinity: {
        preferredDuringSchedulingIgnoredDuringExecution: [
          { weight: 0, podAffinityTerm: { topologyKey: "a", matchLabelKeys: ["b"] } },
          {
            weight: 1,
            podAffinityTerm: {
              topologyKey: "a",
              labelSelector: { matchLabels: { b: "c" } },
              matchLabelKeys: ["d", "e f"],
              mismatchLabelKeys: ["d"],
            },
          },
        ],
      },
    },
  }),
  pods(
    "topology spread constraints",
    { topologySpreadConstraints: [{}] },
    {
      topologySpreadConstraints: [
        { maxSkew: 1, topologyKey: "a", whenUnsatisfiable: "ScheduleAnyway", minDomains: 0 },
        {
          maxSkew: 1,
          topologyKey: "a",
          whenUnsatisfiable: "ScheduleAnyway",
          nodeAffinityPolicy: "A",
          nodeTaintsPolicy: "B",
          matchLabelKeys: ["a"],
          labelSelector: { matchLabels: { "a b": "c" } },
        },
        { maxSkew: 1, topologyKey: "b", whenUnsatisfiable: "DoNotSchedule", matchLabelKeys: ["a"] },
      ],
    },
  ),
  pods("tolerations", {
    tolerations: [
      {},
      { key: "a b", operator: "Like" },
      { key: "a", value: "b c" },
      { key: "a", operator: "Exists", value: "b", effect: "No" },
      { key: "a", operator: "Gt", value: "1", tolerationSeconds: 1 },
    ],
  }),
  pods(
    "scheduling gates and readiness gates",
    { schedulingGates: [{ name: "" }, { name: "a" }, { name: "a" }, { name: "b c" }] },
    { readinessGates: [{ conditionType: "a b" }, {}] },
  ),
];

export const resources: readonly Case[] = [
  containers(
    "resources of containers",
    { resources: { requests: { gpu: "1" } } },
    { resources: { limits: { cpu: "-1" } } },
    { resources: { requests: { cpu: "2" }, limits: { cpu: "1" } } },
    { resources: { requests: { "a.com/b": "1" } } },
    { resources: { limits: { "a.com/b": "1500m" } } },
    { resources: { requests: { "a.com/b": "1" }, limits: { "a.com/b": "2" } } },
    { resources: { limits: { "requests.a.com/b": "1" } } },
    { resources: { limits: { "hugepages-2Mi": "2Mi" } } },
    { resources: { limits: { "hugepages-2Mi": "3Mi", cpu: "1" } } },
    { resources: { limits: { "a b/c": "1" } } },
  ),
  pods(
    "resources of pods",
    { resources: { limits: { "ephemeral-storage": "1" } } },
    { resources: { claims: [{ name: "a" }] } },
    { resources: { requests: { cpu: "1" } }, containers: [{ ...container, resources: { requests: { cpu: "2" } } }] },
    { resources: { limits: { cpu: "1" } }, containers: [{ ...container, resources: { limits: { cpu: "2" } } }] },
    {
      resources: { limits: { cpu: "1", "hugepages-2Mi": "2Mi" } },
      containers: [{ ...container, resources: { limits: { "hugepages-2Mi": "4Mi", cpu: "1" } } }],
    },
  ),
  containers(
    "restart policies of containers",
    { restartPolicy: "Sometimes" },
    { restartPolicyRules: [{ action: "Restart" }] },
    {
      restartPolicy: "Never",
      restartPolicyRules: [{}, { action: "Stop", exitCodes: { operator: "Like", values: [1] } }],
    },
    { restartPolicy: "Never", restartPolicyRules: Array.from({ length: 21 }, () => ({ action: "Restart" })) },
    { resizePolicy: [{}, { resourceName: "gpu", restartPolicy: "Always" }] },
  ),
  pods(
    "restart policies of init containers",
    { initContainers: [{ name: "i", image: "i", restartPolicyRules: [{}] }] },
    { initContainers: [{ name: "i", image: "i", restartPolicy: "Sometimes", restartPolicyRules: [{}] }] },
    {
      restartPolicy: "Never",
      containers: [{ ...container, resizePolicy: [{ resourceName: "cpu", restartPolicy: "RestartContainer" }] }],
      initContainers: [{ ...container, resizePolicy: [{ resourceName: "cpu", restartPolicy: "RestartContainer" }] }],
    },
  ),
  pods("ports", {
    hostNetwork: true,
    containers: [
      {
        ...container,
        ports: [{ containerPort: 80, hostPort: 81 }, { name: "a--b" }, { containerPort: 65536, protocol: "ICMP" }],
      },
      {
        name: "d",
        image: "i",
        ports: [
          { name: "a", containerPort: 81, hostPort: 81 },
          { name: "a", containerPort: 82 },
        ],
      },
    ],
  }),
];
