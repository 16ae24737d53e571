/** Autoscalers of a Deployment. Neither the Deployment nor its pods run: scripts create them and set their usage. */
import { Deployments, HorizontalPodAutoscalers } from "../../../src/api/kinds.ts";
import { defineAutoscaler } from "../../../src/controllers/horizontal-pod-autoscaler/horizontal-pod-autoscaler.ts";
import { type Allowed, ownFieldManager } from "../differences.ts";
import { serveMetrics } from "../metrics-adapter.ts";
import type { AnyObject } from "../objects.ts";
import { randomScript } from "../scripts/horizontal-pod-autoscaler/grammar.ts";
import { scripts } from "../scripts/horizontal-pod-autoscaler/index.ts";
import type { Stage } from "../stage.ts";
import type { Suite } from "../suite.ts";

/** Syncs are one second apart, and recommendations are valid for two. */
const period = { syncPeriodMs: 1000, downscaleStabilizationMs: 2000 };
const flags = ["sync-period=1s", "downscale-stabilization=2s"];

const countedUp: Allowed = {
  id: "the count of an Event",
  category: "noise",
  upstream: "pkg/controller/podautoscaler/horizontal.go:reconcileAutoscaler",
  why: "each sync of an autoscaler that cannot scale records it, once a second",
  matches: ({ what }) => what === "patch Event 200",
};

const namedInAnyOrder: Allowed = {
  id: "two autoscalers of the same pods, in different order",
  category: "noise",
  upstream: "pkg/controller/podautoscaler/horizontal.go:hpasControllingPodsUnderSelector",
  why: "upstream lists them in the order of a Go map, ours by name",
  matches: ({ theirs, ours }) =>
    [theirs, ours].every((each) => JSON.stringify(each ?? "").includes("are controlled by multiple HPAs: [")),
};

const changedMeanwhile: Allowed = {
  id: "a scale that has changed in the meantime",
  category: "noise",
  upstream: "pkg/controller/podautoscaler/horizontal.go:reconcileAutoscaler",
  why: "a script changes the Deployment between a sync's read of the scale and its write; both read it again and repeat the write",
  matches: ({ what }) => what === "update deployments.apps/scale 409",
};

export const autoscalers: Suite = {
  name: "horizontal-pod-autoscaler",
  oracle: "horizontal-pod-autoscaler-controller",
  oracleFlags: flags.map((flag) => `--horizontal-pod-autoscaler-${flag}`),
  ours: [defineAutoscaler(period)],
  // Scripts create the pods.
  runsWithout: ["deployment", "replicaset"],
  prepare: serveMetrics,
  kinds: [{ kind: HorizontalPodAutoscalers }, { kind: Deployments, compared: replicasState }],
  isSettled,
  // Longer than the stabilization window, and than three syncs.
  quietMs: 3600,
  patienceMs: 15_000,
  width: 5,
  spareWrites: 20,
  scripts,
  random: randomScript,
  randomSteps: 10,
  seeds: { short: 4, long: 100 },
  differences: [ownFieldManager, countedUp, namedInAnyOrder, changedMeanwhile],
};

/** Reasons that the next sync, or the end of a window, is certain to change. */
const passing = new Set(["SucceededRescale", "ScaleDownStabilized", "ScaleUpStabilized"]);

/** Whether each autoscaler was synced and has nothing left to do. */
async function isSettled(stage: Stage): Promise<boolean> {
  const all = await stage.all(HorizontalPodAutoscalers);
  return all.every((each) => {
    const { conditions = [] } = (each["status"] ?? {}) as {
      readonly conditions?: readonly { readonly type: string; readonly reason: string }[];
    };
    const able = conditions.find(({ type }) => type === "AbleToScale");
    return able !== undefined && !passing.has(able.reason);
  });
}

function replicasState({ metadata, spec }: AnyObject): object {
  return { name: metadata.name, replicas: (spec as { readonly replicas: number }).replicas };
}
