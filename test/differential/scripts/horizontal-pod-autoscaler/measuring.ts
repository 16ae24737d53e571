/** Measured metrics, and the outcome for an autoscaler whose metrics are unavailable. */
import type { Script } from "../../suite.ts";
import { autoscaler, begin, change, cpu, load, runPod, say, scaleTo, step, workload } from "./acts.ts";

const memory = (target: object): object => ({ type: "Resource", resource: { name: "memory", target } });
const qps = { name: "qps" };
const ofPods = (averageValue: string): object => ({
  type: "Pods",
  pods: { metric: qps, target: { type: "AverageValue", averageValue } },
});
const ofObject = (target: object, describedObject: object = { apiVersion: "v1", kind: "Service", name: "web" }) => ({
  type: "Object",
  object: { describedObject, metric: qps, target },
});
/** The metric of an object with a selector. */
const selecting = ({ type, object }: ReturnType<typeof ofObject>, selector: object): object => ({
  type,
  object: { ...object, metric: { ...qps, selector } },
});
const external = (target: object, more: object = {}): object => ({
  type: "External",
  external: { metric: { name: "depth", ...more }, target },
});

/** One script each: every sync records two Events, and after 25 of one object more are dropped as spam. */
const refusedSelectors = {
  "a value with a slash": external(
    { type: "AverageValue", averageValue: "10" },
    { selector: { matchLabels: { path: "/api/v1" } } },
  ),
  "an unknown operator": external(
    { type: "Value", value: "10" },
    { selector: { matchExpressions: [{ key: "app", operator: "Equals", values: ["web"] }] } },
  ),
  "a key with two slashes": selecting(ofObject({ type: "AverageValue", averageValue: "10" }), {
    matchLabels: { "a/b/c": "x" },
  }),
  "an operator without its values": selecting(ofObject({ type: "Value", value: "10" }), {
    matchExpressions: [{ key: "app", operator: "In" }],
  }),
};

const service = step("create a Service", (stage) =>
  stage.create("services", { metadata: { name: "web" }, spec: { ports: [{ port: 80 }] } }),
);

