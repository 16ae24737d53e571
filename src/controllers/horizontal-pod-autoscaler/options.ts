/** What kube-controller-manager's flags `--horizontal-pod-autoscaler-…` set. */
import type { Readiness } from "./pod-groups.ts";

/** Times in ms. */
export interface AutoscalerOptions extends Readiness {
  /** How long after one sync the next one is: `…-sync-period`. */
  readonly syncPeriodMs: number;
  /** How long a recommendation holds back scaling down, where the spec says nothing: `…-downscale-stabilization`. */
  readonly downscaleStabilizationMs: number;
  /** False where metrics cannot be known, as in a dry run: only bounds are kept then, and within them nothing is written. */
  readonly readsMetrics: boolean;
  /** How far usage may be from the target, as a ratio: `…-tolerance`. */
  readonly tolerance: number;
}

/** Upstream's defaults. Source: kubernetes v1.36 pkg/controller/podautoscaler/config/v1alpha1/defaults.go. */
export const defaultOptions: AutoscalerOptions = {
  syncPeriodMs: 15_000,
  downscaleStabilizationMs: 5 * 60_000,
  tolerance: 0.1,
  readsMetrics: true,
  cpuInitializationPeriodMs: 5 * 60_000,
  initialReadinessDelayMs: 30_000,
};
