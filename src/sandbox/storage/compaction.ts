/** The revisions that etcd still has. Source: apiserver v0.36 storage/etcd3/compact.go. */

/** The default of kube-apiserver's `--etcd-compaction-interval`. */
const intervalMs = 300_000;

/**
 * Every five minutes, etcd compacts up to the revision of five minutes ago: a list always finds revisions of the last five minutes, and
 * never those older than ten minutes. No timer runs here: it is calculated on demand.
 */
export class Compaction {
  #next: number;
  /** The revision at the end of the last interval; undefined during the first. */
  #ended: number | undefined;
  #oldest = 0;

  /** `startedAt` is in ms since 1970. */
  constructor(startedAt: number) {
    this.#next = startedAt + intervalMs;
  }

  /** Completes intervals that have ended by `now`; `revision` is the last one before. Must be called before each write. */
  pass(now: number, revision: number): void {
    if (now < this.#next) return;
    const ended = 1 + Math.floor((now - this.#next) / intervalMs);
    this.#next += ended * intervalMs;
    // If several intervals ended, nothing was written between them.
    const before = ended > 1 ? revision : this.#ended;
    this.#oldest = Math.max(this.#oldest, before ?? 0);
    this.#ended = revision;
  }

  /** The oldest available revision. */
  get oldest(): number {
    return this.#oldest;
  }
}
