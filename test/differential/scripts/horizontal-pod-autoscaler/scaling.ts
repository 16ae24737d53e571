/** The amount, speed and direction of scaling. */
import type { Script } from "../../suite.ts";
import { autoscaler, begin, change, cpu, load, report, runPod, scaleTo, step } from "./acts.ts";

const half = { metrics: [cpu(50)] };

/** Scaling rules that forbid nothing. */
function rules(more: object = {}): object {
  const policies = [{ type: "Pods", value: 100, periodSeconds: 1800 }];
  return { stabilizationWindowSeconds: 0, selectPolicy: "Max", policies, ...more };
}

export const scaling: readonly Script[] = [
  {
    name: "scaled up with the load, and down after the stabilization window",
    steps: [
      begin(half, { use: { cpu: "100m" } }),
      load({ cpu: "150m" }),
      load({ cpu: "155m" }),
      load({ cpu: "300m" }),
      load({ cpu: "40m" }),
      load({ cpu: "0" }),
    ],
  },
  {
    name: "scaled to at most twice the replicas in one step",
    steps: [
      begin({ ...half, maxReplicas: 30 }, { use: { cpu: "190m" } }),
      load({ cpu: "2000m" }),
      load({ cpu: "10m" }),
    ],
  },
  {
    name: "minReplicas and maxReplicas hold, whatever the metrics are",
    steps: [
      begin({ ...half, minReplicas: 3, maxReplicas: 4 }, { use: { cpu: "100m" } }),
      load({ cpu: "900m" }),
      change({ maxReplicas: 3 }),
      change({ minReplicas: 5, maxReplicas: 6 }),
      load({ cpu: "1m" }),
      scaleTo(9),
      scaleTo(1),
    ],
  },
  {
    name: "a target with 0 replicas is not scaled",
    steps: [begin(half, { use: { cpu: "300m" } }), scaleTo(0), load({ cpu: "600m" }), scaleTo(2)],
  },
  {
    name: "no scaling within the tolerance",
    steps: [begin(half, { use: { cpu: "108m" } }), load({ cpu: "92m" }), load({ cpu: "112m" })],
  },
  {
    name: "tolerances in the behavior",
    steps: [
      begin(
        { ...half, behavior: { scaleUp: rules({ tolerance: "0.5" }), scaleDown: rules({ tolerance: "0" }) } },
        {
          use: { cpu: "140m" },
        },
      ),
      load({ cpu: "160m" }),
      load({ cpu: "98m" }),
    ],
  },
  {
    name: "policies in pods and percent, the larger change is allowed",
    steps: [
      begin(
        {
          ...half,
          maxReplicas: 20,
          behavior: {
            scaleUp: rules({
              policies: [
                { type: "Pods", value: 2, periodSeconds: 1800 },
                { type: "Percent", value: 150, periodSeconds: 1800 },
              ],
            }),
            scaleDown: rules({ policies: [{ type: "Percent", value: 50, periodSeconds: 1800 }] }),
          },
        },
        { use: { cpu: "100m" } },
      ),
      load({ cpu: "1000m" }),
      load({ cpu: "10m" }),
    ],
  },
  {
    name: "policies in pods and percent, the smaller change is allowed",
    steps: [
      begin(
        {
          ...half,
          behavior: {
            scaleUp: rules({
              selectPolicy: "Min",
              policies: [
                { type: "Pods", value: 1, periodSeconds: 1800 },
                { type: "Percent", value: 300, periodSeconds: 1800 },
              ],
            }),
            scaleDown: rules({ selectPolicy: "Min" }),
          },
        },
        { use: { cpu: "100m" } },
      ),
      load({ cpu: "1000m" }),
      load({ cpu: "10m" }),
    ],
  },
  {
    name: "scaling is disabled in one direction, then in the other",
    steps: [
      begin(
        { ...half, behavior: { scaleUp: { selectPolicy: "Disabled" }, scaleDown: rules() } },
        {
          use: { cpu: "900m" },
        },
      ),
      load({ cpu: "10m" }),
      change({ behavior: { scaleUp: rules(), scaleDown: { selectPolicy: "Disabled" } } }),
      load({ cpu: "200m" }),
      load({ cpu: "10m" }),
    ],
  },
  {
    name: "missing fields of the behavior get the defaults",
    steps: [begin({ ...half, behavior: { scaleDown: {} } }, { use: { cpu: "300m" } }), load({ cpu: "20m" })],
  },
  {
    name: "a behavior is set and removed",
    steps: [
      begin(half, { use: { cpu: "200m" } }),
      change({ behavior: { scaleDown: rules({ policies: [{ type: "Pods", value: 1, periodSeconds: 1800 }] }) } }),
      load({ cpu: "10m" }),
      change({ behavior: null }),
    ],
  },
  {
    name: "an autoscaler is deleted and recreated",
    steps: [
      begin(half, { use: { cpu: "200m" } }),
      step("delete the autoscaler", (stage) => stage.remove("horizontalpodautoscalers", "web")),
      load({ cpu: "300m" }),
      step("recreate the autoscaler", (stage) => stage.create("horizontalpodautoscalers", autoscaler(half))),
    ],
  },
  {
    name: "pods are created and deleted",
    steps: [
      begin(half, { use: { cpu: "180m" } }),
      step("create a third pod", (stage) => runPod(stage, "c")),
      step("delete the first pod", (stage) => stage.remove("pods", "a", { gracePeriodSeconds: 0 })),
      step("delete the other pods", async (stage) => {
        for (const name of ["b", "c"]) await stage.remove("pods", name, { gracePeriodSeconds: 0 });
      }),
    ],
  },
  {
    name: "pods that are not ready reduce scaling up",
    steps: [
      begin(half, { use: { cpu: "140m" } }),
      step("create a third pod that is starting", (stage) =>
        runPod(stage, "c", { ready: false, startedMsAgo: 1000, readyMsAgo: 1000 }),
      ),
      load({ cpu: "400m" }),
      step("it becomes ready", (stage) => report(stage, "c", { ready: true })),
      step("a pod becomes pending", (stage) => report(stage, "a", { phase: "Pending" })),
      step("a pod fails", (stage) => report(stage, "b", { phase: "Failed" })),
    ],
  },
  {
    name: "a pod that was ready before still counts",
    steps: [
      begin(half, { use: { cpu: "140m" } }),
      step("a pod becomes unready after it was ready", (stage) =>
        report(stage, "b", { ready: false, readyMsAgo: 600_000 }),
      ),
      step("the pod was never ready", (stage) => report(stage, "b", { ready: false })),
    ],
  },
];
