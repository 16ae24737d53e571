/**
 * The nodes of a zone that will get a NoExecute taint, at the zone's rate.
 * Source: kubernetes v1.36 pkg/controller/nodelifecycle/scheduler/rate_limited_queue.go.
 */

/** A bucket of one token, refilled at the rate. */
class Bucket {
  readonly rate: number;
  #tokens: number;
  #countedAt: number;

  constructor(rate: number, { isFull, now }: { readonly isFull: boolean; readonly now: number }) {
    this.rate = rate;
    this.#tokens = isFull ? 1 : 0;
    this.#countedAt = now;
  }

  /** Time until there is a token, in ms; Infinity if it is never refilled. */
  waitMs(now: number): number {
    if (this.rate <= 0) return Infinity;
    this.#tokens = Math.min(1, this.#tokens + ((now - this.#countedAt) / 1000) * this.rate);
    this.#countedAt = now;
    // Sums of fractions fall a little short of 1.
    return this.#tokens >= 1 - 1e-9 ? 0 : Math.ceil(((1 - this.#tokens) / this.rate) * 1000);
  }

  take(): void {
    this.#tokens = 0;
  }
}

/** A queue of nodes, each at most once. All methods are atomic; `now` is in ms since 1970. */
export class Tainter {
  #bucket: Bucket;
  /** In order of turn. */
  readonly #waiting = new Set<string>();
  /** Nodes taken and not removed since: they are not added again. */
  readonly #taken = new Set<string>();

  constructor(rate: number, now: number) {
    this.#bucket = new Bucket(rate, { isFull: true, now });
  }

  /** The next node in turn; undefined if none is waiting. */
  get next(): string | undefined {
    const [first] = this.#waiting;
    return first;
  }

  /** How long it must wait; Infinity while the zone's rate is 0. */
  waitMs(now: number): number {
    return this.#bucket.waitMs(now);
  }

  /** Appends the node, unless it is already waiting or taken. */
  add(node: string): void {
    if (!this.#taken.has(node)) this.#waiting.add(node);
  }

  /** Appends the node, unless it is already waiting: one that lost its taint is tainted again. */
  addAgain(node: string): void {
    this.#taken.delete(node);
    this.#waiting.add(node);
  }

  /** Removes the node, so that it may be added again. */
  remove(node: string): void {
    this.#taken.delete(node);
    this.#waiting.delete(node);
  }

  /** Takes the node out of the queue, if it is its turn and the rate allows it. */
  take(node: string, now: number): boolean {
    if (this.next !== node || this.waitMs(now) > 0) return false;
    this.#bucket.take();
    this.#waiting.delete(node);
    this.#taken.add(node);
    return true;
  }

  /** Tainting a taken node failed: it gets its next turn after all others. Source: Try, where its time becomes now. */
  putBack(node: string): void {
    this.addAgain(node);
  }

  /** Changes the rate. A node that must wait now must still wait afterwards. */
  setRate(rate: number, now: number): void {
    if (rate === this.#bucket.rate) return;
    this.#bucket = new Bucket(rate, { isFull: this.waitMs(now) === 0, now });
  }
}
