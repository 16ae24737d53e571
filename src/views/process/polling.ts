/** Reads that a process repeats where a watch would do. */
import type { RequestEvent } from "../../trace/events.ts";
import type { LeaderElection } from "./leader-election.ts";

/** A read that was made again and again. */
export interface Poll {
  /** `get` or `list`. */
  readonly verb: string;
  /** The user agent, without its version. */
  readonly agent: string;
  readonly uri: string;
  /** When it was made last, in ms since 1970. */
  readonly lastAt: number;
  readonly count: number;
  /** The median of the pauses between two, in ms. */
  readonly everyMs: number;
  /** Of so many the answer was the one before: the object's or the list's version was the same. */
  readonly unchanged: number;
}

interface Asked {
  readonly event: RequestEvent;
  count: number;
  unchanged: number;
  last: number;
  version: string;
  pauses: number[];
}

const pollsFrom = 5;
/** Of those that are asked most often; beyond it, URIs are no longer told apart. */
const mostUris = 5000;
const keptPauses = 101;

/** Reads by their URI. */
export class Polling {
  readonly #asked = new Map<string, Asked>();

  request(event: RequestEvent): void {
    const { verb, uri, sentAt, resourceVersion = "", status } = event;
    if ((verb !== "get" && verb !== "list") || event.of === undefined || /[?&]continue=/.test(uri)) return;
    const known = this.#asked.get(uri);
    if (known === undefined) {
      if (this.#asked.size < mostUris)
        this.#asked.set(uri, { event, count: 1, unchanged: 0, last: sentAt, version: resourceVersion, pauses: [] });
      return;
    }
    known.count++;
    if (known.pauses.length < keptPauses) known.pauses.push(sentAt - known.last);
    if (resourceVersion === known.version || (resourceVersion === "" && status === known.event.status))
      known.unchanged++;
    known.last = sentAt;
    known.version = resourceVersion;
  }

  /** The most frequent first; those of leader election are no polling. */
  found(elections: LeaderElection): readonly Poll[] {
    return [...this.#asked.values()]
      .filter(({ count, event }) => count >= pollsFrom && !elections.isAbout(event.of, event.key))
      .map(({ event: { verb, agent, uri }, count, unchanged, last, pauses }) => ({
        verb,
        agent: agent.split("/")[0] ?? agent,
        uri,
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
