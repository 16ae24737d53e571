import { keyOf, type ObjectKey } from "../api/key.ts";
import type { StoredObject } from "../api/object.ts";
import { StatusError } from "../api/status-error.ts";
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

/** What a Reflector reads from, where its deltas go, and how it lists. */
export interface ReflectorOptions<T extends StoredObject> {
  /** Lists and watches one kind; its scope is the Reflector's. */
  readonly listerWatcher: ListerWatcher<T>;
  /** Where the deltas go. The Reflector alone puts anything there. */
  readonly queue: DeltaSink<T>;
  /** What happens to each object before it is queued. */
  readonly transformer: Transformer<T>;
  /** The clock of its waits and reports. */
  readonly timeline: Timeline;
  /** For the lengths of watches and of back-offs. */
  readonly random: Random;
  /** Gets `list` and `watch` events. */
  readonly bus: TraceBus;
  /** Objects that they filter out are not listed, and are reported as deleted when they begin to be. Default: none. */
  readonly selectors?: Selectors;
  /** Objects a page of a list. Default 500: the loop is then held for 20 to 50 ms by the largest pods. */
  readonly pageSize?: number;
  /** Get the first list by a watch that sends everything there is; pages where the server cannot. Default false: pages are faster. */
  readonly watchList?: boolean;
}

const defaultPageSize = 500;
const minWatchSeconds = 300;
const maxWatchSeconds = 600;
const initialEventsEnd = "k8s.io/initial-events-end";

type Event<T> = ReflectorEvent<OpenWatch<T>>;

/** A paged list that is under way. */
interface Listing<T> {
  /** What has come so far. */
  readonly objects: T[];
  readonly report: ListReport;
  readonly signal: AbortSignal;
}

/** Where a watch begins, and why it is opened. */
interface WatchStart {
  readonly from: { readonly resourceVersion: string; readonly sendInitialEvents?: true };
  readonly why: string;
}

/**
 * Keeps a delta queue up to date with the API server: lists all objects of a kind, then watches for changes, and copes with
 * everything that breaks in between. `nextState` decides which step follows; this file has what each step does.
 *
 * Lists are consistent (without a resourceVersion) and paged; a watch begins at exactly the version where the list or the watch
 * before ended, so that no change is lost, none is seen twice, and nothing goes back in time.
 *
 * Source: client-go v0.36 tools/cache/reflector.go; kube-rs kube-runtime/src/watcher.rs; differs: the first list is a consistent
 * one too, not whatever the server has at hand, so that a restart cannot work on a state older than its own writes.
 */
export class Reflector<T extends StoredObject> {
  #options: ReflectorOptions<T>;
  #actor: string;
  #of: KindName;
  #backoff: Backoff;
  /** What it is doing, with the version or the watch that it does it with. */
  #state: ReflectorState<OpenWatch<T>>;
  #reading: Pick<ListOptions, "withoutManagedFields">;
  /** For views; no step depends on them. `bytes`: read from the server so far, decompressed. */
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

  /** What it is doing. */
  get phase(): ReflectorState<unknown>["is"] {
    return this.#state.is;
  }

  /** How many lists were completed after the first. */
  get relists(): number {
    return Math.max(0, this.#counters.lists - 1);
  }

  /** Read from the server so far, decompressed. */
  get bytes(): number {
    return this.#counters.bytes;
  }

  /**
   * Runs until the signal aborts; never rejects for anything the server does. Called once.
   * @throws Error for a fault of its own: an event that its state excludes.
   */
  async run(signal: AbortSignal): Promise<void> {
    const watchList = this.#options.watchList === true;
    let event: Event<T> | undefined;
    while (!signal.aborted) {
      event = await this.#step(this.#state, signal);
      if (signal.aborted) break;
      this.#state = nextState(this.#state, event, { watchList });
    }
    // The last step may have opened a watch that the state does not have yet.
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
    const ms = retryAfterMs ?? this.#backoff.nextMs();
    await sleep(this.#options.timeline, ms, this.#actor, { signal }).catch(() => undefined);
    return { is: "waited" };
  }

  async #list({ why }: RequestState & { is: "listing" }, signal: AbortSignal): Promise<Event<T>> {
    const { timeline, bus } = this.#options;
    const report = new ListReport({ bus, of: this.#of, why, now: () => timeline.now() });
    const listing: Listing<T> = { objects: [], report, signal };
    // The text of a page is several times the size of what is cached of it, and the next page is being received meanwhile.
    const left = gcPacer();
    try {
      let token = "";
      do {
        const page = await this.#page(token, listing);
        token = page.continueToken;
        left(page.bytes);
      } while (token !== "");
    } catch (error) {
      if (!signal.aborted) report.failed(failureReason(error), listing.objects.length);
      return { is: "failed", error };
    }
    this.#listed(listing.objects, report);
    return { is: "listed", resourceVersion: report.resourceVersion };
  }

  /** Gets one page and adds what is to be cached of it. */
  async #page(
    token: string,
    { objects, report, signal }: Listing<T>,
  ): Promise<Pick<ListPage<T>, "continueToken" | "bytes">> {
    const { listerWatcher, transformer, timeline, selectors, pageSize } = this.#options;
    const more = token === "" ? {} : { continueToken: token };
    const limit = pageSize ?? defaultPageSize;
    const page = await listerWatcher.list({ ...selectors, limit, ...more, ...this.#reading }, signal);
    await timeline.hop(this.#actor);
    for (const item of page.items) objects.push(transformer.fromList(item));
    this.#counters.bytes += page.bytes;
    report.page(page.bytes, page.resourceVersion);
    return { continueToken: page.continueToken, bytes: page.bytes };
  }

  /** A list is complete. */
  #listed(objects: readonly T[], report: ListReport): void {
    const { queue, timeline } = this.#options;
    this.#counters.lists++;
    report.listed(objects.length);
    queue.replace(objects, report.resourceVersion, timeline.now());
  }

  async #open(state: RequestState & { is: "opening" }, signal: AbortSignal): Promise<Event<T>> {
    const { resourceVersion, why } = state;
    try {
      return { is: "opened", watch: await this.#openWatch({ from: { resourceVersion }, why }, signal) };
    } catch (error) {
      return { is: "failed", error };
    }
  }

  /** A WatchList: everything there is, then a bookmark that says so, then changes by the same watch. */
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
        report.failed(why, objects.size);
      }
      return { is: "failed", error };
    }
  }

  /** Takes initial events over; returns the place of the bookmark that ends them. */
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
    // So that the watches of many clients do not end together.
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
