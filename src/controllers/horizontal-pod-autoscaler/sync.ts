/** One sync of an autoscaler. Source: kubernetes v1.36 pkg/controller/podautoscaler/horizontal.go reconcileKey, reconcileAutoscaler. */
import { messageOf } from "../../api/error-message.ts";
import { HorizontalPodAutoscalers } from "../../api/kinds.ts";
import type { SyncContext } from "../../controller/api/sync-context.ts";
import { type AutoscalerSync, type MetricStatus, setCondition, warn, writeStatus, writeStatusAnyway } from "./draft.ts";
import { rememberChange } from "./limits.ts";
import { type History, memory, noHistory } from "./memory.ts";
import { compute, type Computed, NoReplicaCountError } from "./metrics.ts";
import { normalize } from "./normalize.ts";
import type { AutoscalerOptions } from "./options.ts";
import { rescaleTo } from "./rescale.ts";
import {
  aboveMax,
  belowMin,
  metricsUnknown,
  normalized as normalizedRule,
  scalingDisabled,
  targetUnreadable,
} from "./rules.ts";
import { boundsOf, withWindow } from "./spec.ts";
import { rememberStart } from "./stabilize.ts";
import { readTarget, type Target, TargetError } from "./target.ts";

/**
 * Scales an autoscaler's target by its metrics, and writes the status. It syncs again after the period, whatever the outcome: metrics send
 * no change notifications.
 * @throws whatever kept the target from being scaled or the status from being written.
 */
export async function syncAutoscaler(context: SyncContext, options: AutoscalerOptions): Promise<void> {
  const hpa = context.cache(HorizontalPodAutoscalers).get(context.key);
  const { histories } = context.state(memory);
  if (hpa?.spec === undefined) {
    histories.delete(context.key);
    return;
  }
  const { spec, status } = hpa;
  const { key } = context;
  await reconcile({ key, context, options, hpa, spec, conditions: status?.conditions ?? [] });
  // Failures are retried after the same time.
  const seconds = options.syncPeriodMs / 1000;
  context.enqueueAfter(options.syncPeriodMs, `metrics are read every ${seconds} s`, { background: true });
}

/** What to do with the target. */
interface Verdict {
  readonly replicas: number;
  /** For the Event. */
  readonly reason: string;
  readonly metrics: readonly MetricStatus[];
  /** Whether it is scaled, even if the replicas do not change. */
  readonly isScaled: boolean;
  /** Some of the metrics failed. */
  readonly error?: Error;
}

async function reconcile(sync: AutoscalerSync): Promise<void> {
  const target = await targetOf(sync);
  const current = target.scale.spec.replicas ?? 0;
  const history = historyOf(sync);
  rememberStart(history, { replicas: current, at: sync.context.now() });
  const verdict = await judge(sync, { target, current, history });
  if (verdict === undefined) return;
  const { replicas, reason, metrics, isScaled, error } = verdict;
  if (isScaled) {
    const change = { target, from: current, to: replicas, reason, metrics };
    await rescaleTo(sync, change);
    const { scaleUp: up, scaleDown: down } = sync.spec.behavior ?? {};
    if (up !== undefined && down !== undefined) {
      const basedOn = target.scale.metadata?.resourceVersion ?? "";
      rememberChange(history, { from: current, to: replicas, basedOn, at: sync.context.now(), up, down });
    }
  }
  const outcome = { current, desired: isScaled ? replicas : current, metrics };
  await writeStatus(sync, { ...outcome, ...(isScaled && { isScaled }) });
  if (error !== undefined) throw error;
}

function historyOf({ context, key }: AutoscalerSync): History {
  const { histories } = context.state(memory);
  let history = histories.get(key);
  if (history === undefined) histories.set(key, (history = noHistory()));
  return history;
}

