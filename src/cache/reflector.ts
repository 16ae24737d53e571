import { keyOf, type ObjectKey } from "../api/key.ts";
import type { StoredObject } from "../api/object.ts";
import { isNotFound, StatusError } from "../api/status-error.ts";
import type { ListerWatcher, ListOptions, ListPage, Selectors, WatchFrame } from "../client/api/lister-watcher.ts";
import { gcPacer } from "../platform/memory.ts";
import type { Random } from "../platform/random.ts";
import { sleep, type Timeline } from "../platform/timeline.ts";
import type { TraceBus } from "../trace/bus.ts";
import type { KindName } from "../trace/events.ts";
import { type Backoff, reflectorBackoff } from "./backoff.ts";
import type { DeltaSink } from "./delta-queue.ts";
import type { Transformer } from "./object-transformer.ts";
import { OpenWatch } from "./open-watch.ts";
import {
  nextState,
  type ReflectorEvent,
  type ReflectorState,
  type RequestState,
  startState,
} from "./reflector-state.ts";
import { failureReason, ListReport, WatchReport } from "./reflector-reports.ts";

/** Options of a `Reflector`. */
export interface ReflectorOptions<T extends StoredObject> {
  /** Lists and watches one kind; its scope is the Reflector's. */
  readonly listerWatcher: ListerWatcher<T>;
  /** Where the deltas go. Only the Reflector may write to it. */
  readonly queue: DeltaSink<T>;
  /** Transforms each object before it is queued. */
  readonly transformer: Transformer<T>;
  /** The clock for waits and reports. */
  readonly timeline: Timeline;
  /** For the durations of watches and backoffs. */
  readonly random: Random;
  /** Receives `list` and `watch` events. */
  readonly bus: TraceBus;
  /** Selectors for the objects. An object that stops matching is reported as deleted. Default: none. */
  readonly selectors?: Selectors;
  /** Objects per page of a list. Default 500, with which the largest pods block the event loop for 20 to 50 ms. */
  readonly pageSize?: number;
  /** Use WatchList for lists; pages if the server does not support it. Default false, because pages are faster. */
  readonly watchList?: boolean;
}

const defaultPageSize = 500;
const minWatchSeconds = 300;
const maxWatchSeconds = 600;
const initialEventsEnd = "k8s.io/initial-events-end";

type Event<T> = ReflectorEvent<OpenWatch<T>>;

/** A list in progress. */
interface Listing<T> {
  readonly inPages: boolean;
  /** The objects received so far. */
  readonly objects: T[];
  readonly report: ListReport;
  readonly signal: AbortSignal;
}

/** Where a watch starts, and why it is opened. */
interface WatchStart {
  readonly from: { readonly resourceVersion: string; readonly sendInitialEvents?: true };
  readonly why: string;
}

/**
 * Keeps a delta queue up to date with the API server: lists all objects of a kind, then watches for changes, and recovers from any failure.
 * `nextState` decides which step follows; this file implements the steps.
 *
 * Lists are consistent (without a resourceVersion) and paged. A watch starts at exactly the version at which the previous list or watch
 * ended, so that no change is lost or seen twice, and nothing goes back in time.
 *
 * Source: client-go v0.36 tools/cache/reflector.go; kube-rs kube-runtime/src/watcher.rs; differs: the initial list is consistent too,
 * instead of any version that the server has cached, so that a restart cannot work on a state older than its own writes.
 */
export class Reflector<T extends StoredObject> {
  #options: ReflectorOptions<T>;
  #actor: string;
  #of: KindName;
  #backoff: Backoff;
  #state: ReflectorState<OpenWatch<T>>;
  #reading: Pick<ListOptions, "withoutManagedFields">;
  #isServed = true;
  /** Figures for views; no step depends on them. `bytes`: read from the server so far, decompressed. */
  #counters = { lists: 0, bytes: 0 };

  constructor(options: ReflectorOptions<T>) {
    const { kind } = options.listerWatcher;
    this.#options = options;
    this.#actor = `reflector ${kind.plural}`;
    this.#of = { group: kind.group, kind: kind.kind };
    this.#reading = { withoutManagedFields: () => !options.transformer.tracksFieldManagers };
    this.#backoff = reflectorBackoff({ now: () => options.timeline.now(), random: options.random });
    this.#state = startState("start", options.watchList === true);
  }

  /** The current state. */
  get phase(): ReflectorState<unknown>["is"] {
    return this.#state.is;
  }

