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
const external = (target: object, more: object = {}): object => ({
  type: "External",
  external: { metric: { name: "depth", ...more }, target },
});

const service = step("a Service", (stage) =>
  stage.create("services", { metadata: { name: "web" }, spec: { ports: [{ port: 80 }] } }),
);

export const measuring: readonly Script[] = [
  {
    name: "memory, as a value and as a share",
    steps: [
      begin({ metrics: [memory({ type: "AverageValue", averageValue: "100Mi" })] }, { use: { memory: "300Mi" } }),
      change({ metrics: [memory({ type: "Utilization", averageUtilization: 100 })] }),
      load({ memory: "1001Ki" }),
    ],
  },
  {
    name: "CPU as a value",
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
    name: "one container",
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
    name: "a metric of pods",
    steps: [
      begin({ metrics: [ofPods("20")] }, { use: { "metric.qps": "60" } }),
      load({ "metric.qps": "170" }),
      load({ "metric.qps": null }),
      load({ "metric.qps": "1" }),
    ],
  },
  {
    name: "a metric of an object, as a value and divided",
    steps: [
      service,
      step("its metric", (stage) => say(stage, "services/web", { "metric.qps": "30" })),
      begin({ metrics: [ofObject({ type: "Value", value: "20" })] }),
      step("more", (stage) => say(stage, "services/web", { "metric.qps": "55" })),
      change({ metrics: [ofObject({ type: "AverageValue", averageValue: "10" })] }),
    ],
  },
  {
    name: "a metric of the namespace",
    steps: [
      step("its metric", (stage) => say(stage, "namespaces", { "metric.qps": "45" })),
      begin({
        metrics: [ofObject({ type: "Value", value: "20" }, { apiVersion: "v1", kind: "Namespace", name: "other" })],
      }),
    ],
  },
  {
    name: "an external metric, as a value and divided",
    steps: [
      step("the metric", (stage) => say(stage, "namespaces", { "external.depth": "35" })),
      begin({ metrics: [external({ type: "AverageValue", averageValue: "10" })] }),
      change({ metrics: [external({ type: "Value", value: "20" })] }),
      step("none", (stage) => say(stage, "namespaces", { "external.depth": null })),
      step("more", (stage) => say(stage, "namespaces", { "external.depth": "90" })),
    ],
  },
  {
    name: "the names of external metrics with a selector",
    steps: [
      step("the metric", (stage) => say(stage, "namespaces", { "external.depth": "35" })),
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
  {
    name: "the metric that asks for most counts",
    steps: [
      begin({ metrics: [cpu(50), ofPods("20")] }, { use: { cpu: "120m", "metric.qps": "70" } }),
      load({ cpu: "500m" }),
    ],
  },
  {
    name: "a metric that fails forbids scaling down, not up",
    steps: [
      begin({ metrics: [cpu(50), external({ type: "Value", value: "20" })] }, { use: { cpu: "150m" } }),
      load({ cpu: "10m" }),
      step("it is there", (stage) => say(stage, "namespaces", { "external.depth": "1" })),
    ],
  },
  {
    name: "pods without requests",
    steps: [
      begin({ metrics: [cpu(50)] }, { use: { cpu: "150m" } }),
      step("one without", (stage) => runPod(stage, "c", { request: "" })),
      step("it goes", (stage) => stage.remove("pods", "c", { gracePeriodSeconds: 0 })),
    ],
  },
  {
    name: "a target that is not there, and of no kind",
    steps: [
      step("an autoscaler", (stage) => stage.create("horizontalpodautoscalers", autoscaler({ metrics: [cpu(50)] }))),
      {
        name: "its target comes",
        act: (stage) => workload(stage, { use: { cpu: "150m" } }),
        chance: "a sync may come between the Deployment and its pods, and report that there are no metrics",
      },
      change({ scaleTargetRef: { apiVersion: "example.com/v1", kind: "Widget", name: "web" } }),
      change({ scaleTargetRef: { apiVersion: "batch/v1", kind: "Job", name: "web" } }),
      change({ scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "web" } }),
    ],
  },
  {
    name: "two autoscalers of one target",
    steps: [
      begin({ metrics: [cpu(50)] }, { use: { cpu: "150m" } }),
      {
        name: "another",
        act: (stage) => stage.create("horizontalpodautoscalers", autoscaler({ metrics: [cpu(50)] }, "other")),
        chance: "a Go map gives the order in which the two are named",
      },
      step("the first goes", (stage) => stage.remove("horizontalpodautoscalers", "web")),
    ],
  },
  {
    name: "an autoscaler of v1",
    steps: [
      step("a Deployment", (stage) => workload(stage, { use: { cpu: "200m" } })),
      step("its autoscaler", (stage) =>
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
