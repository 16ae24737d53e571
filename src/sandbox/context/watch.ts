/**
 * Open watches. Each reads the shared watch cache at its own position; a change wakes only waiting ones.
 * Source: apiserver v0.36 storage/cacher/cache_watcher.go; differs: no buffer and no timeout for a slow reader, which gets an ERROR event
 * with code 410 when it falls behind the cache.
 */
import { type ApiBody, wholeBody } from "../../api/transport.ts";
import type { Cancel, Timeline } from "../../platform/timeline.ts";
import { frameOf, frameOfChange, frameOfValue, type Format } from "../serialization/encoding.ts";
import type { Fields } from "../meta/object.ts";
import { expired } from "../meta/refusal.ts";
import { selects, selectsAll, type Selection } from "../options/selection.ts";
import type { Collection } from "../storage/collection.ts";
import type { Entry } from "../storage/entry.ts";
import type { Change, WatchCache } from "../storage/watch-cache.ts";

/** A watch as requested. */
export interface WatchRequest {
  readonly collection: Collection;
  readonly selection: Selection;
  readonly format: Format;
  /** Sent first, as ADDED events. */
  readonly initial: readonly Entry[];
  /** The watch starts after this revision. */
  readonly from: number;
  /** Sends a bookmark after the initial events. */
  readonly initialEventsEnd: boolean;
  /** Sends a bookmark every minute, and one shortly before the watch times out (`allowWatchBookmarks`). */
  readonly bookmarks: boolean;
  readonly timeoutMs: number;
  /** A bookmark's object. */
  bookmark(revision: number, initialEventsEnd: boolean): Fields;
  /** The server's current revision. */
  revision(): number;
}

const bookmarkIntervalMs = 60_000;
/** The last bookmark comes this long before the watch times out, so that the next one starts near the present. */
const lastBookmarkMs = 2_000;
/** A chunk is sent as soon as it has this many bytes; it has at least one frame. */
const chunkBytes = 65_536;

type EventType = "ADDED" | "MODIFIED" | "DELETED";

/** The type of event that a watch gets for a change; undefined if it selects the object neither before nor after. */
function eventTypeFor(selection: Selection, change: Change): EventType | undefined {
  if (selection.namespace !== undefined && change.entry.namespace !== selection.namespace) return undefined;
  if (selectsAll(selection)) return change.type;
  const before = change.previous !== undefined && selects(selection, change.previous);
  if (change.type === "DELETED") return before ? "DELETED" : undefined;
  const after = selects(selection, change.entry);
  if (after) return before ? "MODIFIED" : "ADDED";
  return before ? "DELETED" : undefined;
}

function joined(frames: readonly Uint8Array[]): Uint8Array {
  if (frames.length === 1) return frames[0] as Uint8Array;
  const whole = new Uint8Array(frames.reduce((sum, frame) => sum + frame.length, 0));
  let offset = 0;
  for (const frame of frames) {
    whole.set(frame, offset);
    offset += frame.length;
  }
  return whole;
}

/** Collects frames for one chunk. */
class Chunk {
  readonly #frames: Uint8Array[] = [];
  #bytes = 0;

  add(frame: Uint8Array): void {
    this.#frames.push(frame);
    this.#bytes += frame.length;
  }

  get isEmpty(): boolean {
    return this.#frames.length === 0;
  }

  get isFull(): boolean {
    return this.#bytes >= chunkBytes;
  }

  /** Undefined if there are no frames. */
  get content(): Uint8Array | undefined {
    return this.isEmpty ? undefined : joined(this.#frames);
  }
}

/** The open watches of a server, which ends them when it stops. */
export type OpenWatches = Set<{ readonly collection: Collection; end(): void }>;

/** The environment of a watch. */
export interface WatchContext {
  readonly timeline: Timeline;
  /** Names the hops of its chunks. */
  readonly actor: string;
  readonly open: OpenWatches;
}

class WatchBody implements ApiBody {
  readonly #request: WatchRequest;
  readonly #context: WatchContext;
  readonly #cache: WatchCache;
  /** How many of the initial entries have been sent. */
  #sent = 0;
  #sentInitialEventsEnd: boolean;
  /** The position of the next change to read from the cache. */
  #position: number;
  #isFirstFrame = true;
  #bookmarkDue = false;
  /** The newest revision that a client knows which has read what there was when the watch opened. */
  readonly #openedAt: number;
  /** The time between the bookmark that is armed and the last one. */
  #bookmarksForMs: number;
  /** `ending`: pending events are still sent. */
  #state: "open" | "ending" | "closed" = "open";
  /** Set while the reader waits for something to send. */
  #wake: (() => void) | undefined;
  readonly #cancelTimeout: Cancel;
  #cancelBookmark: Cancel | undefined;

