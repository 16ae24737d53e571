import type { Kind } from "../api/kind.ts";
import type { StoredObject } from "../api/object.ts";
import type { ListerWatcher, Selectors } from "../client/api/lister-watcher.ts";
import type { Random } from "../platform/random.ts";
import type { Cancel, Timeline } from "../platform/timeline.ts";
import type { TraceBus } from "../trace/bus.ts";
import type { CreateDeltaQueue, DeltaQueue } from "./delta-queue.ts";
import type { EventHandler, HandlerOptions, HandlerRegistration } from "./handler.ts";
import { Indexer, type IndexFunction } from "./indexer.ts";
import { ObjectTransformer } from "./object-transformer.ts";
import type { Lister } from "./lister.ts";
import { type HandlerErrorListener, ProcessorListener } from "./processor-listener.ts";
import { RealFIFO } from "./real-fifo.ts";
import { Reflector } from "./reflector.ts";
import type { ReflectorState } from "./reflector-state.ts";
import { DeltaProcessor } from "./delta-processor.ts";
import { BatchRunner } from "./batch-runner.ts";

export type { EventHandler, HandlerOptions, HandlerRegistration, Notification } from "./handler.ts";

/** Options of a `SharedInformer`. */
export interface SharedInformerOptions<T extends StoredObject> {
  /** Lists and watches the kind, in all namespaces or one. */
  readonly listerWatcher: ListerWatcher<T>;
  /** The clock, the timers, and the turns in which deltas are applied and handlers called. */
  readonly timeline: Timeline;
  /** For backoffs, the durations of watches and the default `resyncMs`. */
  readonly random: Random;
  /** Receives `list`, `watch`, `delta`, `store` and `notify` events. */
  readonly bus: TraceBus;
  /** Restricts the cache to matching objects, within the scope of the ListerWatcher. Default: all objects. */
  readonly selectors?: Selectors;
  /**
   * Called for each object, without its managedFields, before it is cached. It may modify the object in place, and returns the object to
   * cache, with the same key and resourceVersion. Default: no transformation.
   */
  readonly transform?: (object: T) => T;
  /**
   * The default resync period of handlers, in ms: at least 1,000, or 0 for never. Default: a random period between 12 and 24 hours for each
   * handler, as in kube-controller-manager.
   */
  readonly resyncMs?: number;
  /** Freeze each object deeply, so that a handler that modifies a shared object fails. Costly, for tests. Default false. */
  readonly freeze?: boolean;
  /**
   * Determine the field manager of each change. `true`: always, so that it is known from the first event on; `false`: never. Costs about
   * 100 bytes per entry of an object's managedFields. Default: while the bus has listeners.
   */
  readonly trackFieldManagers?: boolean;
  /** Creates the queue between Reflector and store. Default: a `RealFIFO`. */
  readonly createQueue?: CreateDeltaQueue;
  /** Objects per page of a list. Default 500. */
  readonly pageSize?: number;
  /** Use WatchList for lists; pages if the server does not support it. Default false. */
  readonly watchList?: boolean;
  /** Called with errors that handlers throw. Default: they are only reported in `notify` events. */
  readonly onHandlerError?: HandlerErrorListener;
}

/** The state of an informer, for views. */
export interface InformerState {
  readonly kind: string;
  readonly phase: ReflectorState<unknown>["is"];
  readonly objects: number;
  /** False if the kind is an optional one that the server does not serve: the cache is empty. */
  readonly isServed: boolean;
  /** The version up to which all changes are in the store; empty before the initial list. */
  readonly resourceVersion: string;
  /** The number of lists after the initial one. */
  readonly relists: number;
  /** Bytes read from the server, decompressed. */
  readonly bytes: number;
  /** How long the oldest delta has been waiting to be applied, in ms; 0 if none is waiting. */
  readonly lagMs: number;
  /** The number of deltas waiting to be applied. */
  readonly waiting: number;
  /** The handlers, and the number of notifications waiting for each. */
  readonly handlers: readonly { readonly name: string; readonly backlog: number }[];
}

const twelveHoursMs = 12 * 3_600_000;
const minResyncMs = 1000;

