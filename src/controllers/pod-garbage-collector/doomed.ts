/** Which pods to delete, and why. Pure. Source: kubernetes v1.36 pkg/controller/podgc/gc_controller.go. */
import { keyOf, type ObjectKey } from "../../api/key.ts";
import { parseTime } from "../../api/time.ts";
import type { Node, Pod } from "../../api/types.ts";
import { isNodeReady } from "../../controller/workload/node-conditions.ts";

/** Why a pod is deleted. Of several reasons, the first one here counts. */
export type Reason =
  | { readonly is: "terminated"; readonly ended: number }
  | { readonly is: "out of service" }
  /** Unless the API server still has the node. */
  | { readonly is: "orphaned" }
  | { readonly is: "unscheduled" };

/** A pod to be deleted. */
export interface Doomed {
  readonly uid: string;
  readonly reason: Reason;
}

/** What a scan is based on. */
export interface Look {
  readonly pods: readonly Pod[];
  readonly nodeOf: (name: string) => Node | undefined;
  /** Nodes missing for so long that the API server must be checked. */
  readonly overdue: ReadonlySet<string>;
  /** How many terminated pods are kept; 0 or less: all. */
  readonly threshold: number;
}

const outOfServiceTaint = "node.kubernetes.io/out-of-service";

/** The pods to delete, by key, in deletion order. */
export function doomedPods({ pods, nodeOf, overdue, threshold }: Look): ReadonlyMap<ObjectKey, Doomed> {
  const doomed = new Map<ObjectKey, Doomed>();
  const add = (pod: Pod, reason: Reason): void => {
    const key = keyOf(pod);
    if (!doomed.has(key)) doomed.set(key, { uid: pod.metadata.uid, reason });
  };
  for (const { pod, ended } of terminatedBeyond(pods, threshold)) add(pod, { is: "terminated", ended });
  const deleted = pods.filter(({ metadata }) => metadata.deletionTimestamp !== undefined);
  const stuck = deleted.filter((pod) => isOutOfService(nodeOf(nodeNameOf(pod))));
  for (const pod of stuck.sort(byEvictionAndAge)) add(pod, { is: "out of service" });
  for (const pod of pods) if (overdue.has(nodeNameOf(pod))) add(pod, { is: "orphaned" });
  for (const pod of deleted) if (nodeNameOf(pod) === "") add(pod, { is: "unscheduled" });
  return doomed;
}

/** The name of the pod's node; empty if it has none. */
export function nodeNameOf({ spec }: Pod): string {
  return spec?.nodeName ?? "";
}

function terminatedBeyond(
  pods: readonly Pod[],
  threshold: number,
): readonly { readonly pod: Pod; readonly ended: number }[] {
  if (threshold <= 0) return [];
  const ended = pods.filter(hasEnded);
  if (ended.length <= threshold) return [];
  return ended
    .sort(byEvictionAndAge)
    .slice(0, ended.length - threshold)
    .map((pod) => ({ pod, ended: ended.length }));
}

/** In any phase except those of a pod that may still run. */
function hasEnded({ status }: Pod): boolean {
  return !["Pending", "Running", "Unknown"].includes(status?.phase ?? "");
}

function isOutOfService(node: Node | undefined): boolean {
  if (node === undefined || isNodeReady(node)) return false;
  return (node.spec?.taints ?? []).some(({ key }) => key === outOfServiceTaint);
}

/** Pods evicted by their kubelet come first: their controllers have replaced them. Source: byEvictionAndCreationTimestamp. */
function byEvictionAndAge(one: Pod, other: Pod): number {
  if (isEvicted(one) !== isEvicted(other)) return isEvicted(one) ? -1 : 1;
  const ageOf = ({ metadata }: Pod): number => parseTime(metadata.creationTimestamp);
  return ageOf(one) - ageOf(other) || (one.metadata.name < other.metadata.name ? -1 : 1);
}

function isEvicted({ status }: Pod): boolean {
  return status?.phase === "Failed" && status.reason === "Evicted";
}
