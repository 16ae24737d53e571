import { keyOf, type ObjectKey } from "../api/key.ts";
import type { StoredObject } from "../api/object.ts";
import { StatusError } from "../api/status-error.ts";
import type {
  ListerWatcher,
  ListOptions,
  ListPage,
  Selectors,
  WatchFrame,
  WatchStream,
} from "../client/api/lister-watcher.ts";
import { gcPacer } from "../platform/memory.ts";
import type { Random } from "../platform/random.ts";
import { sleep, type Timeline } from "../platform/timeline.ts";
import type { TraceBus } from "../trace/bus.ts";
import type { KindName } from "../trace/events.ts";
import { type Backoff, reflectorBackoff } from "./backoff.ts";
import type { DeltaQueue } from "./delta-queue.ts";
import type { ObjectTransformer } from "./object-transformer.ts";
import {
  type ActiveState,
  nextState,
  type ReflectorEvent,
  type ReflectorState,
  startState,
} from "./reflector-state.ts";
import { failureReason, ListReport, WatchReport } from "./reflector-reports.ts";

/** What a Reflector reads from, where its deltas go, and how it lists. */
export interface ReflectorOptions<T extends StoredObject> {
  readonly listerWatcher: ListerWatcher<T>;
  readonly queue: DeltaQueue<T>;
  readonly transformer: ObjectTransformer<T>;
  readonly timeline: Timeline;
  readonly random: Random;
  readonly bus: TraceBus;
  readonly selectors?: Selectors;
  /** Objects a page of a list. Default 500: the loop is then held for 20 to 50 ms by the largest pods. */
  readonly pageSize?: number;
  /** Get the first list by a watch that sends everything there is; pages where the server cannot. Default false: pages are faster. */
  readonly watchList?: boolean;
}

const defaultPageSize = 500;
const minWatchSeconds = 300;
const maxWatchSeconds = 600;
const briefMs = 1000;
const initialEventsEnd = "k8s.io/initial-events-end";

/** A watch that is open, and what has come of it. */
interface OpenWatch<T> {
  readonly stream: WatchStream<T>;
  readonly report: WatchReport;
  readonly openedAt: number;
  /** Frames that came with the last of the initial ones. */
  left: readonly WatchFrame<T>[];
  progress: boolean;
}

/**
 * Keeps a delta queue up to date with the API server: lists all objects of a kind, then watches for changes, and copes with
 * whatever breaks in between. Which step comes after which is told by `nextState`; here is what each step does.
 *
 * Lists are consistent (no resourceVersion asked for) and paged; a watch goes on from exactly the version where the list or the
 * watch before ended, so that no change is lost, none comes twice, and nothing goes back in time.
 *
 * Source: client-go v0.36 tools/cache/reflector.go; kube-rs kube-runtime/src/watcher.rs; differs: the first list is a consistent
 * one too, not whatever the server has at hand, so that a restart cannot work on a state older than its own writes.
 */
export class Reflector<T extends StoredObject> {
  #options: ReflectorOptions<T>;
  #actor: string;
  #of: KindName;
  #backoff: Backoff;
  #state: ReflectorState;
  #watch: OpenWatch<T> | undefined;
  /** Of the last frame or list. */
  #resourceVersion = "";
  /** A watch has been opened since the last list. */
  #resumes = false;
  #reading: Pick<ListOptions, "withoutManagedFields">;
  #lists = 0;
  #bytes = 0;

  constructor(options: ReflectorOptions<T>) {
    const { kind } = options.listerWatcher;
    this.#options = options;
    this.#actor = `reflector ${kind.plural}`;
    this.#of = { group: kind.group, kind: kind.kind };
    this.#reading = { withoutManagedFields: () => !options.transformer.tracksFieldManagers };
    this.#backoff = reflectorBackoff({ now: () => options.timeline.now(), random: options.random });
    this.#state = startState("start", options.watchList === true);
  }

  /** The state it is in. */
  get phase(): ReflectorState["is"] {
    return this.#state.is;
  }

