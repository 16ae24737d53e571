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

/** What an informer reads from, and how it caches and notifies. */
export interface SharedInformerOptions<T extends StoredObject> {
  /** Lists and watches the kind; its scope (all namespaces, or one) is the informer's. */
  readonly listerWatcher: ListerWatcher<T>;
  /** The clock, the timers, and the turns in which deltas are applied and handlers called. */
  readonly timeline: Timeline;
  /** For back-offs, the lengths of watches and the default `resyncMs`. */
  readonly random: Random;
  /** Gets `list`, `watch`, `delta`, `store` and `notify` events. */
  readonly bus: TraceBus;
  /** Labels and fields that objects must have to be cached, beyond the ListerWatcher's scope. Default: none, all are cached. */
  readonly selectors?: Selectors;
  /**
   * Called for each object, without its managedFields, before it is cached; may change it in place, and returns what is cached. Key and
   * resourceVersion must stay. Default: objects are cached as they are.
   */
  readonly transform?: (object: T) => T;
  /**
   * How often handlers that say nothing themselves are notified of every object again, in milliseconds; at least 1,000, or 0 for never.
   * Default: 12 to 24 hours, drawn for each handler, as in kube-controller-manager.
   */
  readonly resyncMs?: number;
  /** Freeze each object deeply, so that a handler that changes a shared object fails where it does. Costly: for tests. Default false. */
  readonly freeze?: boolean;
  /**
   * Find out the field manager of each change. `true`: also while nobody listens to the bus, so that it is known from the first
   * event on; `false`: never, for listeners that do not show it. Costs about 100 bytes for each entry of an object's managedFields.
   * Default: while somebody listens.
   */
  readonly trackFieldManagers?: boolean;
  /** Makes the queue between Reflector and store. Default: a `RealFIFO`. */
  readonly createQueue?: CreateDeltaQueue;
  /** Objects a page of a list. Default 500. */
  readonly pageSize?: number;
  /** Get the first list by a watch that sends everything first; pages where the server cannot. Default false. */
  readonly watchList?: boolean;
  /** Called with what a handler threw. Default: it is reported in `notify` events only. */
  readonly onHandlerError?: HandlerErrorListener;
}

/** What a view shows of an informer. */
export interface InformerState {
  readonly kind: string;
  readonly phase: ReflectorState<unknown>["is"];
  readonly objects: number;
  /** Everything up to this version is in the store; empty before the first list. */
  readonly resourceVersion: string;
  /** How many lists were made after the first. */
  readonly relists: number;
  /** Bytes read from the server, decompressed. */
  readonly bytes: number;
  /** How long the oldest waiting delta has waited to be applied, in milliseconds; 0 when none waits. */
  readonly lagMs: number;
  /** How many deltas wait to be applied. */
  readonly waiting: number;
  /** The handlers, and how many notifications wait for each. */
  readonly handlers: readonly { readonly name: string; readonly backlog: number }[];
}

const twelveHoursMs = 12 * 3_600_000;
const minResyncMs = 1000;

/**
 * A cache of the objects of one kind that follows the API server, and notifies handlers of each change: Reflector → delta queue →
 * Indexer → a ProcessorListener for each handler.
 *
 * **What the cache promises.** It is eventually consistent: as long as the informer runs and can reach the server, each state that an
 * object has on the server is followed, sooner or later, by that state or a newer one in the cache, and an object that is gone is
 * removed. What the cache shows of one object are some of its states, in their order: none is made up, none comes back, but
 * states that follow each other quickly, or come while no connection is open, may be skipped. Between objects there is no order: the
 * cache may show a pod that was made after its ReplicaSet was deleted, and still show the ReplicaSet.
 *
 * An object is known by its key (`namespace/name`) and not by its uid. One that was deleted and made again unseen is one update
 * between two uids: compare the uids where it matters.
 *
 * **How old it may be.** A read never asks the server. Normally the cache is milliseconds behind; without a connection it is as old as
 * the connection is gone, which a read does not show (`state` does). So a controller that has just written may read what was there before: hold its
 * key back by expectations, or until `lister.appliedResourceVersion()` has reached the version of the write.
 *
 * **What handlers are promised.** A handler that is added before `run` is notified of every change of the cache; one that is added
 * later is first notified of every object there is, as `added` and `initial`. For each object the order is `added`, any number of
 * `updated`, `deleted`; calls of one handler never overlap. The cache has the change, in all indexes, before the first handler is
 * notified, and may already have later ones. Handlers do not wait for each other.
 *
 * **What a handler may not rely on.** That every version is seen; that a deletion is (then `deleted` is a `tombstone`, with the last
 * state that was cached); that `updated` means a change (a resync has both objects the same). So a handler should take a notification
 * as a hint that something about a key has changed, and a sync should look at the cache as a whole.
 *
 * **What a handler must not do.** Change an object: all handlers and all readers share it, so work on a `draft`. Wait or work long:
 * notifications pile up in memory meanwhile, so enqueue a key and return.
 *
 * **Turns.** What came with one chunk of a watch is applied in one turn of the Timeline and notified to each handler in one; a turn gives
 * way after 10 ms.
 *
 * Source: client-go v0.36 tools/cache/shared_informer.go; differs: each handler is resynced at its own times, not at multiples of
 * the shortest period.
 */
export class SharedInformer<T extends StoredObject> {
  readonly kind: Kind<T>;
  /** Reads the cache. Can be read before the first list is in it, and after the informer has stopped. */
  readonly lister: Lister<T>;
  /** Resolves when the first list is in the store; never before `run`, and never if that ends first. */
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

  /** Whether the first list is in the store. Handlers may not have been notified of it: `HandlerRegistration.hasSynced` says so. */
  get hasSynced(): boolean {
    return this.#queue.hasSynced && !this.#processor.hasPending;
  }

  /** Adds indexes to the cache, also while it is filled. @throws RangeError for a name that another index has. */
  addIndexes(indexes: Readonly<Record<string, IndexFunction<T>>>): void {
    this.#indexer.addIndexes(indexes);
  }

  /** Adds a handler; at any time, but after `run` has ended it is notified of nothing new. */
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
    const asked = options?.resyncMs ?? this.#options.resyncMs ?? twelveHoursMs * (1 + this.#options.random.next());
    return asked > 0 ? Math.max(asked, minResyncMs) : 0;
  }

  /**
   * Keeps the cache up to date until the signal aborts. When it resolves, requests have ended, no handler is called any more, and the
   * cache stays as it is. Never rejects for what the server does: lists and watches are tried again for ever.
   * @throws Error when called a second time.
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

  /** What a view shows of the informer now. */
  state(): InformerState {
    const oldest = this.#queue.oldestReceivedAt;
    return {
      kind: this.kind.kind,
      phase: this.#reflector.phase,
      objects: this.#indexer.size,
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

  /** One timer for all handlers, for the earliest resync. */
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
