/** What kube-controller-manager has flags for, and their defaults. Source: kubernetes v1.36 pkg/controller/nodelifecycle/config. */

/** Times in milliseconds, rates in nodes a second. */
export interface NodeLifecycleOptions {
  /** How often the health of all nodes is looked at. `--node-monitor-period` */
  readonly monitorPeriodMs: number;
  /** How long a node may be silent before it is unreachable. `--node-monitor-grace-period` */
  readonly gracePeriodMs: number;
  /** The same for a node that has never reported its status. `--node-startup-grace-period` */
  readonly startupGracePeriodMs: number;
  /** How many nodes a second are tainted with NoExecute in a zone that is well. `--node-eviction-rate` */
  readonly evictionRate: number;
  /** The same in a large zone that is partly disrupted; in a small one none is. `--secondary-node-eviction-rate` */
  readonly secondaryEvictionRate: number;
  /** Zones with more nodes are large. `--large-cluster-size-threshold` */
  readonly largeZoneSize: number;
  /** The share of nodes that are not ready from which on a zone is partly disrupted. `--unhealthy-zone-threshold` */
  readonly unhealthyZoneThreshold: number;
}

/** Those of kube-controller-manager. */
export const defaultOptions: NodeLifecycleOptions = {
  monitorPeriodMs: 5000,
  gracePeriodMs: 50_000,
  startupGracePeriodMs: 60_000,
  evictionRate: 0.1,
  secondaryEvictionRate: 0.01,
  largeZoneSize: 50,
  unhealthyZoneThreshold: 0.55,
};
