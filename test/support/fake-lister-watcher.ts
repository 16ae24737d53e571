/** An in-process server of one kind that can lose events, cut watches, forget versions and refuse requests. */
import { keyOf, type ObjectKey, objectKey } from "../../src/api/key.ts";
import { type Kind, kindOf } from "../../src/api/kind.ts";
import type { ManagedFieldsEntry, StoredObject } from "../../src/api/object.ts";
import { type Status, StatusError } from "../../src/api/status-error.ts";
import { TransportError } from "../../src/api/transport.ts";
import type {
  ListerWatcher,
  ListOptions,
  ListPage,
  WatchFrame,
  WatchOptions,
  WatchStream,
} from "../../src/client/api/lister-watcher.ts";
import { sleep, type Timeline } from "../../src/platform/timeline.ts";

export interface Widget extends StoredObject {
  readonly spec: { readonly size: number };
}

export const Widgets: Kind<Widget> = kindOf({
  group: "example.com",
  version: "v1",
  kind: "Widget",
  plural: "widgets",
  namespaced: true,
});

export interface WidgetParts {
  readonly namespace?: string;
  readonly size?: number;
  readonly labels?: Readonly<Record<string, string>>;
  readonly managedFields?: readonly ManagedFieldsEntry[];
}

type Change = { readonly type: "ADDED" | "MODIFIED" | "DELETED"; readonly object: Widget; readonly version: number };

interface OpenStream {
  readonly frames: WatchFrame<Widget>[];
  bytes: number;
  ending: "no" | "properly" | Error;
  wake: () => void;
}

export const gone: Status = { code: 410, reason: "Expired", message: "too old resource version" };

/** The error that the client throws for a refused request. */
export function refused(code: number, reason: string, retryAfterMs?: number): StatusError {
  return new StatusError(code, { code, reason, message: reason }, retryAfterMs === undefined ? {} : { retryAfterMs });
}

export class FakeServer implements ListerWatcher<Widget> {
  kind: Kind<Widget> = Widgets;
  readonly objects: Map<ObjectKey, Widget> = new Map();
  version = 100;
  /** All requests, in order. */
  readonly requests: { readonly at: number; readonly list?: ListOptions; readonly watch?: WatchOptions }[] = [];
  /** Errors for the next lists, one each; undefined lets the request succeed. */
  readonly listErrors: (Error | undefined)[] = [];
  readonly watchErrors: (Error | undefined)[] = [];
  /** Whether changes are kept from open watches, as on a half-open connection. */
  losing = false;
  supportsWatchList = true;
  /** Whether lists by watch stay incomplete until `endInitialEvents`. */
  withholdsEnd = false;
  /** Duration of each request. */
  slowMs = 0;
  /** Frames per chunk of a watch; each counts as 10 bytes. */
  framesAChunk: number = Infinity;
  #timeline: Timeline;
  #changes: Change[] = [];
  #oldest = 100;
  #streams = new Set<OpenStream>();
  #snapshots = new Map<string, { readonly version: number; readonly rest: readonly Widget[] }>();
  #uids = 0;

  constructor(timeline: Timeline) {
    this.#timeline = timeline;
  }

  put(name: string, parts: WidgetParts = {}): Widget {
    const namespace = parts.namespace ?? "shop";
    const before = this.objects.get(objectKey(namespace, name));
    const object: Widget = {
      metadata: {
        name,
        namespace,
        uid: before?.metadata.uid ?? `uid-${++this.#uids}`,
        resourceVersion: String(++this.version),
        creationTimestamp: "2026-11-21T10:00:00Z",
        ...(parts.labels !== undefined && { labels: parts.labels }),
        ...(parts.managedFields !== undefined && { managedFields: parts.managedFields }),
      },
      spec: { size: parts.size ?? 1 },
    };
    this.objects.set(keyOf(object), object);
    this.#changed({ type: before === undefined ? "ADDED" : "MODIFIED", object, version: this.version });
    return object;
  }

  delete(name: string, namespace = "shop"): void {
    const object = this.objects.get(objectKey(namespace, name));
    if (object === undefined) return;
    this.objects.delete(keyOf(object));
    const metadata = { ...object.metadata, resourceVersion: String(++this.version) };
    this.#changed({ type: "DELETED", object: { ...object, metadata }, version: this.version });
  }

  /** Advances the version as a write of another kind does, and sends a bookmark. */
  bookmark(): void {
    this.version++;
    this.#send({ type: "BOOKMARK", object: bookmarkAt(this.version) });
  }

  endInitialEvents(): void {
    this.#send({ type: "BOOKMARK", object: bookmarkAt(this.version, initialEventsEnd) });
  }

  /** From now on, watches and lists from earlier versions get 410. */
  forget(): void {
    this.#oldest = this.version;
    this.#changes = [];
    this.#snapshots.clear();
  }

