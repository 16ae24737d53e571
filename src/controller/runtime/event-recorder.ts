import { apiVersionOf, type Kind } from "../../api/kind.ts";
import { Events } from "../../api/kinds.ts";
import type { StoredObject } from "../../api/object.ts";
import { isAlreadyExists, isNotFound, StatusError } from "../../api/status-error.ts";
import { formatTime } from "../../api/time.ts";
import type { DecisionId } from "../../api/transport.ts";
import type { Event } from "../../api/types.ts";
import type { Client, WriteOptions } from "../../client/api/verbs.ts";
import { randomSuffix, type Random } from "../../platform/random.ts";
import { sleep, type Timeline } from "../../platform/timeline.ts";
import { type Correlated, EventCorrelator, type NewEvent } from "./event-correlator.ts";
import type { EventToRecord } from "../api/sync-context.ts";

/** Options of an `EventRecorder`. */
export interface EventRecorderOptions {
  /** Writes the Events. */
  readonly client: Client;
  readonly timeline: Timeline;
  readonly random: Random;
  /** `source.component` and `reportingComponent`. */
  readonly component: string;
  /** Called for each Event that could not be written, or was dropped because too many were waiting. */
  readonly onLost?: (why: string) => void;
}

const maxBacklog = 1000;
const tries = 12;
const retryAfterMs = 10_000;

/**
 * Writes Events in the background, in order, one at a time. Recording never waits and never fails. An Event that cannot be written in 12
 * attempts, or is recorded while 1,000 are waiting, is lost and reported to `onLost`.
 *
 * Source: client-go v0.36 tools/record/event.go.
 */
export class EventRecorder {
  #options: EventRecorderOptions;
  #correlator: EventCorrelator;
  #backlog: { readonly event: NewEvent; readonly because: DecisionId | undefined }[] = [];
  #isWriting = false;
  /** The promise of the latest background write, which may have ended. */
  #writing: Promise<void> = Promise.resolve();
  #stop = new AbortController();
  #lastNanos = 0n;

  constructor(options: EventRecorderOptions) {
    this.#options = options;
    this.#correlator = new EventCorrelator(() => options.timeline.now());
  }

  /** Queues an Event about an object. `because`: the decision that its write is attributed to. Atomic: never awaits. */
  record(kind: Kind, about: StoredObject, event: EventToRecord, because?: DecisionId): void {
    if (this.#backlog.length >= maxBacklog) {
      this.#options.onLost?.(`too many Events wait: dropped ${event.reason} of ${kind.kind} ${about.metadata.name}`);
      return;
    }
    this.#backlog.push({ event: this.#make(kind, about, event), because });
    // If all waiting Events are skipped, this ends synchronously.
    if (!this.#isWriting) this.#writing = this.#writeAll();
  }

  /** Resolves when everything recorded so far is written or lost; at the latest after `withinMs`. */
  async flush(withinMs: number): Promise<void> {
    if (!this.#isWriting) return;
    const { timeline, component } = this.#options;
    const late = new AbortController();
    await Promise.race([
      this.#writing,
      sleep(timeline, withinMs, `${component} events flush`, { signal: late.signal }).catch(() => undefined),
    ]);
    late.abort(new Error("flushed"));
  }

  /** Stops writing; Events that are still waiting are lost. */
  stop(): void {
    this.#stop.abort(new Error("the event recorder was stopped"));
  }

  #make(kind: Kind, about: StoredObject, { type, reason, message }: EventToRecord): NewEvent {
    const { name, namespace, uid, resourceVersion } = about.metadata;
    const now = this.#options.timeline.now();
    const time = formatTime(now);
    // Part of the name: unique even if two Events fall on one tick of the clock.
    const nanos = BigInt(Math.floor(now * 1000)) * 1000n;
    this.#lastNanos = nanos > this.#lastNanos ? nanos : this.#lastNanos + 1n;
    return {
      metadata: { name: `${name}.${this.#lastNanos.toString(16)}`, namespace: namespace ?? "default" },
      involvedObject: {
        apiVersion: apiVersionOf(kind),
        kind: kind.kind,
        name,
        // Empty for an object that is known only by name.
        ...(uid !== "" && { uid }),
        ...(resourceVersion !== "" && { resourceVersion }),
        ...(namespace !== undefined && { namespace }),
      },
      reason,
      message,
      type,
      source: { component: this.#options.component },
      reportingComponent: this.#options.component,
      reportingInstance: "",
      firstTimestamp: time,
      lastTimestamp: time,
      count: 1,
    };
  }

  async #writeAll(): Promise<void> {
    this.#isWriting = true;
    for (let next = this.#backlog.shift(); next !== undefined; next = this.#backlog.shift()) {
      const correlated = this.#correlator.correlate(next.event);
      if (correlated.do !== "skip") await this.#writeWithRetries(correlated, next.because);
    }
    this.#isWriting = false;
  }

  async #writeWithRetries(
    correlated: Exclude<Correlated, { do: "skip" }>,
    because: DecisionId | undefined,
  ): Promise<void> {
    const { timeline, random, component, onLost } = this.#options;
    const { reason, involvedObject } = correlated.event;
    for (let attempt = 1; attempt <= tries && !this.#stop.signal.aborted; attempt++) {
      try {
        this.#correlator.observed(await this.#write(correlated, because));
        return;
      } catch (error) {
        // A refusal is final; without a response, the network may be at fault.
        if (error instanceof StatusError) {
          onLost?.(
            `the server refused the Event ${reason} of ${involvedObject.kind} ${involvedObject.name}: ${error.message}`,
          );
          return;
        }
        const delayMs = attempt === 1 ? retryAfterMs * random.next() : retryAfterMs;
        const signal = this.#stop.signal;
        await sleep(timeline, delayMs, `${component} events`, { signal, background: true }).catch(() => undefined);
      }
    }
    onLost?.(
      `the Event ${reason} of ${involvedObject.kind} ${involvedObject.name} could not be written in ${tries} tries`,
    );
  }

  async #write(correlated: Exclude<Correlated, { do: "skip" }>, because: DecisionId | undefined): Promise<Event> {
    const { client } = this.#options;
    const options = { signal: this.#stop.signal, ...(because !== undefined && { because }) };
    const { event } = correlated;
    if (correlated.do === "patch") {
      const at = { namespace: event.metadata.namespace ?? "default", name: correlated.name };
      try {
        return await client.patch(Events, at, { type: "strategic", body: correlated.body }, options);
      } catch (error) {
        // Events expire after an hour, so the one to patch may no longer exist.
        if (!isNotFound(error)) throw error;
      }
    }
    return this.#create(event, options);
  }

  /** Creates an Event, with another name if the name is taken: recorders of one process may generate the same name in one tick of the clock. */
  async #create(event: NewEvent, options: WriteOptions): Promise<Event> {
    try {
      return await this.#options.client.create(Events, event, options);
    } catch (error) {
      if (!isAlreadyExists(error)) throw error;
      const nanos = ++this.#lastNanos;
      const name = `${event.involvedObject.name}.${nanos.toString(16)}-${randomSuffix(this.#options.random)}`;
      const renamed = { ...event, metadata: { ...event.metadata, name } };
      return this.#options.client.create(Events, renamed, options);
    }
  }
}
