/**
 * Keeps Events from flooding the API server: a repeated Event only increases a count, many Events that differ only in their message are
 * combined, and further Events about an object with too many are dropped.
 *
 * Source: client-go v0.36 tools/record/events_cache.go; differs: it only decides; the recorder writes.
 */
import type { CreateInput } from "../../api/object.ts";
import { formatTime } from "../../api/time.ts";
import type { Event } from "../../api/types.ts";
import { LeastRecentlyUsed } from "../api/least-recently-used.ts";

/** The body for creating an Event. */
export type NewEvent = CreateInput<Event>;

/** What to do with an Event. A patch increases the count of the named Event; if that no longer exists, `event` is created instead. */
export type Correlated =
  | { readonly do: "skip" }
  | { readonly do: "create"; readonly event: NewEvent }
  | {
      readonly do: "patch";
      readonly event: NewEvent;
      readonly name: string;
      readonly body: Readonly<Record<string, unknown>>;
    };

const capacity = 4096;
/** Events from one source about one object: a burst of 25, then one every five minutes. */
const spamBurst = 25;
const spamPerMs = 1 / 300_000;
/** Ten different messages with one reason within ten minutes are combined into one Event. */
const aggregateFrom = 10;
const aggregateWithinMs = 600_000;

interface Observed {
  readonly count: number;
  readonly firstTimestamp: string;
  readonly name: string;
}

function about(event: NewEvent): string[] {
  const { involvedObject: o, source } = event;
  return [
    source?.component ?? "",
    o.kind ?? "",
    o.namespace ?? "",
    o.name ?? "",
    o.uid ?? "",
    o.apiVersion ?? "",
    event.type ?? "",
  ];
}

/** A text that is equal for Events that differ only in their time. */
function sameKey(event: NewEvent): string {
  return [...about(event), event.reason ?? "", event.message ?? ""].join("\n");
}

/**
 * Decides for each Event whether to create it, to increase the count of an existing one, or to skip it. Remembers the 4,096 most recently used
 * Events, groups of Events, and objects. All methods are atomic.
 */
export class EventCorrelator {
  #now: () => number;
  #tokens = new LeastRecentlyUsed<{ tokens: number; at: number }>(capacity);
  #groups = new LeastRecentlyUsed<{ messages: Set<string>; at: number }>(capacity);
  #observed = new LeastRecentlyUsed<Observed>(capacity);

  /** `now` returns milliseconds since 1970. */
  constructor(now: () => number) {
    this.#now = now;
  }

  /** Decides what to do with an Event. It counts as recorded even if it is skipped. */
  correlate(event: NewEvent): Correlated {
    const { event: aggregated, key } = this.#aggregate(event);
    const last = this.#observed.get(key);
    const count = (last?.count ?? 0) + 1;
    const name = last?.name ?? aggregated.metadata.name ?? "";
    const firstTimestamp = last?.firstTimestamp ?? aggregated.firstTimestamp ?? formatTime(this.#now());
    this.#observed.set(key, { count, name, firstTimestamp });
    if (this.#isSpam(event)) return { do: "skip" };
    const counted = { ...aggregated, metadata: { ...aggregated.metadata, name }, firstTimestamp, count };
    if (count === 1) return { do: "create", event: counted };
    const body = { count, lastTimestamp: counted.lastTimestamp, message: counted.message };
    return { do: "patch", event: counted, name, body };
  }

  /** Records an Event as stored by the API server: the next equal one increases its count. */
  observed(event: Event): void {
    const { count = 1, firstTimestamp = "", metadata } = event;
    this.#observed.set(sameKey(event), { count, firstTimestamp, name: metadata.name });
  }

  #aggregate(event: NewEvent): { event: NewEvent; key: string } {
    const now = this.#now();
    const groupKey = [...about(event), event.reason ?? ""].join("\n");
    const known = this.#groups.get(groupKey);
    const group =
      known === undefined || now - known.at > aggregateWithinMs ? { messages: new Set<string>(), at: now } : known;
    group.at = now;
    group.messages.add(event.message ?? "");
    this.#groups.set(groupKey, group);
    if (group.messages.size < aggregateFrom) return { event, key: sameKey(event) };
    // The set stays just below the bound: the next new message is combined too.
    const [any] = group.messages;
    group.messages.delete(any ?? "");
    // Upstream's combined Event has no reporting component.
    const message = `(combined from similar events): ${event.message}`;
    return { event: { ...event, reportingComponent: "", message }, key: groupKey };
  }

  #isSpam(event: NewEvent): boolean {
    const now = this.#now();
    const key = about(event).join("\n");
    const bucket = this.#tokens.get(key) ?? { tokens: spamBurst, at: now };
    bucket.tokens = Math.min(spamBurst, bucket.tokens + (now - bucket.at) * spamPerMs);
    bucket.at = now;
    this.#tokens.set(key, bucket);
    if (bucket.tokens < 1) return true;
    bucket.tokens--;
    return false;
  }
}
