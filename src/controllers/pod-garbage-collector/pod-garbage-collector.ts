/** The garbage collection of pods. Source: kubernetes v1.36 pkg/controller/podgc/gc_controller.go. */
import { Nodes, Pods } from "../../api/kinds.ts";
import type { Node, Pod } from "../../api/types.ts";
import {
  type ControllerDefinition,
  defineController,
  watch,
  type WatchContext,
} from "../../controller/api/definition.ts";
import { doomedPods, nodeNameOf } from "./doomed.ts";
import { memory } from "./memory.ts";
import { rules } from "./rules.ts";
import { collectPod } from "./sync.ts";

/** Times in milliseconds. */
export interface PodGarbageCollectorOptions {
  /** How many terminated pods are kept in the cluster; 0: all. kube-controller-manager's `--terminated-pod-gc-threshold`. */
  readonly terminatedPodThreshold: number;
  readonly periodMs: number;
  /** How long a node is missing before the API server is checked for it. */
  readonly quarantineMs: number;
}

const defaultOptions: PodGarbageCollectorOptions = {
  terminatedPodThreshold: 12_500,
  periodMs: 20_000,
  quarantineMs: 40_000,
};

/**
 * Deletes pods that nothing else deletes: on nodes that are gone or out of service, without a node, and terminated ones beyond a threshold.
 */
export const podGarbageCollector: ControllerDefinition = definePodGarbageCollector();

/** The controller with thresholds and times that differ from kube-controller-manager's defaults. */
export function definePodGarbageCollector(changed: Partial<PodGarbageCollectorOptions> = {}): ControllerDefinition {
  const options = { ...defaultOptions, ...changed };
  return defineController<Pod>({
    name: "pod-garbage-collector",
    aliases: ["podgc", "pod-garbage-collector-controller"],
    purpose: "deletes pods of nodes that are gone, and finished pods above a threshold",
    component: "pod-garbage-collector-controller",
    source: "pkg/controller/podgc/gc_controller.go",
    for: Pods,
    // Only read: scans trigger the work.
    watches: [watch<Pod>({ kind: Pods, on() {} }), watch<Node>({ kind: Nodes, on() {} })],
    scans: [
      {
        name: "pods that nobody else deletes",
        everyMs: options.periodMs,
        on: (context) => scanPods(context, options),
      },
    ],
    workers: 10,
    // The next scan retries it.
    retry: { maxRetries: 0 },
    syncsEveryMs: options.periodMs,
    ifRunTwice: "the second of two deletions would be refused",
    dryRun: { is: "about nodes" },
    rules,
    recordsEvents: false,
    // Granted by upstream's role too: kubernetes v1.36 plugin/pkg/auth/authorizer/rbac/bootstrappolicy/controller_policy.go.
    permissions: [
      { group: "", resource: "pods", verbs: ["delete"] },
      { group: "", resource: "pods/status", verbs: ["patch"] },
      { group: "", resource: "nodes", verbs: ["get"] },
    ],
    sync: (_key, context) => collectPod(context, options.terminatedPodThreshold),
  });
}

function scanPods(context: WatchContext, options: PodGarbageCollectorOptions): void {
  const remembered = context.state(memory);
  const pods = context.cache(Pods).list();
  const nodes = context.cache(Nodes);
  const missing = new Set(pods.map(nodeNameOf).filter((name) => name !== "" && nodes.get(name) === undefined));
  const overdue = remembered.quarantine.overdue(missing, { now: context.now(), waitMs: options.quarantineMs });
  const found = doomedPods({
    pods,
    nodeOf: (name) => nodes.get(name),
    overdue: new Set([...overdue].filter((name) => missing.has(name))),
    threshold: options.terminatedPodThreshold,
  });
  remembered.doomed = new Map(found);
  remembered.nodeChecks.clear();
  for (const key of found.keys()) context.enqueue(key);
}
