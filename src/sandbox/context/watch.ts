/**
 * Watches. Each reads the shared history at its own place, so that a slow reader holds no queue and costs nothing; only a
 * watch that waits is woken by a change. Source: apiserver v0.36 storage/cacher/cache_watcher.go; differs: see there.
 */
import { type ApiBody, wholeBody } from "../../api/transport.ts";
import type { Cancel, Timeline } from "../../platform/timeline.ts";
import { bytesOf, frameOf, frameOfChange, type Format } from "../serialization/encoding.ts";
import { expired } from "../meta/refusal.ts";
import { selects, selectsAll, type Selection } from "../options/selection.ts";
import type { Collection } from "../storage/collection.ts";
import type { Entry } from "../storage/entry.ts";
import type { Change } from "../storage/watch-cache.ts";

export interface WatchRequest {
  readonly collection: Collection;
  readonly selection: Selection;
  readonly format: Format;
  /** Sent first, each as ADDED. */
  readonly initial: readonly Entry[];
  /** Events after this revision. */
  readonly from: number;
  /** Tells that the initial events have ended, and at which revision. */
  readonly initialEventsEnd: boolean;
  readonly bookmarks: boolean;
  readonly timeoutMs: number;
  /** The JSON of a bookmark's object. */
  bookmarkText(revision: number, initialEventsEnd: boolean): string;
  /** The server's revision now. */
  revision(): number;
}

/** As kube-apiserver sends them. */
const bookmarkEveryMs = 60_000;
/** So much is handed over as one chunk, at least one frame. */
const chunkBytes = 65_536;

/** As which event a watch sees a change; undefined for one that it does not see. */
function eventTypeFor(selection: Selection, change: Change): "ADDED" | "MODIFIED" | "DELETED" | undefined {
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

/** The open watches of a server: what it closes when it stops. */
export type OpenWatches = Set<{ end(): void }>;

/**
 * The body of a watch. `actor` names its hops; `hop` hands a chunk over. It ends properly after `timeoutMs` and when the
 * server stops; an ERROR frame of code 410 comes before the end when the reader fell behind what the history keeps.
 */
export function watchBody(
  request: WatchRequest,
  { timeline, actor, open }: { readonly timeline: Timeline; readonly actor: string; readonly open: OpenWatches },
): ApiBody {
  const { collection, selection, format, from } = request;
  const { history } = collection;
  let sent = 0;
  let told = false;
  /** In which format the next event is written. */
  const next = (): Format => {
    const now = told ? format : (format.first ?? format);
    told = true;
    return now;
  };
  let place = history.firstAfter(from);
  let sentInitialEventsEnd = !request.initialEventsEnd;
  let bookmarkDue = false;
  let state: "open" | "ending" | "closed" = "open";
  let wake: (() => void) | undefined;
  const timers: Cancel[] = [];

  const wakeReader = (): void => {
    wake?.();
    wake = undefined;
  };
  const listener = (change: Change): void => {
    if (wake === undefined) return;
    // Nobody else moves the place while the reader waits: what it does not want to see is passed over here.
    if (eventTypeFor(selection, change) === undefined) place = history.end;
    else wakeReader();
  };
  const close = (): void => {
    if (state === "closed") return;
    state = "closed";
    collection.listeners.delete(listener);
    open.delete(handle);
    for (const cancel of timers) cancel();
    wakeReader();
  };
  const handle = {
    end(): void {
      if (state === "open") state = "ending";
      wakeReader();
    },
  };
  const armBookmark = (): void => {
    timers[1] = timeline.after(
      bookmarkEveryMs,
      `${actor} bookmark`,
      () => {
        bookmarkDue = true;
        wakeReader();
        armBookmark();
      },
      { background: true },
    );
  };

  /** The next chunk, as far as there is something to send. */
  function chunk(): Uint8Array | undefined {
    const frames: Uint8Array[] = [];
    let bytes = 0;
    const add = (frame: Uint8Array): void => {
      frames.push(frame);
      bytes += frame.length;
    };
    const full = (): boolean => bytes >= chunkBytes;
    while (sent < request.initial.length && !full()) {
      add(frameOf("ADDED", next().text(request.initial[sent++] as Entry)));
    }
    if (full()) return joined(frames);
    if (!sentInitialEventsEnd) {
      sentInitialEventsEnd = true;
      add(frameOf("BOOKMARK", request.bookmarkText(from, true)));
    }
    while (place < history.end && !full()) {
      if (!history.has(place)) {
        state = "ending";
        add(
          frameOf("ERROR", JSON.stringify(expired(`too old resource version: ${from} (${history.compacted})`).status)),
        );
        place = history.end;
        break;
      }
      const change = history.changeAt(place++) as Change;
      const type = change.revision > from ? eventTypeFor(selection, change) : undefined;
      if (type !== undefined) add(frameOfChange(change, type, next()));
    }
    if (bookmarkDue && frames.length === 0) add(frameOf("BOOKMARK", request.bookmarkText(request.revision(), false)));
    bookmarkDue = false;
    return frames.length === 0 ? undefined : joined(frames);
  }

  collection.listeners.add(listener);
  open.add(handle);
  timers[0] = timeline.after(request.timeoutMs, `${actor} timeout`, () => handle.end(), { background: true });
  if (request.bookmarks) armBookmark();

  return {
    async next(): Promise<Uint8Array | undefined> {
      for (;;) {
        if (state === "closed") return undefined;
        const piece = chunk();
        if (piece !== undefined) {
          await timeline.hop(actor);
          return piece;
        }
        if (state === "ending") {
          close();
          return undefined;
        }
        await new Promise<void>((resolve) => (wake = resolve));
      }
    },
    cancel: close,
  };
}

/** A watch that has nothing to say but an error. */
export function errorBody(error: { readonly status: unknown }): ApiBody {
  return wholeBody(bytesOf(`{"type":"ERROR","object":${JSON.stringify(error.status)}}\n`));
}
