/** Which revisions etcd still has. Source: apiserver v0.36 storage/etcd3/compact.go. */

/** kube-apiserver's `--etcd-compaction-interval`, by default. */
const intervalMs = 300_000;

/**
 * Every five minutes etcd forgets what was before the revision of five minutes ago, so that a list finds a revision of the last five
 * minutes for certain, and one that is ten minutes old never. Nothing runs here: it is worked out when somebody asks.
 */
export class Compaction {
  #next: number;
  /** The revision when the last interval ended; undefined in the first. */
  #ended: number | undefined;
  #oldest = 0;

  /** `startedAt` in ms since 1970. */
  constructor(startedAt: number) {
    this.#next = startedAt + intervalMs;
  }

  /** Ends the intervals that are over by `now`; `revision` is the last one until then. To be called before each write. */
  pass(now: number, revision: number): void {
    if (now < this.#next) return;
    const ended = 1 + Math.floor((now - this.#next) / intervalMs);
    this.#next += ended * intervalMs;
    // Nothing was written in those that ended together.
    const before = ended > 1 ? revision : this.#ended;
    this.#oldest = Math.max(this.#oldest, before ?? 0);
    this.#ended = revision;
  }

  /** The oldest revision that is there. */
  get oldest(): number {
    return this.#oldest;
  }
}
