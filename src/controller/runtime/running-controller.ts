/** A running controller: its queue, its expectations, and the mapping from notifications to keys. */
import { type ObjectKey, splitKey } from "../../api/key.ts";
import { type Kind, resourceOf } from "../../api/kind.ts";
import { matches, matchesEverything, type Selector } from "../../api/labels.ts";
import type { StoredObject } from "../../api/object.ts";
import type { Lister } from "../../cache/lister.ts";
import type { SharedInformerFactory } from "../../cache/shared-informer-factory.ts";
import type { Client } from "../../client/api/verbs.ts";
import type { Random } from "../../platform/random.ts";
import type { Cancel, Timeline, TimerOptions } from "../../platform/timeline.ts";
import type { TraceBus } from "../../trace/bus.ts";
import type { Trigger } from "../../trace/triggers.ts";
import type { QueueOrder } from "../../workqueue/queue.ts";
import { RateLimitingQueue } from "../../workqueue/rate-limiting-queue.ts";
import type { Consistency } from "../api/consistency.ts";
import { DiscoveredWatches } from "./discovered-watches.ts";
import type { ControllerDefinition, Scan, Watch, WatchContext } from "../api/definition.ts";
import { DeferredCaches } from "./deferred-caches.ts";
import type { EventRecorder } from "./event-recorder.ts";
import type { Expectations } from "../api/expectations.ts";
import { RunStates } from "../api/run-state.ts";
import type { ServerVersion } from "../../api/server-version.ts";
import type { SyncEnvironment } from "./sync-environment.ts";

/** Selects the primary objects to reconcile. It filters keys, not caches: with a filtered cache a controller would recreate objects that it cannot see. */
export interface Scope {
  /** Unset: all namespaces. */
  readonly namespace?: string;
  readonly selector?: Selector;
}

/** Options of a `RunningController`. */
export interface RunningControllerOptions {
  readonly definition: ControllerDefinition;
  readonly informers: SharedInformerFactory;
  readonly client: Client;
  readonly bus: TraceBus;
  readonly timeline: Timeline;
  readonly random: Random;
  readonly scope: Scope;
  /** The PEM certificates of the authorities trusted for the API server. */
  readonly serverCa?: string | undefined;
  readonly serverVersion: () => ServerVersion;
  readonly expectations: Expectations;
  readonly consistency: Consistency;
  /** Unset: Events are not written. */
  readonly recorder?: EventRecorder;
  /** Called when discovery fails for a controller with `dynamicWatches`. */
  readonly onDiscoveryFailed?: (controller: string, why: string) => void;
  /** Replaces the caches and client of each sync, in modes that do not act. */
  readonly environment?: SyncEnvironment;
}

/**
 * One controller of a run: turns notifications of its informers into keys in its queue, and holds what its syncs share. Workers are in
 * `worker.ts`, syncs in `sync-run.ts`.
 */
export class RunningController {
  readonly definition: ControllerDefinition;
  readonly client: Client;
  readonly bus: TraceBus;
  readonly timeline: Timeline;
  readonly random: Random;
  readonly serverCa: string | undefined;
  readonly serverVersion: () => ServerVersion;
  readonly expectations: Expectations;
  readonly consistency: Consistency;
  readonly recorder: EventRecorder | undefined;
  readonly environment: SyncEnvironment | undefined;
  readonly queue: RateLimitingQueue;
  /** Keys whose last sync failed, with its error. */
  readonly failing: Map<ObjectKey, unknown> = new Map();
  readonly states: RunStates = new RunStates();
  /** The caches of deferred watches, until their initial list is in them. */
  readonly deferredCaches: DeferredCaches = new DeferredCaches();
  /** The watches of a controller with `dynamicWatches`. */
  readonly discovered: DiscoveredWatches | undefined;
  #informers: SharedInformerFactory;
  #scope: Scope;
  #declared: ReadonlySet<string>;
  /** For each watch, whether its handler was notified of every object of the initial list. */
  #synced: (() => boolean)[] = [];
  #deferred: (() => boolean)[] = [];
  /** The timer of the next call of each scan. */
  #scans = new Map<Scan, Cancel>();

  constructor(options: RunningControllerOptions) {
    const { definition, timeline } = options;
    this.definition = definition;
    this.client = options.client;
    this.bus = options.bus;
    this.timeline = timeline;
    this.random = options.random;
    this.serverCa = options.serverCa;
    this.serverVersion = options.serverVersion;
    this.expectations = options.expectations;
    this.consistency = options.consistency;
    this.recorder = options.recorder;
    this.environment = options.environment;
    this.#informers = options.informers;
    this.#scope = options.scope;
    this.#declared = new Set(definition.watches.map((watch) => resourceOf(watch.kind)));
    const rateLimiter = definition.retry?.rateLimiter?.(() => timeline.now());
    this.queue = new RateLimitingQueue({
      name: definition.name,
      timeline,
      order: this.#order(),
      ...(rateLimiter !== undefined && { rateLimiter }),
    });
    for (const watch of definition.watches) this.#listen(watch);
    this.discovered = this.#discover(options);
  }

