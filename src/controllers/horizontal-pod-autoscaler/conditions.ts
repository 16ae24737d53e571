/** The conditions of an autoscaler. Pure. Source: kubernetes v1.36 pkg/controller/podautoscaler/horizontal.go setConditionInList. */
import { formatTime } from "../../api/time.ts";
import type { HorizontalPodAutoscaler } from "../../api/types.ts";

/** `status` of an autoscaler. */
export type AutoscalerStatus = NonNullable<HorizontalPodAutoscaler["status"]>;
/** One of `status.conditions`. */
export type AutoscalerCondition = NonNullable<AutoscalerStatus["conditions"]>[number];

/** A condition to be set. */
export interface DesiredCondition {
  readonly type: "AbleToScale" | "ScalingActive" | "ScalingLimited";
  readonly status: "True" | "False";
  readonly reason: string;
  readonly message: string;
}

/** The conditions with the one of this type replaced, or appended; its time changes with its status. `now` in ms since 1970. */
export function withAutoscalerCondition(
  conditions: readonly AutoscalerCondition[],
  { now, ...desired }: DesiredCondition & { readonly now: number },
): readonly AutoscalerCondition[] {
  const before = conditions.find(({ type }) => type === desired.type);
  const since = before?.status === desired.status ? before.lastTransitionTime : formatTime(now);
  const { type, status, reason, message } = desired;
  const next = { type, status, ...(since !== undefined && { lastTransitionTime: since }), reason, message };
  return before === undefined ? [...conditions, next] : conditions.map((each) => (each === before ? next : each));
}
