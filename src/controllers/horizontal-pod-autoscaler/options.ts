/** What kube-controller-manager's flags `--horizontal-pod-autoscaler-…` set. */
import type { Readiness } from "./pod-groups.ts";

/** Times in ms. */
export interface AutoscalerOptions extends Readiness {
  /** The time from one sync to the next: `…-sync-period`. */
  readonly syncPeriodMs: number;
  /** How long a recommendation holds back scaling down unless the spec sets it: `…-downscale-stabilization`. */
  readonly downscaleStabilizationMs: number;
  /** False if metrics cannot be known, as in a dry run: then only the bounds are enforced, and within them nothing is written. */
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
