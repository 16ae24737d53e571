/** The taints that every pod of a DaemonSet tolerates. Source: kubernetes v1.36 pkg/controller/daemon/util/daemonset_util.go. */
import type { PodSpec, Toleration } from "../types.ts";

function tolerationOf(key: string, effect: string): Toleration {
  return { key: `node.kubernetes.io/${key}`, operator: "Exists", effect };
}

/** The taints of a node that is unreachable, under pressure, or cordoned: daemon pods stay, and new ones are added. */
const always: readonly Toleration[] = [
  tolerationOf("not-ready", "NoExecute"),
  tolerationOf("unreachable", "NoExecute"),
  tolerationOf("disk-pressure", "NoSchedule"),
  tolerationOf("memory-pressure", "NoSchedule"),
  tolerationOf("pid-pressure", "NoSchedule"),
  tolerationOf("unschedulable", "NoSchedule"),
];

/** Pods on the host network may be what makes the network available. */
const onHostNetwork = tolerationOf("network-unavailable", "NoSchedule");

/** The tolerations of the template, plus those that every pod of a DaemonSet has. An existing one loses its time limit. */
export function daemonTolerations(
  spec: Pick<PodSpec, "tolerations" | "hostNetwork"> | undefined,
): readonly Toleration[] {
  const added = spec?.hostNetwork === true ? [...always, onHostNetwork] : always;
  return added.reduce<readonly Toleration[]>(withToleration, spec?.tolerations ?? []);
}

function withToleration(tolerations: readonly Toleration[], added: Toleration): readonly Toleration[] {
  if (!tolerations.some((each) => isSame(each, added))) return [...tolerations, added];
  return tolerations.map((each) => (isSame(each, added) ? added : each));
}

function isSame(one: Toleration, other: Toleration): boolean {
  return (["key", "operator", "value", "effect"] as const).every(
    (field) => (one[field] ?? "") === (other[field] ?? ""),
  );
}
