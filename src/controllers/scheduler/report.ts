/** What becomes of an attempt that placed no pod. Source: kubernetes v1.36 pkg/scheduler/schedule_one.go handleSchedulingFailure. */
import { deepEqual } from "../../api/field-changes.ts";
import { Pods } from "../../api/kinds.ts";
import { isNotFound } from "../../api/status-error.ts";
import { formatTime } from "../../api/time.ts";
import type { Pod, PodCondition } from "../../api/types.ts";
import type { SyncContext } from "../../controller/api/sync-context.ts";
import { backoffMs, memory } from "./memory.ts";
import { failed, unschedulable } from "./rules.ts";

/** A pod and its sync. */
export interface OfPod {
  readonly context: SyncContext;
  readonly pod: Pod;
}

/** Reports that no node is suitable, and why. */
export async function markUnschedulable(context: SyncContext, pod: Pod, message: string): Promise<void> {
  const attempts = (context.state(memory).waiting.get(context.key)?.attempts ?? 0) + 1;
  await report({ context, pod }, { reason: "Unschedulable", message, attempts });
}

/** Why a pod was not placed. */
export interface Failure {
  readonly reason: "Unschedulable" | "SchedulerError";
  readonly message: string;
  /** Counting this one. */
  readonly attempts: number;
}

/** Reports a failed attempt in the pod's status and in an Event, and delays the next one. @throws the API server's refusal. */
export async function report({ context, pod }: OfPod, { reason, message, attempts }: Failure): Promise<void> {
  const { waiting } = context.state(memory);
  const because = context.decide(reason === "Unschedulable" ? unschedulable : failed, { message, attempts });
  // Before the request: a change in the meantime must enqueue it.
  waiting.set(context.key, { attempts, until: context.now() + backoffMs(attempts), woken: false });
  context.event(Pods, pod, { type: "Warning", reason: "FailedScheduling", message });
  const condition = conditionFor(pod, { reason, message }, context.now());
  if (condition === undefined) return;
  const { namespace = "", name, uid } = pod.metadata;
  try {
    await context.client.patch(
      Pods,
      { namespace, name },
      { type: "strategic", body: { metadata: { uid }, status: { conditions: [condition] } } },
      { subresource: "status", because, basedOn: pod, signal: context.signal },
    );
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
}

/** Undefined if the pod already has the condition. */
function conditionFor(
  pod: Pod,
  { reason, message }: Pick<Failure, "reason" | "message">,
  now: number,
): PodCondition | undefined {
  const before = pod.status?.conditions?.find(({ type }) => type === "PodScheduled");
  const generation = pod.metadata.generation;
  const condition: PodCondition = {
    type: "PodScheduled",
    status: "False",
    reason,
    message,
    lastTransitionTime: before?.status === "False" ? (before.lastTransitionTime ?? "") : formatTime(now),
    ...(generation !== undefined && { observedGeneration: generation }),
  };
  if (before === undefined) return condition;
  // The server sends a missing probe time as null.
  const { lastProbeTime: _, ...known } = before;
  return deepEqual(known, condition) ? undefined : condition;
}
