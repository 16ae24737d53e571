/** What kube-controller-manager keeps in variables for its tests. Source: kubernetes v1.36 pkg/controller/job/job_controller.go. */

/** Times in milliseconds. */
export interface JobOptions {
  /** How long changes are batched before a sync. SyncJobBatchPeriod */
  readonly batchPeriodMs: number;
  /** How long a Job waits after the first failure; doubled with each further one. DefaultJobPodFailureBackOff */
  readonly failureDelayMs: number;
  /** The limit of that delay. MaxJobPodFailureBackOff */
  readonly maxFailureDelayMs: number;
  /** The most pods that a status lists, so that it stays below about 20 KB and one Job does not hold up the others. MaxUncountedPods */
  readonly maxUncounted: number;
  /** The most pods that one sync creates or deletes. MaxPodCreateDeletePerSync */
  readonly maxChangesPerSync: number;
}

/** The defaults of kube-controller-manager. */
export const defaultOptions: JobOptions = {
  batchPeriodMs: 1000,
  failureDelayMs: 10_000,
  maxFailureDelayMs: 600_000,
  maxUncounted: 500,
  maxChangesPerSync: 500,
};