/**
 * A cache of the objects of one kind that follows the API server and notifies handlers of each change: Reflector → delta queue → Indexer →
 * one ProcessorListener per handler.
 *
 * **Consistency.** The cache is eventually consistent: as long as the informer runs and can reach the server, each state of an object on
 * the server is eventually followed by that state or a newer one in the cache, and a deleted object is removed. The cache shows some of an
 * object's states, in their order. It never shows a state twice or one that did not exist, but states in quick succession, or during a lost
 * connection, may be skipped. There is no order between objects: the cache may show a pod that was created after its ReplicaSet was
 * deleted, and still show the ReplicaSet.
 *
 * Objects are identified by key (`namespace/name`), not by uid. An object that was deleted and recreated unseen is one update between two
 * uids: compare the uids where it matters.
 *
 * **Staleness.** A read never queries the server. Normally the cache is milliseconds behind. Without a connection it stays as it was when the
 * connection was lost, which a read does not show (`state` does). So a controller that has just written may read the previous state: hold
 * back its key with expectations, or until `lister.appliedResourceVersion()` has reached the version of the write.
 *
 * **Guarantees for handlers.** A handler that is added before `run` is notified of every change of the cache. One that is added later is
 * first notified of every existing object, as `added` and `initial`. For each object the order is `added`, any number of `updated`,
 * `deleted`; calls of one handler never overlap. The cache contains the change, in all indexes, before the first handler is notified, and
 * may already contain later ones. Handlers do not wait for each other.
 *
 * **What handlers may not rely on.** Not every version is seen. A deletion may be missed; then `deleted` is a `tombstone` with the last
 * cached state. `updated` may be a resync, with the same object twice. So a handler should treat a notification as a hint that something
 * about a key has changed, and a sync should look at the cache as a whole.
 *
 * **What handlers must not do.** A handler must not modify an object, because all handlers and readers share it: work on a `draft`. It must
 * not wait or work long, because notifications pile up in memory: enqueue a key and return.
 *
 * **Turns.** The changes of one chunk of a watch are applied in one turn of the Timeline, and each handler is notified of them in one turn;
 * a turn yields after 10 ms.
 *
 * Source: client-go v0.36 tools/cache/shared_informer.go; differs: each handler is resynced at its own times, not at multiples of the
 * shortest period.
 */
export class SharedInformer<T extends StoredObject> {
  readonly kind: Kind<T>;
  /** Reads the cache, also before the initial list is in it and after the informer has stopped. */
  readonly lister: Lister<T>;
  /** Resolves when the initial list is in the store; never if `run` is not called or ends first. */
  readonly synced: Promise<void>;
  #options: SharedInformerOptions<T>;
  #indexer: Indexer<T>;
  #queue: DeltaQueue<T>;
  #reflector: Reflector<T>;
  #processor: DeltaProcessor<T>;
  #batches: BatchRunner;
  #listeners: readonly ProcessorListener<T>[] = [];
  #resolveSynced: (() => void) | undefined;
  #cancelResync: Cancel = () => undefined;
  #running: "not yet" | "yes" | "no more" = "not yet";

