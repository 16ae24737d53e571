/** The spec of an autoscaler, as the controller reads it. */
import { parseQuantity } from "../../api/quantity.ts";
import type { HorizontalPodAutoscaler } from "../../api/types.ts";
import type { AutoscalerOptions } from "./options.ts";
import type { Tolerances } from "./replica-calculator.ts";

/** `spec` of an autoscaler. */
export type AutoscalerSpec = NonNullable<HorizontalPodAutoscaler["spec"]>;
/** One of `spec.metrics`. */
export type MetricSpec = NonNullable<AutoscalerSpec["metrics"]>[number];
/** `spec.behavior`. */
export type Behavior = NonNullable<AutoscalerSpec["behavior"]>;
/** `spec.behavior.scaleUp`, or `scaleDown`. */
export type ScalingRules = NonNullable<Behavior["scaleUp"]>;

/** The bounds of the replicas; the minimum is 1 unless the spec sets it. */
export function boundsOf({ minReplicas, maxReplicas }: AutoscalerSpec): { readonly min: number; readonly max: number } {
  return { min: minReplicas ?? 1, max: maxReplicas };
}

/** The behavior, with the controller's scale-down window if the spec has none: the API server does not default it. */
export function withWindow(
  spec: AutoscalerSpec,
  { downscaleStabilizationMs }: Pick<AutoscalerOptions, "downscaleStabilizationMs">,
): AutoscalerSpec {
  const { behavior } = spec;
  if (behavior?.scaleDown === undefined || behavior.scaleDown.stabilizationWindowSeconds !== undefined) return spec;
  const stabilizationWindowSeconds = Math.trunc(downscaleStabilizationMs / 1000);
  return { ...spec, behavior: { ...behavior, scaleDown: { ...behavior.scaleDown, stabilizationWindowSeconds } } };
}

/** The spec's tolerances, or the controller's. Source: horizontal.go tolerancesForHpa; the gate HPAConfigurableTolerance is on. */
export function tolerancesOf(
  { behavior }: AutoscalerSpec,
  { tolerance }: Pick<AutoscalerOptions, "tolerance">,
): Tolerances {
  const read = (rules: ScalingRules | undefined): number => {
    const quantity = rules?.tolerance === undefined ? undefined : parseQuantity(rules.tolerance);
    return quantity === undefined ? tolerance : Number(quantity.nano) / 1e9;
  };
  return { down: read(behavior?.scaleDown), up: read(behavior?.scaleUp) };
}
