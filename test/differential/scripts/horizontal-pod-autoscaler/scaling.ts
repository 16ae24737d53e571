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
    name: "up with the load, and down again after the window",
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
    name: "at most twice the replicas in one step",
    steps: [
      begin({ ...half, maxReplicas: 30 }, { use: { cpu: "190m" } }),
      load({ cpu: "2000m" }),
      load({ cpu: "10m" }),
    ],
  },
  {
    name: "bounds are kept, whatever the metrics say",
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
    name: "a target of 0 replicas is left alone until it is scaled up",
    steps: [begin(half, { use: { cpu: "300m" } }), scaleTo(0), load({ cpu: "600m" }), scaleTo(2)],
  },
  {
    name: "nothing happens within the tolerance",
    steps: [begin(half, { use: { cpu: "108m" } }), load({ cpu: "92m" }), load({ cpu: "112m" })],
  },
  {
    name: "tolerances of its own",
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
    name: "policies of pods and percent, the larger counts",
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
    name: "policies of pods and percent, the smaller counts",
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
    name: "a direction is forbidden, then the other",
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
    name: "behavior that says little gets the defaults",
    steps: [begin({ ...half, behavior: { scaleDown: {} } }, { use: { cpu: "300m" } }), load({ cpu: "20m" })],
  },
  {
    name: "behavior comes and goes",
    steps: [
      begin(half, { use: { cpu: "200m" } }),
      change({ behavior: { scaleDown: rules({ policies: [{ type: "Pods", value: 1, periodSeconds: 1800 }] }) } }),
      load({ cpu: "10m" }),
      change({ behavior: null }),
    ],
  },
  {
    name: "an autoscaler goes and comes again",
    steps: [
      begin(half, { use: { cpu: "200m" } }),
      step("it goes", (stage) => stage.remove("horizontalpodautoscalers", "web")),
      load({ cpu: "300m" }),
      step("it comes again", (stage) => stage.create("horizontalpodautoscalers", autoscaler(half))),
    ],
  },
  {
    name: "pods come and go",
    steps: [
      begin(half, { use: { cpu: "180m" } }),
      step("a third pod", (stage) => runPod(stage, "c")),
      step("the first goes", (stage) => stage.remove("pods", "a", { gracePeriodSeconds: 0 })),
      step("the others go", async (stage) => {
        for (const name of ["b", "c"]) await stage.remove("pods", name, { gracePeriodSeconds: 0 });
      }),
    ],
  },
  {
    name: "pods that are not ready hold back scaling up",
    steps: [
      begin(half, { use: { cpu: "140m" } }),
      step("a third is starting", (stage) =>
        runPod(stage, "c", { ready: false, startedMsAgo: 1000, readyMsAgo: 1000 }),
      ),
      load({ cpu: "400m" }),
      step("it is ready", (stage) => report(stage, "c", { ready: true })),
      step("one is pending", (stage) => report(stage, "a", { phase: "Pending" })),
      step("one has failed", (stage) => report(stage, "b", { phase: "Failed" })),
    ],
  },
  {
    name: "a pod that was ready and is not any more counts",
    steps: [
      begin(half, { use: { cpu: "140m" } }),
      step("it was ready", (stage) => report(stage, "b", { ready: false, readyMsAgo: 600_000 })),
      step("it never was", (stage) => report(stage, "b", { ready: false })),
    ],
  },
];
