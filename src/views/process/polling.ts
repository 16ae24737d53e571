/** Finds reads that a process repeats where a watch would do. */
import type { RequestEvent } from "../../trace/events.ts";
import type { LeaderElection } from "./leader-election.ts";

/** A read that was repeated. */
export interface Poll {
  /** `get` or `list`. */
  readonly verb: string;
  /** The user agent, without its version. */
  readonly agent: string;
  readonly uri: string;
  /** When it was first and last sent, in ms since 1970. */
  readonly firstAt: number;
  readonly lastAt: number;
  readonly count: number;
  /** The median pause between two of them, in ms. */
  readonly everyMs: number;
  /** How many returned the same resourceVersion of the object or list as the read before. */
  readonly unchanged: number;
}

interface CountedRead {
  readonly event: RequestEvent;
  count: number;
  unchanged: number;
  last: number;
  version: string;
  pauses: number[];
}

/** A read counts as a poll from this many repetitions on. */
const pollsFrom = 5;
/** URIs that are counted; later ones are ignored. */
const maxUris = 5000;
const keptPauses = 101;

/** Counts reads by URI. */
export class Polling {
  readonly #reads = new Map<string, CountedRead>();

  request(event: RequestEvent): void {
    const { verb, uri, sentAt, resourceVersion = "", status } = event;
    if ((verb !== "get" && verb !== "list") || event.of === undefined || /[?&]continue=/.test(uri)) return;
    const known = this.#reads.get(uri);
    if (known === undefined) {
      if (this.#reads.size < maxUris)
        this.#reads.set(uri, { event, count: 1, unchanged: 0, last: sentAt, version: resourceVersion, pauses: [] });
      return;
    }
    known.count++;
    if (known.pauses.length < keptPauses) known.pauses.push(sentAt - known.last);
    if (resourceVersion === known.version || (resourceVersion === "" && status === known.event.status))
      known.unchanged++;
    known.last = sentAt;
    known.version = resourceVersion;
  }

  /** The repeated reads, the most frequent first, without those of leader election. */
  found(elections: LeaderElection): readonly Poll[] {
    return [...this.#reads.values()]
      .filter(({ count, event }) => count >= pollsFrom && !elections.isAbout(event.of, event.key))
      .map(({ event: { verb, agent, uri, sentAt }, count, unchanged, last, pauses }) => ({
        verb,
        agent: agent.split("/")[0] ?? agent,
        uri,
        firstAt: sentAt,
        lastAt: last,
        count,
        unchanged,
        everyMs: median(pauses),
      }))
      .toSorted((a, b) => b.count - a.count);
  }
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}
