/**
 * Shadow beside the real workload controllers, over the random scripts of the differential tests: the counterpart of
 * agreement.cluster.test.ts for the controllers that were added later. Nothing runs the pods: scripts do what kubelets would, while the
 * owner is suspended.
 */
import { cronjob } from "../../../src/controllers/cronjob/cronjob.ts";
import { daemonset } from "../../../src/controllers/daemonset/daemonset.ts";
import { disruption } from "../../../src/controllers/disruption/disruption.ts";
import { defineAutoscaler } from "../../../src/controllers/horizontal-pod-autoscaler/horizontal-pod-autoscaler.ts";
import { job } from "../../../src/controllers/job/job.ts";
import { statefulset } from "../../../src/controllers/statefulset/statefulset.ts";
import { ttlAfterFinished } from "../../../src/controllers/ttl-after-finished/ttl-after-finished.ts";
import { serveMetrics } from "../../differential/metrics-adapter.ts";
import { randomScript as daemonSets } from "../../differential/scripts/daemonset/grammar.ts";
import { randomScript as autoscalers } from "../../differential/scripts/horizontal-pod-autoscaler/grammar.ts";
import { tries } from "../../support/long.ts";
import { describeCasts, part, slowly } from "./casts.ts";
import { autoscalerMutants, scheduledMutants, workloadMutants } from "./workload-mutants.ts";
import {
  budgetsWithStalePods,
  jobsInTurn,
  jobsWithTimesToLive,
  runsDueOnce,
  setsRolledBack,
} from "./workload-scripts.ts";

describeCasts([
  {
    title: "controllers of pods",
    owners: ["statefulset-controller", "daemonset-controller", "job-controller"],
    kcmFlags: slowly,
    playing: { rounds: tries(7, 20), objects: 4 },
    parts: [
      part({
        controller: statefulset,
        script: setsRolledBack,
        side: { namesPods: true },
        shows: [
          "create pods",
          "delete pods",
          "create persistentvolumeclaims",
          "update persistentvolumeclaims",
          "create controllerrevisions.apps",
          "update controllerrevisions.apps",
          "update statefulsets.apps/status",
        ],
      }),
      part({
        controller: daemonset,
        script: daemonSets,
        // The owner may see changes in two watches in any order.
        without: /delete the set|delete a node|remove the pods of deleted nodes/,
        side: { namesPods: true, rollsOutAnywhere: true, looksTwice: true },
        // These are all statuses written just after pods were created: `Round.looksTwice`.
        mostNotComparable: 20,
        shows: ["create pods", "delete pods", "create controllerrevisions.apps", "update daemonsets.apps/status"],
      }),
      part({
        controller: job,
        script: jobsInTurn,
        shows: ["create pods", "patch pods", "delete pods", "update jobs.batch/status"],
      }),
    ],
    mutants: workloadMutants,
  },
  {
    title: "controllers of Jobs and budgets",
    owners: ["cronjob-controller", "ttl-after-finished-controller", "disruption-controller"],
    kcmFlags: slowly,
    playing: { rounds: tries(6, 20), objects: 7 },
    parts: [
      part({
        controller: cronjob,
        script: runsDueOnce,
        shows: ["create jobs.batch", "delete jobs.batch", "update cronjobs.batch/status"],
      }),
      part({ controller: ttlAfterFinished, script: jobsWithTimesToLive, shows: ["delete jobs.batch"] }),
      part({
        controller: disruption,
        script: budgetsWithStalePods,
        shows: ["update poddisruptionbudgets.policy/status", "update pods/status"],
      }),
    ],
    mutants: scheduledMutants,
  },
  {
    title: "the autoscaler",
    owners: ["horizontal-pod-autoscaler-controller"],
    kcmFlags: ["sync-period=1s", "downscale-stabilization=0s"].map((flag) => `--horizontal-pod-autoscaler-${flag}`),
    prepare: serveMetrics,
    // Ours syncs ten times as often, and so first; its earlier recommendations count for a second at most. The owner may act only in the
    // second sync after a change, when its recommendation from before is too old.
    playing: { rounds: tries(4, 20), objects: 4, looksWithinMs: 1500, quietMs: 3500 },
    parts: [
      part({
        controller: defineAutoscaler({ syncPeriodMs: 100, downscaleStabilizationMs: 0 }),
        script: autoscalers,
        without: /^replace the autoscaler/,
        side: { isPeriodic: true },
        shows: ["update horizontalpodautoscalers.autoscaling/status", "update deployments.apps/scale"],
      }),
    ],
    mutants: autoscalerMutants,
  },
]);
