/** Scaling the target. Source: kubernetes v1.36 pkg/controller/podautoscaler/horizontal.go reconcileAutoscaler. */
import { messageOf } from "../../api/error-message.ts";
import { HorizontalPodAutoscalers } from "../../api/kinds.ts";
import type { Scale } from "../../client/api/verbs.ts";
import { retryOnConflict } from "../../controller/api/retry-on-conflict.ts";
import { type AutoscalerSync, type MetricStatus, setCondition, warn, writeStatusAnyway } from "./draft.ts";
import { rescale as rescaleRule } from "./rules.ts";
import type { Target } from "./target.ts";

/** A change of a target's replicas. */
export interface Rescale {
  readonly target: Target;
  readonly from: number;
  readonly to: number;
  /** Human-readable. */
  readonly reason: string;
  /** For the status if scaling fails. */
  readonly metrics: readonly MetricStatus[];
}

/** @throws whatever kept the scale from being written, after writing the condition AbleToScale. */
export async function rescaleTo(sync: AutoscalerSync, { target, from, to, reason, metrics }: Rescale): Promise<void> {
  const { context, hpa, spec } = sync;
  const { kind, name } = spec.scaleTargetRef;
  const namespace = hpa.metadata.namespace ?? "";
  const because = context.decide(rescaleRule, { target: `${kind} ${name}`, from, to, reason });
  const at = { namespace, name };
  let scale: Scale = target.scale;
  const write = async (): Promise<void> => {
    try {
      const { signal } = context;
      const scaled = { ...scale, spec: { ...scale.spec, replicas: to } };
      await context.client.updateScale(target.kind, at, scaled, { because, basedOn: scale, signal });
    } catch (error) {
      context.signal.throwIfAborted();
      scale = await latest(sync, { ...target, scale });
      throw error;
    }
  };
  try {
    await retryOnConflict(write, { context });
  } catch (error) {
    context.signal.throwIfAborted();
    const problem = messageOf(error);
    warn(sync, { reason: "FailedRescale", message: `New size: ${to}; reason: ${reason}; error: ${problem}` });
    const message = `the HPA controller was unable to update the target scale: ${problem}`;
    setCondition(sync, { type: "AbleToScale", status: "False", reason: "FailedUpdateScale", message });
    await writeStatusAnyway(sync, { current: from, metrics });
    throw new Error(`failed to rescale ${kind}/${namespace}/${name}: ${problem}`, { cause: error });
  }
  const message = `the HPA controller was able to update the target scale to ${to}`;
  setCondition(sync, { type: "AbleToScale", status: "True", reason: "SucceededRescale", message });
  const eventMessage = `New size: ${to}; reason: ${reason}`;
  context.event(HorizontalPodAutoscalers, hpa, { type: "Normal", reason: "SuccessfulRescale", message: eventMessage });
  sync.conditions = sync.conditions.filter(({ type }) => type !== "ScaledToZero");
}

/** The current scale, for the next attempt; the previous one if it cannot be read. */
async function latest({ context, hpa, spec }: AutoscalerSync, { kind, scale }: Target): Promise<Scale> {
  const at = { namespace: hpa.metadata.namespace ?? "", name: spec.scaleTargetRef.name };
  try {
    return await context.client.getScale(kind, at, { signal: context.signal });
  } catch {
    context.signal.throwIfAborted();
    return scale;
  }
}
