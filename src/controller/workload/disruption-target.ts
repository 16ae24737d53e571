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

/** What a condition says, beside its type, its status and its time. */
export interface Announcement {
  readonly reason: string;
  readonly message: string;
  /** It does not say at which generation of the pod: some of upstream's controllers do not. */
  readonly leavesOutGeneration?: boolean;
}

/** When it is said, in ms since 1970. */
interface Moment {
  readonly now: number;
}

/** The pod's generation, as a field that says what generation was looked at. */
function observed({ metadata: { generation } }: Pod): Pick<PodStatus, "observedGeneration"> {
  return generation === undefined ? {} : { observedGeneration: generation };
}

/**
 * The condition DisruptionTarget=True; undefined if the pod has it already, for the same reason. A condition
 * that was True before keeps its time: the patch does not name it.
 */
export function disruptionTarget(
  pod: Pod,
  { reason, message, now, leavesOutGeneration = false }: Announcement & Moment,
): PodCondition | undefined {
  const type = "DisruptionTarget";
  const before = findCondition(pod.status?.conditions, type);
  if (before?.status === "True" && before.reason === reason && before.message === message) return undefined;
  // Where it had no time, it stays without one.
  const time = before?.status === "True" ? {} : { lastTransitionTime: formatTime(now) };
  const generation = leavesOutGeneration ? {} : observed(pod);
  return { type, status: "True", reason, message, ...generation, ...time };
}

/** What changes in the status of a pod that is to go. */
export interface StatusChange {
  readonly pod: Pod;
  readonly because: Decision;
  /** Set in place of any of its type. */
  readonly condition?: PodCondition | undefined;
  /** The pod ends: whoever counts it need not wait for its kubelet. */
  readonly phase?: "Failed";
}

/**
 * Patches the pod's status, if anything changes in it; only the pod of this uid.
 * @throws StatusError: 404 if it is gone, 409 if another pod has its name.
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

/** A pod that goes, and what its status says before. */
export interface Removal extends StatusChange {
  readonly preconditions?: DeleteOptions["preconditions"];
}

/**
 * Changes the pod's status, and deletes the pod.
 * @throws StatusError: 404 if it is gone, 409 if another pod has its name.
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

/** A condition that is new comes last: a merge without this order would put it first. */
function placed({ status }: Pod, condition: PodCondition): Readonly<Record<string, unknown>> {
  const types = new Set([...(status?.conditions ?? []).map(({ type }) => type), condition.type]);
  return { "$setElementOrder/conditions": [...types].map((type) => ({ type })), conditions: [condition] };
}
