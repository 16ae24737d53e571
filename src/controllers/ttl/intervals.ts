/** How long kubelets may keep Secrets and ConfigMaps, by the size of the cluster. Source: kubernetes v1.36 pkg/controller/ttl/ttl_controller.go ttlBoundaries. */

/** Sizes in nodes. Neighbours overlap, so that a cluster near a bound does not update all of its nodes back and forth. */
interface Interval {
  /** With fewer nodes, the previous interval applies. */
  readonly least: number;
  /** With more nodes, the next interval applies. */
  readonly most: number;
  readonly seconds: number;
}

const intervals: readonly [Interval, ...Interval[]] = [
  { least: 0, most: 100, seconds: 0 },
  { least: 90, most: 500, seconds: 15 },
  { least: 450, most: 1000, seconds: 30 },
  { least: 900, most: 2000, seconds: 60 },
  { least: 1800, most: Number.POSITIVE_INFINITY, seconds: 300 },
];

/** Counts nodes as they come and go, and tracks the interval of their number. Starts with no nodes. */
export class ClusterSize {
  #nodes = 0;
  #at = 0;

  get nodes(): number {
    return this.#nodes;
  }

  /** How long kubelets may keep what they have read, in seconds. */
  get seconds(): number {
    return this.#interval.seconds;
  }

  add(): void {
    this.#nodes++;
    if (this.#nodes > this.#interval.most) this.#at++;
  }

  remove(): void {
    this.#nodes--;
    if (this.#nodes < this.#interval.least) this.#at--;
  }

  get #interval(): Interval {
    return intervals[this.#at] ?? intervals[0];
  }
}
