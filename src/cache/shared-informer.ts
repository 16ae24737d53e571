/** One cache of one kind, filled once and shared by all who want to know of its objects. */
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

/** What an informer reads from, and how it caches and notifies; times in milliseconds. */
export interface SharedInformerOptions<T extends StoredObject> {
  readonly listerWatcher: ListerWatcher<T>;
  readonly timeline: Timeline;
  readonly random: Random;
  readonly bus: TraceBus;
  /** What the cache is narrowed to, beyond the ListerWatcher's own scope. */
  readonly selectors?: Selectors;
  /** Gets each object, without managedFields, before it is cached, and may change it in place. */
  readonly transform?: (object: T) => T;
  /** Of each handler that names none; 0 for never. Default: 12 to 24 hours at random, as kube-controller-manager. */
  readonly resyncMs?: number;
  /** Freezes what is cached. */
  readonly freeze?: boolean;
  /**
   * Work out the writers of changes: true: also while nobody listens to the bus, so that they are known as soon as somebody does;
   * false: never, for listeners that do not show them. Default: while somebody listens.
   */
  readonly trackFieldManagers?: boolean;
  readonly createQueue?: CreateDeltaQueue;
  readonly pageSize?: number;
  readonly watchList?: boolean;
  readonly onHandlerError?: HandlerErrorListener;
}

/** What a view shows of an informer. */
export interface InformerState {
  readonly kind: string;
  readonly phase: ReflectorState<unknown>["is"];
  readonly objects: number;
  /** Applied to the store. */
  readonly resourceVersion: string;
  /** Lists after the first. */
  readonly relists: number;
  /** Read from the server, decompressed. */
  readonly bytes: number;
  /** How long the oldest delta has been waiting to be applied; 0 when none waits. */
  readonly lagMs: number;
  /** Deltas that wait. */
  readonly waiting: number;
  readonly handlers: readonly { readonly name: string; readonly backlog: number }[];
}

const twelveHoursMs = 12 * 3_600_000;
const minResyncMs = 1000;

/**
 * Reflector → delta queue → Indexer → a ProcessorListener for each handler. Between them are turns of the Timeline, one a batch:
 * what came with one chunk is applied in one turn, and told to each handler in one.
 *
 * Source: client-go v0.36 tools/cache/shared_informer.go; differs: each handler is resynced at its own times, not at multiples of
 * the shortest period.
 */
export class SharedInformer<T extends StoredObject> {
  readonly kind: Kind<T>;
  readonly lister: Lister<T>;
  /** Resolves when the first list is in the store. Not before `run`. */
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

  /** Whether the first list is in the store, and waits for no handler but in its own buffer. */
  get hasSynced(): boolean {
    return this.#queue.hasSynced && !this.#processor.hasPending;
  }

  /** @throws RangeError for a name that another index has. */
  addIndexes(indexes: Readonly<Record<string, IndexFunction<T>>>): void {
    this.#indexer.addIndexes(indexes);
  }

  /** Adds a handler. One that comes late is first told of every object there is. */
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
   * Keeps the cache up to date until the signal aborts; then nobody is called any more, and the cache stays as it is.
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

  /** One timer for all handlers: at the time of the first that is due. */
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

/** The view of a cache that may only read. */
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