  /** The number of completed lists after the initial one. */
  get relists(): number {
    return Math.max(0, this.#counters.lists - 1);
  }

  /** Bytes read from the server so far, decompressed. */
  get bytes(): number {
    return this.#counters.bytes;
  }

  /** False if the kind is an optional one, and the server does not serve it so far. */
  get isServed(): boolean {
    return this.#isServed;
  }

  /**
   * Runs until the signal aborts; never rejects because of the server. Must be called once only.
   * @throws Error for an event that is impossible in the state, which is a bug.
   */
  async run(signal: AbortSignal): Promise<void> {
    const watchList = this.#options.watchList === true;
    let event: Event<T> | undefined;
    while (!signal.aborted) {
      event = await this.#step(this.#state, signal);
      if (signal.aborted) break;
      this.#state = nextState(this.#state, event, { watchList });
    }
    // The last step may have opened a watch that is not in the state yet.
    if (event?.is === "opened" || event?.is === "streamed") event.watch.end("closed", "stopped");
    else if (this.#state.is === "watching") this.#state.watch.end("closed", "stopped");
  }

  #step(state: ReflectorState<OpenWatch<T>>, signal: AbortSignal): Promise<Event<T>> {
    switch (state.is) {
      case "listing":
        return this.#list(state, signal);
      case "streaming":
        return this.#stream(state, signal);
      case "opening":
        return this.#open(state, signal);
      case "watching":
        return this.#read(state.watch, signal);
      case "backing off":
        return this.#wait(state.retryAfterMs, signal);
    }
  }

  async #wait(retryAfterMs: number | undefined, signal: AbortSignal): Promise<Event<T>> {
    // A server that keeps asking for a short pause is overloaded: the back-off grows.
    const ms = Math.max(retryAfterMs ?? 0, this.#backoff.nextMs());
    await sleep(this.#options.timeline, ms, this.#actor, { signal }).catch(() => undefined);
    return { is: "waited" };
  }

  async #list({ why, inPages }: RequestState & { is: "listing" }, signal: AbortSignal): Promise<Event<T>> {
    const { timeline, bus } = this.#options;
    const report = new ListReport({ bus, of: this.#of, why, now: () => timeline.now() });
    const listing: Listing<T> = { inPages, objects: [], report, signal };
    // The text of a page is several times larger than the cached objects, and the next page is already being received.
    const collectGarbage = gcPacer();
    try {
      let token = "";
      do {
        const page = await this.#page(token, listing);
        token = page.continueToken;
        collectGarbage(page.bytes);
      } while (token !== "");
    } catch (error) {
      if (!signal.aborted) this.#notListed(error, listing);
      return { is: "failed", error };
    }
    this.#listed(listing.objects, report);
    return { is: "listed", resourceVersion: report.resourceVersion };
  }

  /** Requests one page, or the whole list, and adds its objects. */
  async #page(
    token: string,
    { inPages, objects, report, signal }: Listing<T>,
  ): Promise<Pick<ListPage<T>, "continueToken" | "bytes">> {
    const { listerWatcher, transformer, timeline, selectors, pageSize } = this.#options;
    const more = token === "" ? {} : { continueToken: token };
    const limit = inPages ? { limit: pageSize ?? defaultPageSize } : {};
    const page = await listerWatcher.list({ ...selectors, ...limit, ...more, ...this.#reading }, signal);
    await timeline.hop(this.#actor);
    for (const item of page.items) objects.push(transformer.fromList(item));
    this.#counters.bytes += page.bytes;
    report.page(page.bytes, page.resourceVersion);
    return { continueToken: page.continueToken, bytes: page.bytes };
  }

  /** Reports a complete list and queues its objects. */
  #listed(objects: readonly T[], report: ListReport): void {
    const { queue, timeline } = this.#options;
    this.#counters.lists++;
    this.#isServed = true;
    report.listed(objects.length);
    queue.replace(objects, report.resourceVersion, timeline.now());
  }

  /** Reports a list that failed. Queues an empty one if the server does not serve the kind, which is optional; an earlier list stays. */
  #notListed(error: unknown, { objects, report }: Listing<T>): void {
    const { queue, listerWatcher, timeline } = this.#options;
    const isFirst = this.#isServed && this.#counters.lists === 0;
    if (isFirst && listerWatcher.kind.optional === true && isNotFound(error)) {
      this.#isServed = false;
      queue.replace([], "", timeline.now());
    }
    report.failed({ error: failureReason(error), objects: objects.length, isServed: this.#isServed });
  }

  async #open(state: RequestState & { is: "opening" }, signal: AbortSignal): Promise<Event<T>> {
    const { resourceVersion, why } = state;
    try {
      return { is: "opened", watch: await this.#openWatch({ from: { resourceVersion }, why }, signal) };
    } catch (error) {
      return { is: "failed", error };
    }
  }

  /** Lists by WatchList: all objects as initial events, a bookmark that ends them, then changes on the same watch. */
  async #stream({ why }: RequestState & { is: "streaming" }, signal: AbortSignal): Promise<Event<T>> {
    const { timeline, bus } = this.#options;
    const report = new ListReport({ bus, of: this.#of, why, now: () => timeline.now() });
    const objects = new Map<ObjectKey, T>();
    let watch: OpenWatch<T> | undefined;
    try {
      watch = await this.#openWatch({ from: { resourceVersion: "", sendInitialEvents: true }, why: "start" }, signal);
      for (;;) {
        const frames = await watch.next();
        this.#counters.bytes += watch.uncountedBytes();
        if (frames === undefined) throw new Error("the watch ended before the last of the initial events");
        const end = this.#collect(frames, objects);
        if (end === undefined) continue;
        watch.initialEventsEnded(end.resourceVersion, frames.slice(end.index + 1));
        report.page(watch.bytes, end.resourceVersion);
        this.#listed([...objects.values()], report);
        return { is: "streamed", watch };
      }
    } catch (error) {
      this.#counters.bytes += watch?.uncountedBytes() ?? 0;
      const why = failureReason(error);
      if (signal.aborted) watch?.end("closed", "stopped");
      else {
        watch?.end("failed", why);
        report.failed({ error: why, objects: objects.size, isServed: true });
      }
      return { is: "failed", error };
    }
  }

  /** Collects initial events; returns the position of the bookmark that ends them, if it is among the frames. */
  #collect(
    frames: readonly WatchFrame<T>[],
    objects: Map<ObjectKey, T>,
  ): { readonly index: number; readonly resourceVersion: string } | undefined {
    for (const [index, frame] of frames.entries()) {
      switch (frame.type) {
        case "ERROR":
          throw statusError(frame);
        case "BOOKMARK":
          if (frame.object.metadata.annotations?.[initialEventsEnd] !== "true") break;
          return { index, resourceVersion: frame.object.metadata.resourceVersion };
        case "DELETED":
          objects.delete(keyOf(frame.object));
          break;
        case "ADDED":
        case "MODIFIED":
          objects.set(keyOf(frame.object), this.#options.transformer.fromList(frame.object));
          break;
      }
    }
    return undefined;
  }

  async #openWatch({ from, why }: WatchStart, signal: AbortSignal): Promise<OpenWatch<T>> {
    const { listerWatcher, timeline, random, bus, selectors } = this.#options;
    // Random, so that the watches of many clients do not end together.
    const timeoutSeconds = Math.floor(minWatchSeconds + random.next() * (maxWatchSeconds - minWatchSeconds));
    const report = new WatchReport({ bus, of: this.#of, timeoutSeconds, now: () => timeline.now() });
    try {
      const stream = await listerWatcher.watch({ ...selectors, ...from, timeoutSeconds, ...this.#reading }, signal);
      report.opened(from.resourceVersion, why);
      return new OpenWatch({ stream, report, resourceVersion: from.resourceVersion, now: () => timeline.now() });
    } catch (error) {
      if (!signal.aborted)
        report.ended({ state: "failed", resourceVersion: from.resourceVersion, why: failureReason(error) });
      throw error;
    }
  }

  /** Reads the open watch to its end. */
  async #read(watch: OpenWatch<T>, signal: AbortSignal): Promise<Event<T>> {
    try {
      for (;;) {
        const frames = await watch.next();
        this.#counters.bytes += watch.uncountedBytes();
        if (frames === undefined) {
          watch.endedByServer();
          return { is: "ended", ...watch.progress };
        }
        this.#take(watch, frames);
      }
    } catch (error) {
      this.#counters.bytes += watch.uncountedBytes();
      if (!signal.aborted) watch.end("failed", failureReason(error));
      return { is: "broke", error, ...watch.progress };
    }
  }

  /** Puts the frames of one chunk into the queue. Atomic. @throws StatusError for an ERROR frame. */
  #take(watch: OpenWatch<T>, frames: readonly WatchFrame<T>[]): void {
    const { queue, transformer, timeline } = this.#options;
    const receivedAt = timeline.now();
    for (const frame of frames) {
      switch (frame.type) {
        case "ADDED":
        case "MODIFIED":
        case "DELETED":
          queue.put(transformer.fromWatch(frame, receivedAt));
          break;
        case "BOOKMARK":
          queue.bookmark(frame.object.metadata.resourceVersion, receivedAt);
          break;
        case "ERROR":
          throw statusError(frame);
      }
      watch.advance(frame.object.metadata.resourceVersion);
    }
  }
}

function statusError(frame: WatchFrame<unknown> & { readonly type: "ERROR" }): StatusError {
  return new StatusError(frame.object.code ?? 500, frame.object);
}
