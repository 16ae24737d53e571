/** A histogram of durations in constant space, to read quantiles such as p50 and p99 from. */

/** Each bucket's upper bound is 10 % above that of the previous one: from 0.01 ms, 200 buckets reach half an hour. */
const growth = 1.1;
const minMs = 0.01;
const buckets = 200;
const windowMs = 30_000;

/** A histogram of 800 bytes. Quantiles are accurate to within 10 %. */
class Durations {
  total = 0;
  #counts = new Uint32Array(buckets);

  add(ms: number): void {
    const place = ms <= minMs ? 0 : Math.ceil(Math.log(ms / minMs) / Math.log(growth));
    const bucket = Math.min(place, buckets - 1);
    this.#counts[bucket] = this.count(bucket) + 1;
    this.total++;
  }

  count(bucket: number): number {
    return this.#counts[bucket] ?? 0;
  }
}

/** The durations of the last 30 to 60 seconds. */
export class RecentDurations {
  #now = new Durations();
  #before = new Durations();
  #since = 0;

  /** Adds a duration measured at a time, in ms since 1970; times must not decrease. */
  add(ms: number, at: number): void {
    this.#turnOver(at);
    this.#now.add(ms);
  }

  /** The `q`-quantile (0.5, 0.99) of the recent durations, in ms; undefined if there are none. */
  quantile(q: number, at: number): number | undefined {
    this.#turnOver(at);
    const total = this.#now.total + this.#before.total;
    if (total === 0) return undefined;
    let left = Math.ceil(q * total);
    for (let bucket = 0; bucket < buckets; bucket++) {
      left -= this.#now.count(bucket) + this.#before.count(bucket);
      if (left <= 0) return minMs * growth ** bucket;
    }
    return minMs * growth ** (buckets - 1);
  }

  #turnOver(at: number): void {
    if (at < this.#since + windowMs) return;
    this.#before = at < this.#since + 2 * windowMs ? this.#now : new Durations();
    this.#now = new Durations();
    this.#since = at;
  }
}
