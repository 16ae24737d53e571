/**
 * The pods of a DaemonSet, by target node.
 * Source: kubernetes v1.36 pkg/controller/daemon/daemon_controller.go getDaemonPods, getNodesToDaemonPods, podByCreationTimestampAndPhase;
 * differs: a sync that claims pods several times adopts and releases each pod only once.
 */
import { compareAsGo } from "../../api/go-json.ts";
import { DaemonSets, Pods } from "../../api/kinds.ts";
import type { DaemonSet, Pod } from "../../api/types.ts";
import { ownedAndOrphaned } from "../../controller/api/owned.ts";
import { isPodTerminal } from "../../controller/workload/pod-status.ts";
import { podWritten } from "../../controller/workload/pod-control.ts";
import { claim } from "../../controller/workload/ref-manager.ts";
import type { DaemonSync } from "./daemon-sync.ts";
import { targetNodeOf } from "./new-pod.ts";

/** Pods by the name of their node. */
export type PodsByNode = ReadonlyMap<string, readonly Pod[]>;

/**
 * The set's pods as cached now. Adopts orphans that the selector matches, and releases own pods that it no longer matches. @throws the
 * refusals, as one.
 */
export async function claimPods(sync: DaemonSync): Promise<readonly Pod[]> {
  const { context, set, selector, claimed } = sync;
  const pods = ownedAndOrphaned(context.cache(Pods), set, DaemonSets);
  const unknown = pods.filter((pod) => !claimed.has(versionOf(pod)));
  const own = await claim<DaemonSet, Pod>(context, unknown, {
    owner: set,
    ownerKind: DaemonSets,
    kind: Pods,
    selector,
    onWrite: (pod) => podWritten(context.consistency, pod),
  });
  const isOwn = new Set(own);
  for (const pod of unknown) claimed.set(versionOf(pod), isOwn.has(pod));
  return pods.filter((pod) => claimed.get(versionOf(pod)) === true);
}

function versionOf({ metadata }: Pod): string {
  return `${metadata.uid} ${metadata.resourceVersion}`;
}

/** The set's pods by node. Terminated pods that are being deleted count as gone and are left out. */
export async function podsByNode(sync: DaemonSync): Promise<PodsByNode> {
  const pods = await claimPods(sync);
  return groupedByNode(pods.filter((pod) => !(isPodTerminal(pod) && pod.metadata.deletionTimestamp !== undefined)));
}

/** Pods by the node that they are or will be bound to; a pod without one is left out. */
export function groupedByNode(pods: readonly Pod[]): PodsByNode {
  const byNode = new Map<string, Pod[]>();
  for (const pod of pods) {
    const node = targetNodeOf(pod);
    if (node === undefined) continue;
    const others = byNode.get(node);
    if (others === undefined) byNode.set(node, [pod]);
    else others.push(pod);
  }
  return byNode;
}

/** Bound pods first, then the oldest, then by name: the first one counts. */
export function oldestFirst(pods: readonly Pod[]): readonly Pod[] {
  return pods.length < 2 ? pods : [...pods].sort(byAge);
}

function byAge(a: Pod, b: Pod): number {
  const [boundA, boundB] = [isBound(a), isBound(b)];
  if (boundA !== boundB) return boundA ? -1 : 1;
  const [createdA, createdB] = [a.metadata.creationTimestamp, b.metadata.creationTimestamp];
  // Times share one format, so string order is time order.
  if (createdA !== createdB) return createdA < createdB ? -1 : 1;
  return compareAsGo(a.metadata.name, b.metadata.name);
}

function isBound({ spec }: Pod): boolean {
  return (spec?.nodeName ?? "") !== "";
}
