/** Shadow beside the real controllers of nodes, and of the pods that they leave behind. */
import { defineNodeLifecycle } from "../../../src/controllers/node-lifecycle/node-lifecycle.ts";
import { definePodGarbageCollector } from "../../../src/controllers/pod-garbage-collector/pod-garbage-collector.ts";
import { randomScript as leftPods } from "../../differential/scripts/pod-garbage-collector/grammar.ts";
import { tries } from "../../support/long.ts";
import { describeCasts, part, slowly } from "./casts.ts";
import { leftPodMutants, nodeMutants } from "./node-mutants.ts";
import { nodesUnready } from "./node-scripts.ts";

const hourMs = 3_600_000;

describeCasts([
  {
    title: "the health of nodes",
    owners: ["node-lifecycle-controller"],
    kcmFlags: [
      ...slowly,
      "--node-monitor-period=1s",
      "--node-monitor-grace-period=1h",
      "--node-startup-grace-period=1h",
      "--node-eviction-rate=10",
    ],
    playing: { rounds: tries(8, 20), objects: 3, looksWithinMs: 2000, quietMs: 3000 },
    parts: [
      part({
        // Ours checks five times as often, and so first.
        controller: defineNodeLifecycle({
          monitorPeriodMs: 200,
          gracePeriodMs: hourMs,
          startupGracePeriodMs: hourMs,
          evictionRate: 10,
        }),
        script: nodesUnready,
        // Which side first notices that a node is silent is chance; and the owner hears nothing while it is stopped.
        without: /stops reporting|stop all heartbeats/,
        first: 3,
        side: { isPeriodic: true },
        shows: ["patch nodes", "update pods/status"],
      }),
    ],
    mutants: nodeMutants,
  },
  {
    title: "pods without a node",
    owners: ["pod-garbage-collector-controller"],
    kcmFlags: [...slowly, "--terminated-pod-gc-threshold=1"],
    // The owner scans every 20 seconds, and waits 40 seconds for a node that is missing.
    playing: { rounds: tries(1, 10), objects: 4, looksWithinMs: 3000, quietMs: 62_000 },
    parts: [
      part({
        controller: definePodGarbageCollector({ terminatedPodThreshold: 1, periodMs: 1000, quarantineMs: 1000 }),
        script: leftPods,
        side: { isPeriodic: true },
        shows: ["patch pods/status", "delete pods"],
      }),
    ],
    mutants: leftPodMutants,
  },
]);
