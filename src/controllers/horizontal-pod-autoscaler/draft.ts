/** One sync of an autoscaler: what its steps share, and the status that they build. */
import { deepEqual } from "../../api/deep-equal.ts";
import { messageOf } from "../../api/error-message.ts";
import type { ObjectKey } from "../../api/key.ts";
import { HorizontalPodAutoscalers } from "../../api/kinds.ts";
import { formatTime } from "../../api/time.ts";
import type { HorizontalPodAutoscaler } from "../../api/types.ts";
import type { EventToRecord, SyncContext } from "../../controller/api/sync-context.ts";
import {
  type AutoscalerCondition,
  type AutoscalerStatus,
  type DesiredCondition,
  withAutoscalerCondition,
} from "./conditions.ts";
import type { AutoscalerOptions } from "./options.ts";
import { status as statusRule } from "./rules.ts";
import type { AutoscalerSpec } from "./spec.ts";

/** The status of one metric; for a failed metric, only that it failed. */
export type MetricStatus = NonNullable<AutoscalerStatus["currentMetrics"]>[number];

/** A sync under way. */
export interface AutoscalerSync {
  readonly key: ObjectKey;
  readonly context: SyncContext;
  readonly options: AutoscalerOptions;
  /** As cached. */
  readonly hpa: HorizontalPodAutoscaler;
  /** Its spec, with the defaults that the controller fills in. */
  spec: AutoscalerSpec;
  /** As they will be written. */
  conditions: readonly AutoscalerCondition[];
}

/** Sets a condition of the status to be written. */
export function setCondition(sync: AutoscalerSync, condition: DesiredCondition): void {
  sync.conditions = withAutoscalerCondition(sync.conditions, { ...condition, now: sync.context.now() });
}

/** Records a warning about the autoscaler. */
export function warn({ context, hpa }: AutoscalerSync, event: Omit<EventToRecord, "type">): void {
  context.event(HorizontalPodAutoscalers, hpa, { type: "Warning", ...event });
}

/** What a sync found, besides its conditions. */
export interface Outcome {
  readonly current: number;
  /** Undefined if it was not computed: the old value stays. */
  readonly desired?: number;
  readonly metrics: readonly MetricStatus[];
  /** The target was scaled just now. */
  readonly isScaled?: true;
}

/** The status for an outcome. Without one, only the conditions change. */
function statusOf({ context, hpa, conditions }: AutoscalerSync, outcome: Outcome | undefined): AutoscalerStatus {
  const before = hpa.status;
  if (outcome === undefined) return { desiredReplicas: 0, ...before, conditions };
  const { current, desired = before?.desiredReplicas ?? 0, metrics, isScaled } = outcome;
  const lastScaleTime = isScaled === true ? formatTime(context.now()) : before?.lastScaleTime;
  return {
    ...(lastScaleTime !== undefined && { lastScaleTime }),
    ...(current !== 0 && { currentReplicas: current }),
    desiredReplicas: desired,
    ...(metrics.length > 0 && { currentMetrics: metrics }),
    conditions,
  };
}

/** Normalizes the status: absent and empty are the same. */
function comparable(status: Partial<AutoscalerStatus> | undefined): unknown {
  const { currentReplicas = 0, desiredReplicas = 0, conditions, lastScaleTime, observedGeneration } = status ?? {};
  // An empty list is null on the wire, which the types do not show.
  const currentMetrics: readonly MetricStatus[] | null | undefined = status?.currentMetrics;
  const metrics = currentMetrics ?? [];
  return [currentReplicas, desiredReplicas, metrics, conditions ?? [], lastScaleTime ?? "", observedGeneration ?? 0];
}

/**
 * Writes the status if it has changed. @throws whatever kept it from being written, after recording an Event.
 * Source: horizontal.go setStatus, updateStatusIfNeeded.
 */
export async function writeStatus(sync: AutoscalerSync, outcome?: Outcome): Promise<void> {
  const { context, hpa, spec } = sync;
  const status = statusOf(sync, outcome);
  if (deepEqual(comparable(hpa.status), comparable(status))) return;
  const reasonOf = (type: DesiredCondition["type"]): string =>
    sync.conditions.find((each) => each.type === type)?.reason ?? "";
  const because = context.decide(statusRule, {
    current: status.currentReplicas ?? 0,
    desired: status.desiredReplicas,
    able: reasonOf("AbleToScale"),
    active: reasonOf("ScalingActive"),
    limited: reasonOf("ScalingLimited"),
  });
  try {
    const options = { because, basedOn: hpa, signal: context.signal };
    await context.client.updateStatus(HorizontalPodAutoscalers, { ...hpa, spec, status }, options);
  } catch (error) {
    context.signal.throwIfAborted();
    warn(sync, { reason: "FailedUpdateStatus", message: messageOf(error) });
    throw error;
  }
}

/** The same after another failure, which the sync reports: an error of this write is dropped, as in upstream. */
export async function writeStatusAnyway(sync: AutoscalerSync, outcome?: Outcome): Promise<void> {
  try {
    await writeStatus(sync, outcome);
  } catch {
    sync.context.signal.throwIfAborted();
  }
}
