/** Pods that no other client deletes. A separate pod uses up the threshold of one finished pod, so all evicted pods exceed it. */
import { Pods } from "../../../src/api/kinds.ts";
import { definePodGarbageCollector } from "../../../src/controllers/pod-garbage-collector/pod-garbage-collector.ts";
import { type Allowed } from "../differences.ts";
import { type AnyObject, type Json, podState } from "../objects.ts";
import { randomScript } from "../scripts/pod-garbage-collector/grammar.ts";
import { scripts } from "../scripts/pod-garbage-collector/index.ts";
import type { Suite } from "../suite.ts";

/** A pod with its conditions, which contain the reason for its deletion. */
function compared(object: AnyObject): Json {
  const { conditions = [], observedGeneration } = (object["status"] ?? {}) as {
    readonly conditions?: readonly Json[];
    readonly observedGeneration?: number;
  };
  return { ...podState(object), conditions, observedGeneration };
}

const deletedTwice: Allowed = {
  id: "a pod is deleted twice in one scan",
  category: "noise",
  upstream: "pkg/controller/podgc/gc_controller.go:gc",
  why: "kube-controller-manager checks the reasons one after the other, and deletes a pod once for each that applies; ours deletes it once",
  matches: ({ what }) => what === "delete pods 404",
};

export const podGarbageCollection: Suite = {
  name: "pod-garbage-collector",
  oracle: "pod-garbage-collector-controller",
  oracleFlags: ["--terminated-pod-gc-threshold=1"],
  ours: [definePodGarbageCollector({ terminatedPodThreshold: 1 })],
  // Nodes have no heartbeats, and some are out of service.
  runsWithout: ["node-lifecycle", "taint-eviction"],
  kinds: [{ kind: Pods, compared }],
  // Every scan deletes a pod with a finalizer again.
  repeated: (what) => what === "delete pods 200",
  scripts,
  random: randomScript,
  randomSteps: 1,
  seeds: { short: 3, long: 40 },
  width: 24,
  differences: [deletedTwice],
};
