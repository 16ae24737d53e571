import type { WatchFrame, WatchStream } from "../client/api/lister-watcher.ts";
import type { WatchReport } from "./reflector-reports.ts";

/** A watch that stays open for this long has made progress, even without an event. */
const lastingMs = 1000;

/** Options of an `OpenWatch`. */
export interface OpenWatchOptions<T> {
  readonly stream: WatchStream<T>;
  readonly report: WatchReport;
  /** The version after which it starts; empty if it starts with initial events. */
  readonly resourceVersion: string;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** The progress of a watch. */
export interface WatchProgress {
  /** The version of the last frame, or the one at which the watch started. A watch from here misses nothing. */
  readonly resourceVersion: string;
  /** A frame was received, or the watch has been open for a second, so the server knows the version. */
  readonly progressed: boolean;
}

/** An open watch: its stream, its current resourceVersion, and its report. */
export class OpenWatch<T> {
  readonly #options: OpenWatchOptions<T>;
  readonly #openedAt: number;
  #resourceVersion: string;
  #hasFrames = false;
  /** Frames received along with the end of the initial events. */
  #unread: readonly WatchFrame<T>[] = [];
  #countedBytes = 0;
  #ended = false;

  constructor(options: OpenWatchOptions<T>) {
    this.#options = options;
    this.#openedAt = options.now();
    this.#resourceVersion = options.resourceVersion;
  }

  /** The frames that the next chunk completes; undefined if the server has ended the watch. @throws the error that broke the stream. */
  next(): Promise<readonly WatchFrame<T>[] | undefined> {
    if (this.#unread.length === 0) return this.#options.stream.next();
    const frames = this.#unread;
    this.#unread = [];
    return Promise.resolve(frames);
  }

  /** Records the end of the initial events: changes start at this version, with the `unread` frames, which `next` returns. */
  initialEventsEnded(resourceVersion: string, unread: readonly WatchFrame<T>[]): void {
    this.#resourceVersion = resourceVersion;
    this.#unread = unread;
  }

  /** Records that a frame of this version was processed. */
  advance(resourceVersion: string): void {
    this.#resourceVersion = resourceVersion;
    this.#hasFrames = true;
  }

  get progress(): WatchProgress {
    const progressed = this.#hasFrames || this.#options.now() - this.#openedAt >= lastingMs;
    return { resourceVersion: this.#resourceVersion, progressed };
  }

  /** Bytes read from the server, decompressed. */
  get bytes(): number {
    return this.#options.stream.bytes;
  }

  /** The bytes read since the last call. */
  uncountedBytes(): number {
    const since = this.bytes - this.#countedBytes;
    this.#countedBytes = this.bytes;
    return since;
  }

  /** Reports that the server has ended the watch. */
  endedByServer(): void {
    this.end("closed", this.#options.report.endReason());
  }

  /** Ends the watch and reports why; no-op if it has ended already. */
  end(state: "closed" | "failed", why: string): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#options.stream.cancel(why);
    this.#options.report.ended({ state, resourceVersion: this.#resourceVersion, why });
  }
}
