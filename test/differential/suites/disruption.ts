/** PodDisruptionBudgets. Neither pods nor their controllers run: scripts create them and write their status. */
import { Pods, PodDisruptionBudgets } from "../../../src/api/kinds.ts";
import { matches, selectorOf } from "../../../src/api/labels.ts";
import { disruption } from "../../../src/controllers/disruption/disruption.ts";
import type { Allowed } from "../differences.ts";
import type { AnyObject, PodObject } from "../objects.ts";
import { randomScript } from "../scripts/disruption/grammar.ts";
import { scripts } from "../scripts/disruption/index.ts";
import type { Stage } from "../stage.ts";
import type { Suite } from "../suite.ts";

interface Budget extends AnyObject {
  readonly spec: { readonly selector?: object };
  readonly status?: {
    readonly observedGeneration?: number;
    readonly currentHealthy?: number;
    readonly disruptedPods?: Readonly<Record<string, string>>;
    readonly conditions?: readonly { readonly reason: string }[];
  };
}

/** Whether each budget has observed its spec and counts the ready pods, or reports that its sync failed. */
async function isSettled(stage: Stage): Promise<boolean> {
  const [budgets, pods] = await Promise.all([stage.all(PodDisruptionBudgets), stage.pods()]);
  return budgets.every((each) => {
    const { metadata, spec, status } = each as Budget;
    if (status?.conditions?.some(({ reason }) => reason === "SyncFailed") === true) return true;
    const selector = selectorOf(spec.selector);
    const healthy = pods.filter((pod) => matches(selector, pod.metadata.labels) && isHealthy(pod, status));
    return status?.observedGeneration === metadata.generation && status?.currentHealthy === healthy.length;
  });
}

function isHealthy({ metadata, status }: PodObject, budget: Budget["status"]): boolean {
  const isReady = status?.conditions?.some((each) => each.type === "Ready" && each.status === "True") === true;
  return isReady && metadata.deletionTimestamp === undefined && budget?.disruptedPods?.[metadata.name] === undefined;
}

const countedUp: Allowed = {
  id: "the count of an Event",
  category: "noise",
  upstream: "pkg/controller/disruption/disruption.go:trySync",
  why: "each sync of a budget without pods records it; the number of syncs depends on which deltas arrived together",
  matches: ({ what }) => what === "patch Event 200",
};

export const disruptions: Suite = {
  name: "disruption",
  oracle: "disruption-controller",
  ours: [disruption],
  runsWithout: [
    "daemonset",
    "deployment",
    "garbage-collector",
    "job",
    "pod-garbage-collector",
    "replicaset",
    "replicationcontroller",
    "statefulset",
  ],
  kinds: [{ kind: PodDisruptionBudgets }, { kind: Pods, compared: podState }],
  isSettled,
  scripts,
  random: randomScript,
  seeds: { short: 4, long: 100 },
  differences: [countedUp],
};

/** The whole status, because the controller writes one of its conditions. */
function podState({ metadata, status }: AnyObject): object {
  return { name: metadata.name, labels: metadata.labels, status };
}