  /** Lists after the first one. */
  get relists(): number {
    return Math.max(0, this.#lists - 1);
  }

  /** Read from the server so far, decompressed. */
  get bytes(): number {
    return this.#bytes + (this.#watch?.stream.bytes ?? 0);
  }

  /** Runs until the signal aborts; never rejects for anything the server does. Called once. */
  async run(signal: AbortSignal): Promise<void> {
    const watchList = this.#options.watchList === true;
    while (!signal.aborted) {
      const event = await this.#step(this.#state, signal);
      if (signal.aborted) break;
      this.#state = nextState(this.#state, event, { watchList });
    }
    this.#endWatch("closed", "stopped");
  }

  #step(state: ReflectorState, signal: AbortSignal): Promise<ReflectorEvent> {
    switch (state.is) {
      case "listing":
        return this.#list(state, signal);
      case "streaming":
        return this.#stream(state, signal);
      case "opening":
        return this.#open(state, signal);
      case "watching":
        return this.#read(signal);
      case "backing off":
        return this.#wait(state, signal);
    }
  }

  async #wait(state: ReflectorState & { is: "backing off" }, signal: AbortSignal): Promise<ReflectorEvent> {
    const ms = state.retryAfterMs ?? this.#backoff.nextMs();
    await sleep(this.#options.timeline, ms, this.#actor, { signal }).catch(() => undefined);
    return { is: "waited" };
  }