  #order(): QueueOrder | undefined {
    const { order } = this.definition;
    switch (order?.by) {
      case "priority":
        return { by: "priority", priorityOf: (key) => order.priorityOf(key, { cache: (kind) => this.cache(kind) }) };
      case "group":
        return { by: "group", groupOf: (key) => order.groupOf(key, { state: (state) => this.states.of(state) }) };
      case undefined:
        return undefined;
    }
  }

  #discover(options: RunningControllerOptions): DiscoveredWatches | undefined {
    const { definition, informers, client, timeline, onDiscoveryFailed } = options;
    const { dynamicWatches, name } = definition;
    if (dynamicWatches === undefined) return undefined;
    return new DiscoveredWatches({
      controller: name,
      dynamicWatches,
      informers,
      client,
      timeline,
      state: (state) => this.states.of(state),
      contextOf: ({ delta }) => this.#watchContext(delta),
      ...(onDiscoveryFailed !== undefined && { onFailed: (why) => onDiscoveryFailed(name, why) }),
    });
  }

  /** Whether the handlers were notified of the initial list of every watched kind. */
  get hasSynced(): boolean {
    return this.isReady && this.#deferred.every((synced) => synced());
  }

  /** The same for the kinds that workers need before they start: all except the deferred ones. */
  get isReady(): boolean {
    return this.#synced.every((synced) => synced()) && this.discovered?.hasSynced !== false;
  }

  /** The cache of a kind that the controller watches. @throws RangeError for any other. */
  cache<T extends StoredObject>(kind: Kind<T>): Lister<T> {
    // For a discovered kind, T has only metadata.
    if (this.discovered?.has(kind) === true) return this.#informers.forMetadata(kind).lister as Lister<T>;
    if (!this.#declared.has(resourceOf(kind))) {
      throw new RangeError(
        `Cannot read the cache of ${kind.kind}: ${this.definition.name} does not declare that it watches it`,
      );
    }
    return this.#informers.forKind(kind).lister;
  }

  /** Whether the key is in scope. The key of a deleted object is, because its sync may have to clean up. */
  inScope(key: ObjectKey): boolean {
    const { namespace, selector } = this.#scope;
    if (namespace !== undefined && splitKey(key).namespace !== namespace) return false;
    if (selector === undefined || matchesEverything(selector)) return true;
    const kind = this.definition.for;
    // The manager refuses a scope for a controller without a primary kind.
    if (kind === undefined) return true;
    const object = this.cache(kind).get(key);
    return object === undefined || matches(selector, object.metadata.labels);
  }

  /** Adds a key that is in scope, after the controller's first delay if it has one, and reports it. */
  enqueue(key: ObjectKey, trigger: Trigger): void {
    if (!this.inScope(key)) return;
    const firstDelayMs = this.definition.retry?.firstDelayMs;
    if (firstDelayMs !== undefined) {
      this.enqueueAfter(key, firstDelayMs, trigger);
      return;
    }
    const result = this.queue.add(key, trigger);
    if (!this.bus.hears("enqueue") || result === "shut down") return;
    this.bus.emit({
      stage: "enqueue",
      controller: this.definition.name,
      key,
      trigger,
      merged: result === "merged",
      inFlight: result === "in flight",
      depth: this.queue.depth,
    });
  }

  /** Adds a key that is in scope after `ms` milliseconds, and reports it. */
  enqueueAfter(key: ObjectKey, ms: number, trigger: Trigger, options?: TimerOptions): void {
    if (!this.inScope(key)) return;
    this.queue.addAfter(key, ms, trigger, options);
    this.reportDelayed(key, ms, trigger);
  }

  /** Reports a key that was added with a delay. */
  reportDelayed(key: ObjectKey, delayMs: number, trigger: Trigger): void {
    if (!this.bus.hears("enqueue")) return;
    this.bus.emit({
      stage: "enqueue",
      controller: this.definition.name,
      key,
      trigger,
      merged: false,
      inFlight: false,
      delayMs,
      depth: this.queue.depth,
    });
  }

  /** Calls each scan of the controller now and then at its interval, until `stopScans`. */
  startScans(): void {
    for (const scan of this.definition.scans ?? []) this.#scan(scan);
  }

  /** Stops calling scans. */
  stopScans(): void {
    for (const cancel of this.#scans.values()) cancel();
  }

  #scan(scan: Scan): void {
    scan.on(this.#watchContext({ cause: "requeue", why: scan.name, sync: 0 }));
    const actor = `${this.definition.name} scan`;
    this.#scans.set(
      scan,
      this.timeline.after(scan.everyMs, actor, () => this.#scan(scan), { background: true }),
    );
  }

  #listen(watch: Watch): void {
    const informer = this.#informers.forKind(watch.kind);
    if (watch.indexes !== undefined) informer.addIndexes(watch.indexes);
    const registration = informer.addHandler(
      {
        name: this.definition.name,
        on: (notification) => watch.on(notification, this.#watchContext(notification.delta)),
      },
      watch.resyncMs === undefined ? undefined : { resyncMs: watch.resyncMs },
    );
    (watch.deferred === true ? this.#deferred : this.#synced).push(() => registration.hasSynced());
    if (watch.deferred === true) this.deferredCaches.add(watch.kind, informer.synced);
  }

  /** Creates the context of a handler; `trigger` is added to the keys that it enqueues. */
  #watchContext(trigger: Trigger): WatchContext {
    return {
      enqueue: (key, afterMs = 0) =>
        afterMs > 0 ? this.enqueueAfter(key, afterMs, trigger) : this.enqueue(key, trigger),
      enqueueAfter: (key, ms, why, options) => this.enqueueAfter(key, ms, { cause: "requeue", why, sync: 0 }, options),
      now: () => this.timeline.now(),
      cache: (kind) => this.cache(kind),
      expectations: this.expectations,
      consistency: this.consistency,
      event: (kind, about, event) => this.recorder?.record(kind, about, event),
      state: (state) => this.states.of(state),
    };
  }
}