  constructor(options: SharedInformerOptions<T>) {
    const { listerWatcher, timeline, random, bus, selectors } = options;
    const { kind } = listerWatcher;
    const now = (): number => timeline.now();
    this.#options = options;
    this.kind = kind;
    const indexer = new Indexer<T>();
    this.#indexer = indexer;
    this.synced = new Promise((resolve) => (this.#resolveSynced = resolve));
    this.#batches = new BatchRunner({ timeline, actor: `informer ${kind.plural}`, step: () => this.#step() });
    const of = { group: kind.group, kind: kind.kind };
    const queueOptions = { of, known: indexer, now, wake: () => this.#batches.wake() };
    const queue = options.createQueue?.<T>(queueOptions) ?? new RealFIFO<T>(queueOptions);
    this.#queue = queue;
    const transformer = new ObjectTransformer<T>({
      ...options,
      indexer,
      tracksFieldManagers: () => options.trackFieldManagers ?? bus.on,
    });
    this.#processor = new DeltaProcessor({
      of,
      indexer,
      transformer,
      bus,
      now,
      selected: selectors !== undefined && Object.keys(selectors).length > 0,
      listeners: () => this.#listeners,
    });
    this.#reflector = new Reflector({ ...options, timeline, random, queue, transformer });
    this.lister = listerOf(indexer, queue);
  }

  /** Whether the initial list is in the store. `HandlerRegistration.hasSynced`: whether a handler has been notified of it. */
  get hasSynced(): boolean {
    return this.#queue.hasSynced && !this.#processor.hasPending;
  }

  /** Adds indexes to the cache, which may already contain objects. @throws RangeError if another index has the name. */
  addIndexes(indexes: Readonly<Record<string, IndexFunction<T>>>): void {
    this.#indexer.addIndexes(indexes);
  }

  /** Adds a handler. This is possible at any time, but after `run` has ended there are no new notifications. */
  addHandler(handler: EventHandler<T>, options?: HandlerOptions): HandlerRegistration {
    const { timeline, bus, onHandlerError } = this.#options;
    const { kind, group } = this.kind;
    const listener = new ProcessorListener({
      handler,
      of: { group, kind },
      timeline,
      bus,
      resyncMs: this.#resyncMs(options),
      ...(onHandlerError !== undefined && { onHandlerError }),
    });
    for (const [key, object] of this.#indexer.entries()) {
      const { resourceVersion } = object.metadata;
      const delta = { cause: "delta", kind, type: "Sync", key, resourceVersion, delta: 0 } as const;
      listener.add({ type: "added", object, initial: true, delta, queuedAt: 0 });
    }
    this.#listeners = [...this.#listeners, listener];
    if (this.#running === "yes") this.#armResync();
    return {
      hasSynced: () => this.hasSynced && listener.initialDelivered,
      get backlog() {
        return listener.backlog;
      },
      remove: () => {
        listener.stop();
        this.#listeners = this.#listeners.filter((other) => other !== listener);
      },
    };
  }

  #resyncMs(options: HandlerOptions | undefined): number {
    const requestedMs =
      options?.resyncMs ?? this.#options.resyncMs ?? twelveHoursMs * (1 + this.#options.random.next());
    return requestedMs > 0 ? Math.max(requestedMs, minResyncMs) : 0;
  }

  /**
   * Keeps the cache up to date until the signal aborts. When it resolves, requests have ended, no handler is called any more, and the cache
   * no longer changes. Never rejects because of the server: lists and watches are retried forever.
   * @throws Error if called a second time.
   */
  async run(signal: AbortSignal): Promise<void> {
    if (this.#running !== "not yet")
      throw new Error(`Cannot run the informer of ${this.kind.plural}: it was run before`);
    this.#running = "yes";
    this.#armResync();
    await this.#reflector.run(signal);
    this.#running = "no more";
    this.#cancelResync();
    this.#batches.stop();
    this.#queue.close();
    for (const listener of this.#listeners) listener.stop();
  }

  /** The current state, for views. */
  state(): InformerState {
    const oldest = this.#queue.oldestReceivedAt;
    return {
      kind: this.kind.kind,
      phase: this.#reflector.phase,
      objects: this.#indexer.size,
      isServed: this.#reflector.isServed,
      resourceVersion: this.#queue.appliedResourceVersion,
      relists: this.#reflector.relists,
      bytes: this.#reflector.bytes,
      lagMs: oldest === undefined ? 0 : this.#options.timeline.now() - oldest,
      waiting: this.#queue.depth,
      handlers: this.#listeners.map((listener) => ({ name: listener.handler.name, backlog: listener.backlog })),
    };
  }

  #step(): boolean {
    const did = this.#processor.resume() || this.#queue.pop(this.#processor.apply);
    if (this.#resolveSynced !== undefined && this.hasSynced) {
      this.#resolveSynced();
      this.#resolveSynced = undefined;
    }
    return did;
  }

  /** Sets the single timer for the earliest resync of all handlers. */
  #armResync(): void {
    const { timeline } = this.#options;
    this.#cancelResync();
    const at = Math.min(...this.#listeners.map((listener) => listener.nextResyncAt));
    if (at === Infinity) return;
    const actor = `resync ${this.kind.plural}`;
    this.#cancelResync = timeline.after(at - timeline.now(), actor, () => this.#resync(), { background: true });
  }

  #resync(): void {
    const now = this.#options.timeline.now();
    const due = this.#listeners.filter((listener) => listener.takeResync(now));
    if (due.length > 0) this.#queue.resync();
    this.#armResync();
  }
}

/** The read side of a cache. */
function listerOf<T extends StoredObject>(indexer: Indexer<T>, queue: DeltaQueue<T>): Lister<T> {
  return {
    get: (key) => indexer.get(key),
    getNamespaced: (namespace, name) => indexer.getNamespaced(namespace, name),
    list: (namespace) => indexer.list(namespace),
    listSelected: (namespace, selector) => indexer.listSelected(namespace, selector),
    byIndex: (index, value) => indexer.byIndex(index, value),
    get size() {
      return indexer.size;
    },
    appliedResourceVersion: () => queue.appliedResourceVersion,
  };
}
