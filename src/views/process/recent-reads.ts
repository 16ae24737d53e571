/** The objects that a process read by name of late: what it read is known to the reconcile that goes on. */
import type { ObjectKey } from "../../api/key.ts";
import type { RequestEvent } from "../../trace/events.ts";
import { GenerationalCache } from "../../trace/generational-cache.ts";

/** A read of one object. */
export interface Read {
  readonly sentAt: number;
  readonly endedAt: number;
  readonly resourceVersion: string;
}

/** Which reads: those sent and answered between two times. */
export interface ReadsBetween {
  readonly kind: string;
  readonly key: ObjectKey;
  readonly after: number;
  readonly before: number;
}

/** Kept of one object. */
const keptEach = 8;
/** Objects whose reads are kept, at least. */
const mostObjects = 5_000;

/** The latest reads of each object. */
export class RecentReads {
  readonly #reads = new GenerationalCache<string, Read[]>(mostObjects);

  /** Notes a GET of one object that was answered with it; other requests are none. */
  add({ verb, of, subresource, key, status, resourceVersion, sentAt, ms }: RequestEvent): void {
    if (verb !== "get" || of === undefined || subresource !== undefined || status !== 200) return;
    if (resourceVersion === undefined) return;
    const name = `${of.kind} ${key}`;
    const reads = this.#reads.get(name) ?? [];
    reads.push({ sentAt, endedAt: sentAt + ms, resourceVersion });
    if (reads.length > keptEach) reads.shift();
    this.#reads.set(name, reads);
  }

  /** Of one object between two times, oldest first. */
  between({ kind, key, after, before }: ReadsBetween): readonly Read[] {
    const reads = this.#reads.get(`${kind} ${key}`) ?? [];
    return reads.filter(({ sentAt, endedAt }) => sentAt >= after && endedAt <= before);
  }
}
