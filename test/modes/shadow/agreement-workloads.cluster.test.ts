/**
 * Shadow beside the real workload controllers, over the random scripts of the differential tests: the counterpart of
 * agreement.cluster.test.ts for the controllers that were added later. Nothing runs the pods: scripts do what kubelets would, while the
 * owner is suspended.
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { cronjob } from "../../../src/controllers/cronjob/cronjob.ts";
import { daemonset } from "../../../src/controllers/daemonset/daemonset.ts";
import { disruption } from "../../../src/controllers/disruption/disruption.ts";
import { defineAutoscaler } from "../../../src/controllers/horizontal-pod-autoscaler/horizontal-pod-autoscaler.ts";
import { job } from "../../../src/controllers/job/job.ts";
import { statefulset } from "../../../src/controllers/statefulset/statefulset.ts";
import { ttlAfterFinished } from "../../../src/controllers/ttl-after-finished/ttl-after-finished.ts";
import type { ControllerDefinition } from "../../../src/controller/api/definition.ts";
import { serveMetrics } from "../../differential/metrics-adapter.ts";
import { randomScript as daemonSets } from "../../differential/scripts/daemonset/grammar.ts";
import { randomScript as autoscalers } from "../../differential/scripts/horizontal-pod-autoscaler/grammar.ts";
import { type Cluster, controllersMissing, startCluster } from "../../support/cluster.ts";
import { tries } from "../../support/long.ts";
import { describeAgreement, type Suite } from "./agreement.ts";
import type { Mutant } from "./mutants.ts";
import { mutantsOf, type Playing, playRounds, type Side } from "./played.ts";
import { type Scripted, ScriptedChanges } from "./scripted.ts";
import { shadowAgent } from "./support.ts";
import { autoscalerMutants, scheduledMutants, workloadMutants } from "./workload-mutants.ts";
import {
  budgetsWithStalePods,
  jobsInTurn,
  jobsWithTimesToLive,
  runsDueOnce,
  setsRolledBack,
} from "./workload-scripts.ts";

/** Five in the long form; SEED=n sets one, SEED=n,m two, one after the other on one cluster. */
const seeds = process.env["SEED"]?.split(",").map(Number) ?? [20261121, 1, 2, 3, 4].slice(0, tries(1, 5));

interface Part extends Suite, Pick<Scripted, "script" | "first" | "without"> {
  readonly controller: ControllerDefinition;
  readonly side?: Pick<Side, "namesPods" | "rollsOutAnywhere" | "looksTwice" | "isPeriodic">;
}

const part = ({ controller, ...rest }: Omit<Part, "name">): Part => ({ name: controller.name, controller, ...rest });

/** Controllers that are compared together, on one cluster. */
interface Cast {
  readonly title: string;
  /** The controllers of kube-controller-manager that run; others would change the same objects. */
  readonly owners: readonly string[];
  readonly kcmFlags: readonly string[];
  readonly prepare?: (cluster: Cluster) => Promise<() => Promise<void>>;
  readonly playing: Playing;
  readonly parts: readonly Part[];
  readonly mutants: readonly Mutant[];
}

// One request of a controller every 40 ms, so that its writes do not overtake our decisions.
const slowly = ["--kube-api-qps=25", "--kube-api-burst=1"];

const casts: readonly Cast[] = [
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
    // Ours syncs ten times as often, and so first; its earlier recommendations count for a second at most.
    playing: { rounds: tries(4, 20), objects: 4, looksWithinMs: 1500, quietMs: 2500 },
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
];

describe.skipIf(controllersMissing !== undefined).each(casts)(
  "shadow beside kube-controller-manager: $title",
  ({ owners, kcmFlags, prepare, playing, parts, mutants }) => {
    let cluster: Cluster;
    let end: (() => Promise<void>) | undefined;
    beforeAll(async () => {
      cluster = await startCluster({
        controllers: owners.join(","),
        nodes: 0,
        scheduler: false,
        audit: true,
        kcmFlags,
      });
      end = await prepare?.(cluster);
    });
    afterAll(async () => {
      await end?.();
      await cluster?.stop();
    });

    for (const seed of seeds) {
      const isFirst = seed === seeds[0];
      const sides = (): Side[] =>
        parts.map(({ name, controller, script, first, without, side }) => {
          const changes = new ScriptedChanges({
            cluster,
            prefix: `agree-${name}-${seed}-`,
            // The numbers of one seed have other scripts than those of the next.
            seed: 1000 * seed,
            script,
            changes: playing.rounds,
            ...(first !== undefined && { first }),
            ...(without !== undefined && { without }),
          });
          return { controller, isHere: changes.isHere, change: (number) => changes.change(number), ...side };
        });
      describeAgreement({
        seed,
        suites: parts,
        mutants: isFirst ? mutants : [],
        play() {
          const own = sides();
          return playRounds(cluster, [...own, ...(isFirst ? mutantsOf(own, mutants) : [])], playing);
        },
      });
    }

    test("only reads were sent", async () => {
      const events = await cluster.audit();
      const ours = events.filter(({ userAgent }) => userAgent?.startsWith(shadowAgent) === true);
      expect(ours.length).toBeGreaterThan(0);
      expect(ours.filter(({ verb }) => !["get", "list", "watch"].includes(verb))).toEqual([]);
    });
  },
);
