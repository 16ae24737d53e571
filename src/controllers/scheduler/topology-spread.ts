/**
 * Topology spread constraints with `DoNotSchedule`.
 * Source: kubernetes v1.36 pkg/scheduler/framework/plugins/podtopologyspread/filtering.go; differs: `ScheduleAnyway` and the
 * cluster's default constraints, which only score, do not count.
 */
import { matches, type Selector, selectorOf } from "../../api/labels.ts";
import type { Node, Pod, PodSpec } from "../../api/types.ts";
import type { NodeUsageCache } from "./node-usage-cache.ts";
import { nodeSelected } from "../../api/node-fit/node-affinity.ts";
import { untoleratedTaint } from "../../api/node-fit/taints.ts";

type Constraint = NonNullable<PodSpec["topologySpreadConstraints"]>[number];

/** What topology spread constraints say about each node, for one pod. */
export interface SpreadView {
  /** Why the node cannot be used; undefined if it can. */
  obstacleOn(node: Node): string | undefined;
}

const uneven = "node(s) didn't match pod topology spread constraints";
const unlabelled = `${uneven} (missing required label)`;

interface Counted {
  readonly constraint: Constraint;
  /** Pods that the constraint selects, by the value of its topology key; includes domains without any. */
  readonly counts: ReadonlyMap<string, number>;
  readonly least: number;
  /** 1 if the constraint selects the pod itself. */
  readonly self: number;
}

/** Counts the pods of each constraint once; each node is then decided by its labels. */
export function spreadView(
  pod: Pod,
  { nodes, nodeUsage }: { readonly nodes: readonly Node[]; readonly nodeUsage: NodeUsageCache },
): SpreadView {
  const constraints = (pod.spec?.topologySpreadConstraints ?? []).filter(
    ({ whenUnsatisfiable }) => whenUnsatisfiable === "DoNotSchedule",
  );
  const keys = constraints.map(({ topologyKey }) => topologyKey);
  // Only nodes with every topology key belong to a domain.
  const domains = nodes.filter(({ metadata }) => keys.every((key) => metadata.labels?.[key] !== undefined));
  const counted = constraints.map((constraint) => count(pod, constraint, domains, nodeUsage));
  return {
    obstacleOn({ metadata }) {
      for (const { constraint, counts, least, self } of counted) {
        const value = metadata.labels?.[constraint.topologyKey];
        if (value === undefined) return unlabelled;
        if ((counts.get(value) ?? 0) + self - least > constraint.maxSkew) return uneven;
      }
      return undefined;
    },
  };
}

function count(pod: Pod, constraint: Constraint, domains: readonly Node[], nodeUsage: NodeUsageCache): Counted {
  const selector = selectorFor(pod, constraint);
  const counts = new Map<string, number>();
  for (const node of domains) {
    if (!isIncluded(pod, constraint, node)) continue;
    const value = node.metadata.labels?.[constraint.topologyKey] ?? "";
    let here = 0;
    for (const other of nodeUsage.loadOf(node.metadata.name).pods.values()) {
      if (other.metadata.deletionTimestamp !== undefined) continue;
      if (other.metadata.namespace !== pod.metadata.namespace) continue;
      if (matches(selector, other.metadata.labels)) here++;
    }
    counts.set(value, (counts.get(value) ?? 0) + here);
  }
  const enough = counts.size >= (constraint.minDomains ?? 1);
  return {
    constraint,
    counts,
    least: enough && counts.size > 0 ? Math.min(...counts.values()) : 0,
    self: matches(selector, pod.metadata.labels) ? 1 : 0,
  };
}

/** The pod's values for `matchLabelKeys` restrict the selector. */
function selectorFor(pod: Pod, { labelSelector, matchLabelKeys = [] }: Constraint): Selector {
  const selector = selectorOf(labelSelector);
  if (selector === "nothing") return selector;
  const own = matchLabelKeys.flatMap((key) => {
    const value = pod.metadata.labels?.[key];
    return value === undefined ? [] : [{ key, operator: "In" as const, values: [value] }];
  });
  return [...selector, ...own];
}

/** Whether the node counts as a domain for the pod: by default, node affinity is honoured and taints are not. */
function isIncluded(pod: Pod, constraint: Constraint, node: Node): boolean {
  const { nodeAffinityPolicy = "Honor", nodeTaintsPolicy = "Ignore" } = constraint;
  if (nodeAffinityPolicy === "Honor" && !nodeSelected(pod, node)) return false;
  return nodeTaintsPolicy === "Ignore" || untoleratedTaint(pod, node) === undefined;
}
