/**
 * The condition DisruptionTarget, by which a controller announces that it is about to delete a pod, and why.
 * Source: kubernetes v1.36 pkg/api/v1/pod/util.go UpdatePodCondition; pkg/util/pod/pod.go PatchPodStatus.
 */
import { namespacedNameOf } from "../../api/key.ts";
import { Pods } from "../../api/kinds.ts";
import { formatTime } from "../../api/time.ts";
import type { Pod, PodCondition, PodStatus } from "../../api/types.ts";
import type { DeleteOptions } from "../../client/api/verbs.ts";
import type { Decision } from "../api/rule.ts";
import type { SyncContext } from "../api/sync-context.ts";
import { findCondition } from "./conditions.ts";

/** The reason and message of the condition. */
export interface Announcement {
  readonly reason: string;
  readonly message: string;
  /** Omits observedGeneration, as some upstream controllers do. */
  readonly leavesOutGeneration?: boolean;
}

/** The time of the condition, in ms since 1970. */
interface Moment {
  readonly now: number;
}

/** The pod's generation as observedGeneration. */
function observed({ metadata: { generation } }: Pod): Pick<PodStatus, "observedGeneration"> {
  return generation === undefined ? {} : { observedGeneration: generation };
}

/**
 * The condition DisruptionTarget=True; undefined if the pod already has it for the same reason. A condition that was already True keeps its
 * time, because the patch omits it.
 */
export function disruptionTarget(
  pod: Pod,
  { reason, message, now, leavesOutGeneration = false }: Announcement & Moment,
): PodCondition | undefined {
  const type = "DisruptionTarget";
  const before = findCondition(pod.status?.conditions, type);
  if (before?.status === "True" && before.reason === reason && before.message === message) return undefined;
  // If it had no time, it stays without one.
  const time = before?.status === "True" ? {} : { lastTransitionTime: formatTime(now) };
  const generation = leavesOutGeneration ? {} : observed(pod);
  return { type, status: "True", reason, message, ...generation, ...time };
}

/** The status change of a pod to be deleted. */
export interface StatusChange {
  readonly pod: Pod;
  readonly because: Decision;
  /** Replaces the condition of its type. */
  readonly condition?: PodCondition | undefined;
  /** Marks the pod as failed, so that controllers need not wait for its kubelet. */
  readonly phase?: "Failed";
}

/**
 * Patches the pod's status, if it changes, with a precondition on the uid.
 * @throws StatusError: 404 if the pod does not exist, 409 if another pod has its name.
 */
export async function patchPodStatus(
  { client, signal }: SyncContext,
  { pod, because, condition, phase }: StatusChange,
): Promise<void> {
  if (condition === undefined && phase === undefined) return;
  const { namespace = "", name, uid } = pod.metadata;
  const status = {
    ...(phase !== undefined && { phase, ...observed(pod) }),
    ...(condition !== undefined && placed(pod, condition)),
  };
  await client.patch(
    Pods,
    { namespace, name },
    { type: "strategic", body: { metadata: { uid }, status } },
    { subresource: "status", because, basedOn: pod, signal },
  );
}

/** A pod to be deleted, with the status change that announces it. */
export interface Removal extends StatusChange {
  readonly preconditions?: DeleteOptions["preconditions"];
}

/**
 * Patches the pod's status, then deletes the pod.
 * @throws StatusError: 404 if the pod does not exist, 409 if another pod has its name.
 */
export async function announceAndDelete(context: SyncContext, { preconditions, ...change }: Removal): Promise<void> {
  await patchPodStatus(context, change);
  const { pod, because } = change;
  const options = { because, basedOn: pod, signal: context.signal };
  await context.client.delete(Pods, namespacedNameOf(pod), {
    ...options,
    ...(preconditions !== undefined && { preconditions }),
  });
}

/**
 * The condition, and the order directive that puts a new one last; without it, a strategic merge would put it first. A first condition needs
 * none. Source: kubernetes v1.36 staging/src/k8s.io/apimachinery/pkg/util/strategicpatch/patch.go diffMaps.
 */
function placed({ status }: Pod, condition: PodCondition): Readonly<Record<string, unknown>> {
  const { conditions = [] } = status ?? {};
  if (conditions.length === 0) return { conditions: [condition] };
  const types = new Set([...conditions.map(({ type }) => type), condition.type]);
  return { "$setElementOrder/conditions": [...types].map((type) => ({ type })), conditions: [condition] };
}