export const measuring: readonly Script[] = [
  {
    name: "memory, as AverageValue and Utilization",
    steps: [
      begin({ metrics: [memory({ type: "AverageValue", averageValue: "100Mi" })] }, { use: { memory: "300Mi" } }),
      change({ metrics: [memory({ type: "Utilization", averageUtilization: 100 })] }),
      load({ memory: "1001Ki" }),
    ],
  },
  {
    name: "CPU as AverageValue",
    steps: [
      begin(
        {
          metrics: [
            { type: "Resource", resource: { name: "cpu", target: { type: "AverageValue", averageValue: "30m" } } },
          ],
        },
        { use: { cpu: "100m" } },
      ),
      load({ cpu: "200m" }),
    ],
  },
  {
    name: "a container's CPU",
    steps: [
      begin(
        {
          metrics: [
            {
              type: "ContainerResource",
              containerResource: {
                name: "cpu",
                container: "web",
                target: { type: "Utilization", averageUtilization: 50 },
              },
            },
          ],
        },
        { use: { cpu: "200m" } },
      ),
      change({
        metrics: [
          {
            type: "ContainerResource",
            containerResource: {
              name: "cpu",
              container: "none",
              target: { type: "Utilization", averageUtilization: 50 },
            },
          },
        ],
      }),
    ],
  },
  {
    name: "a pods metric",
    steps: [
      begin({ metrics: [ofPods("20")] }, { use: { "metric.qps": "60" } }),
      load({ "metric.qps": "170" }),
      load({ "metric.qps": null }),
      load({ "metric.qps": "1" }),
    ],
  },
  {
    name: "an object metric, as Value and AverageValue",
    steps: [
      service,
      step("set its metric", (stage) => say(stage, "services/web", { "metric.qps": "30" })),
      begin({ metrics: [ofObject({ type: "Value", value: "20" })] }),
      step("increase its metric", (stage) => say(stage, "services/web", { "metric.qps": "55" })),
      change({ metrics: [ofObject({ type: "AverageValue", averageValue: "10" })] }),
    ],
  },
  {
    name: "an object metric of the namespace",
    steps: [
      step("set its metric", (stage) => say(stage, "namespaces", { "metric.qps": "45" })),
      begin({
        metrics: [ofObject({ type: "Value", value: "20" }, { apiVersion: "v1", kind: "Namespace", name: "other" })],
      }),
    ],
  },
  {
    name: "an external metric, as AverageValue and Value",
    steps: [
      step("set the metric", (stage) => say(stage, "namespaces", { "external.depth": "35" })),
      begin({ metrics: [external({ type: "AverageValue", averageValue: "10" })] }),
      change({ metrics: [external({ type: "Value", value: "20" })] }),
      step("remove the metric", (stage) => say(stage, "namespaces", { "external.depth": null })),
      step("set a larger metric", (stage) => say(stage, "namespaces", { "external.depth": "90" })),
    ],
  },
  {
    name: "external metrics with a selector, as named in the status",
    steps: [
      step("set the metric", (stage) => say(stage, "namespaces", { "external.depth": "35" })),
      begin({
        metrics: [
          external(
            { type: "AverageValue", averageValue: "10" },
            { selector: { matchLabels: { queue: "mail", b: "c" } } },
          ),
        ],
      }),
    ],
  },
  ...Object.entries(refusedSelectors).map(([what, metric]) => ({
    name: `a selector of metrics that the API server accepts and the controller does not: ${what}`,
    steps: [
      step("set the metric", (stage) => say(stage, "namespaces", { "external.depth": "35", "metric.qps": "45" })),
      service,
      begin({ metrics: [metric] }),
    ],
  })),
  {
    name: "the metric with the most desired replicas decides",
    steps: [
      begin({ metrics: [cpu(50), ofPods("20")] }, { use: { cpu: "120m", "metric.qps": "70" } }),
      load({ cpu: "500m" }),
    ],
  },
  {
    name: "an unavailable metric prevents scaling down, but not up",
    steps: [
      begin({ metrics: [cpu(50), external({ type: "Value", value: "20" })] }, { use: { cpu: "150m" } }),
      load({ cpu: "10m" }),
      step("set the unavailable metric", (stage) => say(stage, "namespaces", { "external.depth": "1" })),
    ],
  },
  {
    name: "pods without resource requests",
    steps: [
      begin({ metrics: [cpu(50)] }, { use: { cpu: "150m" } }),
      step("create a pod without requests", (stage) => runPod(stage, "c", { request: "" })),
      step("delete it", (stage) => stage.remove("pods", "c", { gracePeriodSeconds: 0 })),
    ],
  },
  {
    name: "a missing target, and one of a missing kind",
    steps: [
      step("create an autoscaler", (stage) =>
        stage.create("horizontalpodautoscalers", autoscaler({ metrics: [cpu(50)] })),
      ),
      {
        name: "create its target",
        act: (stage) => workload(stage, { use: { cpu: "150m" } }),
        chance: "a sync may come between the Deployment and its pods, and report missing metrics",
      },
      change({ scaleTargetRef: { apiVersion: "example.com/v1", kind: "Widget", name: "web" } }),
      change({ scaleTargetRef: { apiVersion: "batch/v1", kind: "Job", name: "web" } }),
      change({ scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "web" } }),
    ],
  },
  {
    name: "two autoscalers with the same target",
    steps: [
      begin({ metrics: [cpu(50)] }, { use: { cpu: "150m" } }),
      {
        name: "create another one",
        act: (stage) => stage.create("horizontalpodautoscalers", autoscaler({ metrics: [cpu(50)] }, "other")),
        chance: "the order in which the two are named is that of a Go map",
      },
      step("delete the first one", (stage) => stage.remove("horizontalpodautoscalers", "web")),
    ],
  },
  {
    name: "an autoscaler created with autoscaling/v1",
    steps: [
      step("create a Deployment", (stage) => workload(stage, { use: { cpu: "200m" } })),
      step("create its autoscaler", (stage) =>
        stage.cluster.request("POST", `/apis/autoscaling/v1/namespaces/${stage.namespace}/horizontalpodautoscalers`, {
          metadata: { name: "web" },
          spec: {
            scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "web" },
            maxReplicas: 10,
            targetCPUUtilizationPercentage: 50,
          },
        }),
      ),
      scaleTo(1),
    ],
  },
];
