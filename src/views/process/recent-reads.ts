/** The objects that a process recently read by name: the running reconcile knows what they returned. */
import type { ObjectKey } from "../../api/key.ts";
import type { RequestEvent } from "../../trace/events.ts";
import { GenerationalCache } from "../../trace/generational-cache.ts";

/** A read of one object. */
export interface Read {
  readonly sentAt: number;
  readonly endedAt: number;
  readonly resourceVersion: string;
}

/** Selects the reads of one object that were sent and completed between two times. */
export interface ReadsBetween {
  readonly kind: string;
  readonly key: ObjectKey;
  readonly after: number;
  readonly before: number;
}

/** Reads kept for one object. */
const keptEach = 8;
/** The reads of at least this many objects are kept. */
const maxObjects = 5_000;

/** The latest reads of each object. */
export class RecentReads {
  readonly #reads = new GenerationalCache<string, Read[]>(maxObjects);

  /** Adds a successful GET of one object; ignores other requests. */
  add({ verb, of, subresource, key, status, resourceVersion, sentAt, ms }: RequestEvent): void {
    if (verb !== "get" || of === undefined || subresource !== undefined || status !== 200) return;
    if (resourceVersion === undefined) return;
    const name = `${of.kind} ${key}`;
    const reads = this.#reads.get(name) ?? [];
    reads.push({ sentAt, endedAt: sentAt + ms, resourceVersion });
    if (reads.length > keptEach) reads.shift();
    this.#reads.set(name, reads);
  }

  /** The selected reads, oldest first. */
  between({ kind, key, after, before }: ReadsBetween): readonly Read[] {
    const reads = this.#reads.get(`${kind} ${key}`) ?? [];
    return reads.filter(({ sentAt, endedAt }) => sentAt >= after && endedAt <= before);
  }
}
