/** Which taints a node's conditions require. Pure. Source: node_lifecycle_controller.go doNoScheduleTaintingPass. */
import { unschedulableTaint } from "../../api/node-fit/taints.ts";
import type { Node, Taint } from "../../api/types.ts";

const notReadyKey = "node.kubernetes.io/not-ready";
const unreachableKey = "node.kubernetes.io/unreachable";

/** The NoExecute taint of nodes that are not ready: it evicts pods. */
export const notReady: Taint = { key: notReadyKey, effect: "NoExecute" };
/** The NoExecute taint of silent nodes. */
export const unreachable: Taint = { key: unreachableKey, effect: "NoExecute" };

/** The taint key for each condition, by status. */
const keyOf: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  Ready: { False: notReadyKey, Unknown: unreachableKey },
  MemoryPressure: { True: "node.kubernetes.io/memory-pressure" },
  DiskPressure: { True: "node.kubernetes.io/disk-pressure" },
  NetworkUnavailable: { True: "node.kubernetes.io/network-unavailable" },
  PIDPressure: { True: "node.kubernetes.io/pid-pressure" },
};

/** All NoSchedule taints that are added and removed here. Others belong to someone else. */
const ownKeys: readonly string[] = [
  unschedulableTaint.key,
  ...Object.values(keyOf).flatMap((byStatus) => Object.values(byStatus)),
];

/** Whether two taints are the same: a node has each key once per effect, whatever its value. */
export function isSameTaint(one: Taint, other: Taint): boolean {
  return one.key === other.key && one.effect === other.effect;
}

/** Whether the node has the taint. */
export function hasTaint({ spec }: Node, taint: Taint): boolean {
  return (spec?.taints ?? []).some((each) => isSameTaint(each, taint));
}

/** What to add and remove. */
export interface TaintChanges {
  readonly add: readonly Taint[];
  readonly remove: readonly Taint[];
}

/** How the node's NoSchedule taints differ from what its conditions and `spec.unschedulable` require. */
export function scheduleTaintChanges(node: Node): TaintChanges {
  const wanted = (node.status?.conditions ?? []).flatMap(({ type, status }) => {
    const key = keyOf[type]?.[status];
    return key === undefined ? [] : [{ key, effect: "NoSchedule" }];
  });
  if (node.spec?.unschedulable === true) wanted.push(unschedulableTaint);
  const own = (node.spec?.taints ?? []).filter(({ key, effect }) => effect === "NoSchedule" && ownKeys.includes(key));
  const isIn = (taints: readonly Taint[], taint: Taint): boolean => taints.some((each) => isSameTaint(each, taint));
  return {
    add: wanted.filter((taint) => !isIn(own, taint)),
    remove: own.filter((taint) => !isIn(wanted, taint)),
  };
}
