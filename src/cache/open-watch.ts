import type { WatchFrame, WatchStream } from "../client/api/lister-watcher.ts";
import type { WatchReport } from "./reflector-reports.ts";

/** A watch that stays open for so long has made progress, even without an event. */
const lastingMs = 1000;

/** What an open watch is made of. */
export interface OpenWatchOptions<T> {
  readonly stream: WatchStream<T>;
  readonly report: WatchReport;
  /** The version that it begins after; empty if it sends everything there is first. */
  readonly resourceVersion: string;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** How far a watch has come. */
export interface WatchProgress {
  /** Of the last frame, or the one that the watch began with. A watch from here misses nothing. */
  readonly resourceVersion: string;
  /** A frame came, or the watch has been open for a second: the server knows the version. */
  readonly progressed: boolean;
}

/** A watch that is open: its stream, the version that it has come to, and its report. */
export class OpenWatch<T> {
  readonly #options: OpenWatchOptions<T>;
  readonly #openedAt: number;
  #resourceVersion: string;
  #hasFrames = false;
  /** Frames that came with the last of the initial events. */
  #unread: readonly WatchFrame<T>[] = [];
  #countedBytes = 0;
  #ended = false;

  constructor(options: OpenWatchOptions<T>) {
    this.#options = options;
    this.#openedAt = options.now();
    this.#resourceVersion = options.resourceVersion;
  }

  /** The frames that the next chunk completes; undefined when the server has ended the watch. @throws what broke the stream. */
  next(): Promise<readonly WatchFrame<T>[] | undefined> {
    if (this.#unread.length === 0) return this.#options.stream.next();
    const frames = this.#unread;
    this.#unread = [];
    return Promise.resolve(frames);
  }

  /** Everything that there was has been read: changes begin at this version, first with these frames, which `next` returns. */
  initialEventsEnded(resourceVersion: string, unread: readonly WatchFrame<T>[]): void {
    this.#resourceVersion = resourceVersion;
    this.#unread = unread;
  }

  /** A frame of this version was taken over. */
  advance(resourceVersion: string): void {
    this.#resourceVersion = resourceVersion;
    this.#hasFrames = true;
  }

  get progress(): WatchProgress {
    const progressed = this.#hasFrames || this.#options.now() - this.#openedAt >= lastingMs;
    return { resourceVersion: this.#resourceVersion, progressed };
  }

  /** Read from the server, decompressed. */
  get bytes(): number {
    return this.#options.stream.bytes;
  }

  /** The bytes read since the last call. */
  uncountedBytes(): number {
    const since = this.bytes - this.#countedBytes;
    this.#countedBytes = this.bytes;
    return since;
  }

  /** The server has ended the watch: reports it as closed. */
  endedByServer(): void {
    this.end("closed", this.#options.report.endReason());
  }

  /** Ends the watch and reports why; nothing if it has ended already. */
  end(state: "closed" | "failed", why: string): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#options.stream.cancel(why);
    this.#options.report.ended({ state, resourceVersion: this.#resourceVersion, why });
  }
}
