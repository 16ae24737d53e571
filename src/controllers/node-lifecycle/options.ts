/** The settings of kube-controller-manager's flags, and their defaults. Source: kubernetes v1.36 pkg/controller/nodelifecycle/config. */

/** Times in milliseconds, rates in nodes per second. */
export interface NodeLifecycleOptions {
  /** How often the health of all nodes is checked. `--node-monitor-period` */
  readonly monitorPeriodMs: number;
  /** How long a node may be silent before it is unreachable. `--node-monitor-grace-period` */
  readonly gracePeriodMs: number;
  /** The same for a node that has never reported its status. `--node-startup-grace-period` */
  readonly startupGracePeriodMs: number;
  /** How many nodes per second are tainted with NoExecute in a healthy zone. `--node-eviction-rate` */
  readonly evictionRate: number;
  /** The same in a large, partially disrupted zone; 0 in a small one. `--secondary-node-eviction-rate` */
  readonly secondaryEvictionRate: number;
  /** Zones with more nodes are large. `--large-cluster-size-threshold` */
  readonly largeZoneSize: number;
  /** The fraction of nodes not ready from which a zone is partially disrupted. `--unhealthy-zone-threshold` */
  readonly unhealthyZoneThreshold: number;
}

/** The defaults of kube-controller-manager. */
export const defaultOptions: NodeLifecycleOptions = {
  monitorPeriodMs: 5000,
  gracePeriodMs: 50_000,
  startupGracePeriodMs: 60_000,
  evictionRate: 0.1,
  secondaryEvictionRate: 0.01,
  largeZoneSize: 50,
  unhealthyZoneThreshold: 0.55,
};
