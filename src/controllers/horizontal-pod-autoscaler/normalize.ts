/**
 * Turns what the metrics recommend into what the target gets: stabilized over the windows, then limited by bounds and rates.
 * Source: kubernetes v1.36 pkg/controller/podautoscaler/horizontal.go normalizeDesiredReplicas, normalizeDesiredReplicasWithBehaviors.
 */
import { limitByRate, type Limited, limitPlainly } from "./limits.ts";
import type { History } from "./memory.ts";
import type { AutoscalerOptions } from "./options.ts";
import { boundsOf, type AutoscalerSpec } from "./spec.ts";
import { stabilizeBoth, stabilizeDown } from "./stabilize.ts";

/** The input of `normalize`. */
export interface Recommended {
  /** Mutated: it records the recommendation. */
  readonly history: History;
  /** With the controller's own window: see `withWindow`. */
  readonly spec: AutoscalerSpec;
  readonly options: Pick<AutoscalerOptions, "downscaleStabilizationMs">;
  /** The target's current replicas. */
  readonly current: number;
  /** What its metrics recommend. */
  readonly recommended: number;
  /** ms since 1970. */
  readonly now: number;
}

/** The output of `normalize`. */
export interface Normalized {
  readonly replicas: number;
  /** After the windows, before the limits. */
  readonly stabilized: number;
  /** The contents of the condition AbleToScale. */
  readonly able: { readonly reason: string; readonly message: string };
  readonly limited: Limited;
}

const ready = { reason: "ReadyForNewScale", message: "recommended size matches current size" };
const downStabilized = {
  reason: "ScaleDownStabilized",
  message: "recent recommendations were higher than current one, applying the highest recent recommendation",
};
const upStabilized = {
  reason: "ScaleUpStabilized",
  message: "recent recommendations were lower than current one, applying the lowest recent recommendation",
};

/** Atomic. */
export function normalize(given: Recommended): Normalized {
  const { history, spec, current, recommended, now } = given;
  const recommendation = { replicas: recommended, at: now };
  const up = spec.behavior?.scaleUp;
  const down = spec.behavior?.scaleDown;
  if (spec.behavior === undefined || up === undefined || down === undefined) {
    const stabilized = stabilizeDown(history, {
      ...recommendation,
      windowMs: given.options.downscaleStabilizationMs,
    });
    const limited = limitPlainly({ current, desired: stabilized, ...boundsOf(spec) });
    const able = stabilized === recommended ? ready : downStabilized;
    return { replicas: limited.replicas, stabilized, able, limited };
  }
  const upMs = (up.stabilizationWindowSeconds ?? 0) * 1000;
  const downMs = (down.stabilizationWindowSeconds ?? 0) * 1000;
  const stabilized = stabilizeBoth(history, { ...recommendation, current, upMs, downMs });
  const limited = limitByRate({ current, desired: stabilized, ...boundsOf(spec) }, { up, down, history, now });
  const held = recommended >= current ? upStabilized : downStabilized;
  return { replicas: limited.replicas, stabilized, able: stabilized === recommended ? ready : held, limited };
}