  endWatches(how: "properly" | Error = "properly"): void {
    for (const stream of this.#streams) {
      stream.ending = how;
      stream.wake();
    }
    this.#streams.clear();
  }

  /** Sends an ERROR frame, after which the server ends the watch. */
  sendError(status: Status): void {
    this.#send({ type: "ERROR", object: status });
    this.endWatches();
  }

  get openWatches(): number {
    return this.#streams.size;
  }

  #changed(change: Change): void {
    this.#changes.push(change);
    this.#send({ type: change.type, object: change.object });
  }

  #send(frame: WatchFrame<Widget>): void {
    if (this.losing) return;
    for (const stream of this.#streams) {
      stream.frames.push(frame);
      stream.wake();
    }
  }

  async list(options: ListOptions, signal: AbortSignal): Promise<ListPage<Widget>> {
    await this.#request({ list: options }, this.listErrors, signal);
    const token = options.continueToken ?? "";
    const snapshot =
      token === "" ? { version: this.version, rest: [...this.objects.values()] } : this.#snapshots.get(token);
    if (snapshot === undefined) throw refused(410, "Expired");
    const limit = options.limit ?? Infinity;
    const items = snapshot.rest.slice(0, limit).map(copy);
    const rest = snapshot.rest.slice(limit);
    const continueToken = rest.length > 0 ? `${snapshot.version}/${rest.length}` : "";
    if (rest.length > 0) this.#snapshots.set(continueToken, { version: snapshot.version, rest });
    return { items, resourceVersion: String(snapshot.version), continueToken, bytes: items.length * 100 };
  }

  async watch(options: WatchOptions, signal: AbortSignal): Promise<WatchStream<Widget>> {
    await this.#request({ watch: options }, this.watchErrors, signal);
    const frames =
      options.sendInitialEvents === true ? this.#initialFrames() : this.#framesAfter(options.resourceVersion);
    const stream: OpenStream = { frames, bytes: 0, ending: "no", wake: () => undefined };
    this.#streams.add(stream);
    signal.addEventListener("abort", () => {
      stream.ending = signal.reason as Error;
      this.#streams.delete(stream);
      stream.wake();
    });
    return {
      next: () => this.#next(stream),
      get bytes() {
        return stream.bytes;
      },
      cancel: () => void this.#streams.delete(stream),
    };
  }

  async #request(what: object, errors: (Error | undefined)[], signal: AbortSignal): Promise<void> {
    this.requests.push({ at: this.#timeline.now(), ...what });
    if (this.slowMs > 0) await sleep(this.#timeline, this.slowMs, "server");
    else await this.#timeline.hop("server");
    signal.throwIfAborted();
    const error = errors.shift();
    if (error !== undefined) throw error;
  }

  #framesAfter(resourceVersion: string): WatchFrame<Widget>[] {
    const version = Number(resourceVersion);
    if (version < this.#oldest) return [{ type: "ERROR", object: gone }];
    return this.#changes.filter((change) => change.version > version).map(({ type, object }) => ({ type, object }));
  }

  #initialFrames(): WatchFrame<Widget>[] {
    if (!this.supportsWatchList) throw refused(422, "Invalid");
    const end = { type: "BOOKMARK" as const, object: bookmarkAt(this.version, initialEventsEnd) };
    const all = [...this.objects.values()].map((object) => ({ type: "ADDED" as const, object }));
    return this.withholdsEnd ? all : [...all, end];
  }

  async #next(stream: OpenStream): Promise<readonly WatchFrame<Widget>[] | undefined> {
    while (stream.frames.length === 0 && stream.ending === "no") {
      await new Promise<void>((resolve) => (stream.wake = resolve));
    }
    await this.#timeline.hop("server");
    const frames = stream.frames.splice(0, this.framesAChunk);
    stream.bytes += 10 * frames.length;
    if (frames.length > 0)
      return frames.map((frame) => (frame.type === "ERROR" ? frame : { ...frame, object: copy(frame.object) }));
    if (stream.ending === "properly" || stream.ending === "no") return undefined;
    throw stream.ending;
  }
}

const initialEventsEnd = { "k8s.io/initial-events-end": "true" };

/** The client and the server share no objects, as over a real connection. */
function copy(object: Widget): Widget {
  return structuredClone(object);
}

function bookmarkAt(version: number, annotations?: Readonly<Record<string, string>>): Widget {
  const metadata = { name: "", uid: "", creationTimestamp: "", resourceVersion: String(version) };
  return { metadata: { ...metadata, ...(annotations !== undefined && { annotations }) }, spec: { size: 0 } };
}

export const brokenConnection: TransportError = new TransportError("the connection was reset", { failure: "broken" });