/** @throws whatever keeps the scale from being read, after writing the condition AbleToScale. */
async function targetOf(sync: AutoscalerSync): Promise<Target> {
  const { context, hpa, spec } = sync;
  const namespace = hpa.metadata.namespace ?? "";
  const { kind, name } = spec.scaleTargetRef;
  try {
    const target = await readTarget(context, { namespace, reference: spec.scaleTargetRef });
    const message = "the HPA controller was able to get the target's current scale";
    setCondition(sync, { type: "AbleToScale", status: "True", reason: "SucceededGetScale", message });
    return target;
  } catch (error) {
    context.signal.throwIfAborted();
    const problem = messageOf(error);
    context.decide(targetUnreadable, { target: `${kind} ${name}`, error: problem });
    warn(sync, { reason: "FailedGetScale", message: problem });
    const message = `the HPA controller was unable to get the target's current scale: ${problem}`;
    setCondition(sync, { type: "AbleToScale", status: "False", reason: "FailedGetScale", message });
    await writeStatusAnyway(sync);
    const reference = `${kind}/${namespace}/${name}`;
    const doing = error instanceof TargetError ? error.doing : `failed to query scale subresource for ${reference}`;
    throw new Error(`${doing}: ${problem}`, { cause: error });
  }
}

interface Standing {
  readonly target: Target;
  readonly current: number;
  readonly history: History;
}

/** Undefined if only metrics could determine it. @throws whatever keeps the replicas from being known, after writing the status. */
async function judge(sync: AutoscalerSync, { target, current, history }: Standing): Promise<Verdict | undefined> {
  const { context, spec } = sync;
  const { min, max } = boundsOf(spec);
  // The gate HPAScaleToZero is off: an autoscaler never leaves 0.
  if (current === 0) {
    context.decide(scalingDisabled, {});
    const message = "scaling is disabled since the replica count of the target is zero";
    setCondition(sync, { type: "ScalingActive", status: "False", reason: "ScalingDisabled", message });
    sync.conditions = sync.conditions.filter(({ type }) => type !== "ScaledToZero");
    return { replicas: 0, reason: "", metrics: [], isScaled: false };
  }
  if (current > max) {
    context.decide(aboveMax, { current, bound: max });
    return { replicas: max, reason: "Current number of replicas above Spec.MaxReplicas", metrics: [], isScaled: true };
  }
  if (current < min) {
    context.decide(belowMin, { current, bound: min });
    return { replicas: min, reason: "Current number of replicas below Spec.MinReplicas", metrics: [], isScaled: true };
  }
  if (!sync.options.readsMetrics) {
    context.decide(metricsUnknown, { current });
    return undefined;
  }
  const computed = await computeOrReport(sync, { target, current });
  const recommended = Math.max(0, computed.replicas);
  sync.spec = withWindow(spec, sync.options);
  const { options } = sync;
  const normal = normalize({ history, spec: sync.spec, options, current, recommended, now: context.now() });
  const { replicas, stabilized, able, limited } = normal;
  setCondition(sync, { type: "AbleToScale", status: "True", ...able });
  const isLimited = replicas === stabilized ? "False" : "True";
  setCondition(sync, { type: "ScalingLimited", status: isLimited, reason: limited.reason, message: limited.message });
  context.decide(normalizedRule, { recommended, stabilized, replicas, able: able.reason, limited: limited.reason });
  const reason = recommended > current ? `${computed.metric} above target` : "All metrics below target";
  return {
    replicas,
    reason: recommended === current ? "" : reason,
    metrics: computed.statuses,
    isScaled: replicas !== current,
    ...(computed.error !== undefined && { error: computed.error }),
  };
}

async function computeOrReport(
  sync: AutoscalerSync,
  { target, current }: Pick<Standing, "target" | "current">,
): Promise<Computed> {
  try {
    return await compute(sync, target.scale);
  } catch (error) {
    if (!(error instanceof NoReplicaCountError)) throw error;
    await writeStatusAnyway(sync, { current, metrics: error.statuses });
    warn(sync, { reason: "FailedComputeMetricsReplicas", message: error.message });
    const { kind, name } = sync.spec.scaleTargetRef;
    const reference = `${kind}/${sync.hpa.metadata.namespace}/${name}`;
    const doing = `failed to compute desired number of replicas based on listed metrics for ${reference}`;
    throw new Error(`${doing}: ${error.message}`, { cause: error });
  }
}