  constructor(request: WatchRequest, context: WatchContext) {
    this.#request = request;
    this.#context = context;
    this.#cache = request.collection.watchCache;
    this.#position = this.#cache.firstAfter(request.from);
    this.#sentInitialEventsEnd = !request.initialEventsEnd;
    request.collection.listeners.add(this.#listener);
    context.open.add(this);
    const { timeline, actor } = context;
    this.#cancelTimeout = timeline.after(request.timeoutMs, `${actor} timeout`, () => this.end(), { background: true });
    this.#openedAt = request.revision();
    this.#bookmarksForMs = request.timeoutMs - lastBookmarkMs;
    if (request.bookmarks) this.#armBookmark();
  }

  get collection(): Collection {
    return this.#request.collection;
  }

  async next(): Promise<Uint8Array | undefined> {
    for (;;) {
      if (this.#state === "closed") return undefined;
      const chunk = this.#chunk();
      if (chunk !== undefined) {
        await this.#context.timeline.hop(this.#context.actor);
        return chunk;
      }
      if (this.#state === "ending") {
        this.cancel();
        return undefined;
      }
      await new Promise<void>((resolve) => (this.#wake = resolve));
    }
  }

  cancel(): void {
    if (this.#state === "closed") return;
    this.#state = "closed";
    this.#request.collection.listeners.delete(this.#listener);
    this.#context.open.delete(this);
    this.#cancelTimeout();
    this.#cancelBookmark?.();
    this.#wakeReader();
  }

  /** Ends the watch after all pending events are sent. */
  end(): void {
    if (this.#state === "open") this.#state = "ending";
    this.#wakeReader();
  }

  #wakeReader(): void {
    this.#wake?.();
    this.#wake = undefined;
  }

  readonly #listener = (change: Change): void => {
    if (this.#wake === undefined) return;
    // The reader waits at the end of the cache: a change that is not selected is skipped without waking it.
    if (eventTypeFor(this.#request.selection, change) === undefined) this.#position = this.#cache.end;
    else this.#wakeReader();
  };

  #armBookmark(): void {
    const { timeline, actor } = this.#context;
    const delayMs = Math.min(bookmarkIntervalMs, this.#bookmarksForMs);
    if (delayMs <= 0) return;
    this.#bookmarksForMs -= delayMs;
    this.#cancelBookmark = timeline.after(
      delayMs,
      `${actor} bookmark`,
      () => {
        this.#bookmarkDue = true;
        this.#wakeReader();
        this.#armBookmark();
      },
      { background: true },
    );
  }

  /** The format of the next frame. */
  #format(): Format {
    const { format } = this.#request;
    const isFirst = this.#isFirstFrame;
    this.#isFirstFrame = false;
    return isFirst ? (format.first ?? format) : format;
  }

  /** The next pending chunk; undefined if there is none. */
  #chunk(): Uint8Array | undefined {
    const request = this.#request;
    const chunk = new Chunk();
    this.#addInitial(chunk);
    if (chunk.isFull) return chunk.content;
    if (!this.#sentInitialEventsEnd) {
      this.#sentInitialEventsEnd = true;
      chunk.add(frameOfValue({ type: "BOOKMARK", value: request.bookmark(request.from, true) }, request.format));
    }
    this.#addChanges(chunk);
    // It may follow only when all changes up to its revision are sent.
    if (this.#bookmarkDue && chunk.isEmpty) {
      this.#bookmarkDue = false;
      const revision = request.revision();
      if (revision > this.#openedAt)
        chunk.add(frameOfValue({ type: "BOOKMARK", value: request.bookmark(revision, false) }, request.format));
    }
    return chunk.content;
  }

  #addInitial(chunk: Chunk): void {
    const { initial } = this.#request;
    while (this.#sent < initial.length && !chunk.isFull) {
      chunk.add(frameOf({ type: "ADDED", entry: initial[this.#sent++] as Entry }, this.#format()));
    }
  }

  #addChanges(chunk: Chunk): void {
    const { selection, from } = this.#request;
    const cache = this.#cache;
    while (this.#position < cache.end && !chunk.isFull) {
      if (!cache.has(this.#position)) {
        this.#state = "ending";
        this.#position = cache.end;
        const error = expired(`too old resource version: ${from} (${cache.compacted})`);
        chunk.add(frameOfValue({ type: "ERROR", value: { ...error.status } }, this.#request.format));
        return;
      }
      const change = cache.changeAt(this.#position++) as Change;
      const type = change.revision > from ? eventTypeFor(selection, change) : undefined;
      if (type !== undefined) chunk.add(frameOfChange(change, type, this.#format()));
    }
  }
}

/**
 * The body of a watch. It ends after `timeoutMs` or when the server stops; if the reader falls behind the watch cache, it ends earlier,
 * with an ERROR event of code 410.
 */
export function watchBody(request: WatchRequest, context: WatchContext): ApiBody {
  return new WatchBody(request, context);
}

/** The body of a rejected watch: one ERROR event. */
export function errorBody({ status }: { readonly status: object }, format: Format): ApiBody {
  return wholeBody(frameOfValue({ type: "ERROR", value: { ...status } }, format));
}