  async #list(state: ActiveState & { is: "listing" }, signal: AbortSignal): Promise<ReflectorEvent> {
    const { queue, timeline, bus } = this.#options;
    const report = new ListReport({ bus, of: this.#of, why: state.why, now: () => timeline.now() });
    const objects: T[] = [];
    // The text of a page is several times what is kept of it, and the next page is on its way meanwhile.
    const left = gcPacer();
    try {
      let token = "";
      do {
        const page = await this.#page(token, objects, report, signal);
        token = page.continueToken;
        left(page.bytes);
      } while (token !== "");
    } catch (error) {
      if (!signal.aborted) report.failed(failureReason(error), objects.length);
      return { is: "failed", error };
    }
    return this.#listed(objects, report, queue, false);
  }

  /** One page, taken over at once. */
  async #page(
    token: string,
    into: T[],
    report: ListReport,
    signal: AbortSignal,
  ): Promise<Pick<ListPage<T>, "continueToken" | "bytes">> {
    const { listerWatcher, transformer, timeline, selectors, pageSize } = this.#options;
    const more = token === "" ? {} : { continueToken: token };
    const limit = pageSize ?? defaultPageSize;
    const page = await listerWatcher.list({ ...selectors, limit, ...more, ...this.#reading }, signal);
    await timeline.hop(this.#actor);
    for (const item of page.items) into.push(transformer.fromList(item));
    this.#bytes += page.bytes;
    report.page(page.bytes, page.resourceVersion);
    return { continueToken: page.continueToken, bytes: page.bytes };
  }

  #listed(objects: readonly T[], report: ListReport, queue: DeltaQueue<T>, open: boolean): ReflectorEvent {
    const { resourceVersion } = report;
    this.#lists++;
    this.#resourceVersion = resourceVersion;
    this.#resumes = open;
    report.listed(objects.length);
    queue.replace(objects, resourceVersion, this.#options.timeline.now());
    return { is: "listed", resourceVersion, open };
  }

  async #open(state: ActiveState & { is: "opening" }, signal: AbortSignal): Promise<ReflectorEvent> {
    const { resourceVersion } = state;
    try {
      await this.#openWatch({ resourceVersion }, this.#resumes ? "resume" : "start", signal);
      return { is: "opened" };
    } catch (error) {
      return { is: "failed", error };
    }
  }

  /** A WatchList: everything there is, then a bookmark that says so, then changes by the same watch. */
  async #stream(state: ActiveState & { is: "streaming" }, signal: AbortSignal): Promise<ReflectorEvent> {
    const { queue, timeline, bus } = this.#options;
    const report = new ListReport({ bus, of: this.#of, why: state.why, now: () => timeline.now() });
    const objects = new Map<ObjectKey, T>();
    try {
      const watch = await this.#openWatch({ resourceVersion: "", sendInitialEvents: true }, "start", signal);
      for (;;) {
        const frames = await watch.stream.next();
        if (frames === undefined) throw new Error("the watch ended before the last of the initial events");
        const end = this.#collect(frames, objects);
        if (end === undefined) continue;
        watch.left = frames.slice(end.index + 1);
        report.page(watch.stream.bytes, end.resourceVersion);
        return this.#listed([...objects.values()], report, queue, true);
      }
    } catch (error) {
      if (!signal.aborted) {
        this.#endWatch("failed", failureReason(error));
        report.failed(failureReason(error), objects.size);
      }
      return { is: "failed", error };
    }
  }

  /** Takes initial events over; answers where the bookmark stands that ends them. */
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

  async #openWatch(
    from: { readonly resourceVersion: string; readonly sendInitialEvents?: true },
    why: string,
    signal: AbortSignal,
  ): Promise<OpenWatch<T>> {
    const { listerWatcher, timeline, random, bus, selectors } = this.#options;
    // Watches of many clients are not to end together.
    const timeoutSeconds = Math.floor(minWatchSeconds + random.next() * (maxWatchSeconds - minWatchSeconds));
    const report = new WatchReport({ bus, of: this.#of, timeoutSeconds, now: () => timeline.now() });
    try {
      const stream = await listerWatcher.watch({ ...selectors, ...from, timeoutSeconds, ...this.#reading }, signal);
      report.opened(from.resourceVersion, why);
      this.#resumes = true;
      this.#watch = { stream, report, openedAt: timeline.now(), left: [], progress: false };
      return this.#watch;
    } catch (error) {
      if (!signal.aborted) report.ended("failed", from.resourceVersion, failureReason(error));
      throw error;
    }
  }

  /** Reads the open watch to its end. */
  async #read(signal: AbortSignal): Promise<ReflectorEvent> {
    const watch = this.#watch as OpenWatch<T>;
    const { stream } = watch;
    const { timeline } = this.#options;
    const outcome = (): { resourceVersion: string; brief: boolean } => ({
      resourceVersion: this.#resourceVersion,
      brief: !watch.progress && timeline.now() - watch.openedAt < briefMs,
    });
    try {
      this.#take(watch, watch.left);
      for (;;) {
        const frames = await stream.next();
        if (frames === undefined) {
          this.#endWatch("closed", watch.report.endReason());
          return { is: "ended", ...outcome() };
        }
        this.#take(watch, frames);
      }
    } catch (error) {
      if (!signal.aborted) this.#endWatch("failed", failureReason(error));
      return { is: "failed", error, ...outcome() };
    }
  }

  /** Puts what came with one chunk into the queue. Atomic. */
  #take(watch: OpenWatch<T>, frames: readonly WatchFrame<T>[]): void {
    const { queue, transformer, timeline } = this.#options;
    const receivedAt = timeline.now();
    for (const frame of frames) {
      switch (frame.type) {
        case "ADDED":
          queue.put(transformer.fromWatch("Added", frame.object, receivedAt));
          break;
        case "MODIFIED":
          queue.put(transformer.fromWatch("Updated", frame.object, receivedAt));
          break;
        case "DELETED":
          queue.put(transformer.fromWatch("Deleted", frame.object, receivedAt));
          break;
        case "BOOKMARK":
          queue.bookmark(frame.object.metadata.resourceVersion, receivedAt);
          break;
        case "ERROR":
          throw statusError(frame);
      }
      this.#resourceVersion = frame.object.metadata.resourceVersion;
      watch.progress = true;
    }
  }

  #endWatch(state: "closed" | "failed", why: string): void {
    const watch = this.#watch;
    if (watch === undefined) return;
    this.#watch = undefined;
    this.#bytes += watch.stream.bytes;
    watch.stream.cancel(why);
    watch.report.ended(state, this.#resourceVersion, why);
  }
}

function statusError(frame: WatchFrame<unknown> & { readonly type: "ERROR" }): StatusError {
  return new StatusError(frame.object.code ?? 500, frame.object);
}
