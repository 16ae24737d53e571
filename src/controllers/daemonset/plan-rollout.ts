/**
 * Which pods of an earlier template to replace now: a pure comparison of the pods with the bounds of the rollout.
 * Source: kubernetes v1.36 pkg/controller/daemon/update.go rollingUpdate, updatedDesiredNodeCounts, findUpdatedPodsOnNode.
 */
import type { Node, Pod } from "../../api/types.ts";
import { isPodAvailable } from "../../controller/workload/pod-status.ts";
import { isUpToDate } from "./new-pod.ts";
import type { NodesInput } from "./plan-nodes.ts";
import { maxSurge, maxUnavailable, minReadySeconds } from "./spec.ts";

/** How many pods a rollout may replace at a time. */
export interface RolloutBounds {
  readonly maxSurge: number;
  readonly maxUnavailable: number;
  /** How many nodes should run a pod. */
  readonly desired: number;
}

/** What a rollout does in one sync. */
export interface RolloutPlan {
  readonly bounds: RolloutBounds;
  /** Pods of earlier templates that are deleted. */
  readonly remove: readonly Pod[];
  /** Names of the nodes that get a second pod, from the current template. */
  readonly create: readonly string[];
  /** How many pods of earlier templates there are. */
  readonly outdated: number;
  /** How many nodes count against the bound: those without an available pod or, with a surge, those whose second pod is unavailable. */
  readonly counted: number;
}

/** What a plan is based on. */
export interface RolloutInput extends NodesInput {
  /** A node as cached now; undefined if it is gone. */
  readonly node: (name: string) => Node | undefined;
}

/** Plans a rollout. @throws RangeError for invalid bounds; Error for a node that is gone. */
export function planRollout(input: RolloutInput): RolloutPlan {
  const places = placesOf(input);
  const bounds = boundsOf(input);
  return bounds.maxSurge === 0 ? planReplacing(input, { places, bounds }) : planSurging(input, { places, bounds });
}

/** The pods of a node, as a rollout sees them. */
interface Place {
  readonly node: string;
  /** Has several updated or several outdated pods: the excess is deleted first, and no pod is set here. */
  readonly crowded: boolean;
  readonly updated: Pod | undefined;
  readonly outdated: Pod | undefined;
}

interface Plotted {
  readonly places: readonly Place[];
  readonly bounds: RolloutBounds;
}

/** Every node that has a pod. */
function placesOf({ set, pods, hash }: RolloutInput): Place[] {
  return [...pods].map(([node, own]) => {
    const all = own.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
    const updated = all.filter((pod) => isUpToDate(pod, { set, hash }));
    const outdated = all.filter((pod) => !updated.includes(pod));
    const crowded = updated.length > 1 || outdated.length > 1;
    return crowded
      ? { node, crowded, updated: undefined, outdated: undefined }
      : { node, crowded, updated: updated[0], outdated: outdated[0] };
  });
}

function boundsOf({ set, nodes, fitOf }: RolloutInput): RolloutBounds {
  const desired = nodes.filter((node) => fitOf(node).shouldRun).length;
  const bounds = { maxUnavailable: maxUnavailable(set, desired), maxSurge: maxSurge(set, desired), desired };
  // With both bounds 0, a rollout would never begin.
  const isStuck = desired > 0 && bounds.maxUnavailable === 0 && bounds.maxSurge === 0;
  return isStuck ? { ...bounds, maxUnavailable: 1 } : bounds;
}

/** One pod per node: outdated ones are deleted, unavailable ones first, since they cost nothing. */
function planReplacing(input: RolloutInput, { places, bounds }: Plotted): RolloutPlan {
  const { set, nodes, pods, fitOf, now } = input;
  const isAvailable = (pod: Pod): boolean => isPodAvailable(pod, minReadySeconds(set), now);
  const free: Pod[] = [];
  const candidates: Pod[] = [];
  // Nodes that should have a pod but have none.
  let counted = nodes.filter((node) => !pods.has(node.metadata.name) && fitOf(node).shouldRun).length;
  for (const { updated, outdated } of places) {
    if (outdated !== undefined && updated === undefined) {
      (isAvailable(outdated) ? candidates : free).push(outdated);
    } else if (outdated !== undefined || updated === undefined || !isAvailable(updated)) counted++;
  }
  counted += free.length;
  const remove = [...free, ...candidates.slice(0, Math.max(0, bounds.maxUnavailable - counted))];
  return { bounds, remove, create: [], outdated: outdatedIn(places), counted };
}

/** Temporarily two pods per node: the outdated one is deleted once the updated one is available. */
function planSurging(input: RolloutInput, { places, bounds }: Plotted): RolloutPlan {
  const { set, now } = input;
  const isAvailable = (pod: Pod | undefined): boolean =>
    pod !== undefined && isPodAvailable(pod, minReadySeconds(set), now);
  const remove: Pod[] = [];
  // On nodes that should no longer run one: they may be deleted once enough others are available.
  const leaving: Pod[] = [];
  const free: string[] = [];
  const candidates: string[] = [];
  let counted = 0;
  let available = 0;
  for (const { node, crowded, updated, outdated } of places) {
    if (crowded) counted++;
    if (isAvailable(outdated ?? updated)) available++;
    if (outdated === undefined) continue;
    if (updated !== undefined) {
      if (isAvailable(updated)) remove.push(outdated);
      else counted++;
    } else if (!shouldRun(input, node)) (isAvailable(outdated) ? leaving : remove).push(outdated);
    else (isAvailable(outdated) ? candidates : free).push(node);
  }
  remove.push(...leaving.slice(0, Math.max(0, available - bounds.desired)));
  const create = [...free, ...candidates.slice(0, Math.max(0, bounds.maxSurge - counted))];
  return { bounds, remove, create, outdated: outdatedIn(places), counted };
}

/** @throws Error for a node that is gone: its pod will be deleted with it. */
function shouldRun({ node, fitOf }: RolloutInput, name: string): boolean {
  const found = node(name);
  if (found === undefined)
    throw new Error(`couldn't get node for nodeName ${JSON.stringify(name)}: node ${JSON.stringify(name)} not found`);
  return fitOf(found).shouldRun;
}

function outdatedIn(places: readonly Place[]): number {
  return places.filter(({ outdated }) => outdated !== undefined).length;
}
