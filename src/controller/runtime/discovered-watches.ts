/** Watches of kinds found by discovery, which is repeated while the controller runs. */
import { messageOf } from "../../api/error-message.ts";
import { apiVersionOf, type Kind, resourceOf } from "../../api/kind.ts";
import type { StoredObject } from "../../api/object.ts";
import type { HandlerRegistration } from "../../cache/shared-informer.ts";
import type { SharedInformerFactory } from "../../cache/shared-informer-factory.ts";
import { discover, type Discovery } from "../../client/api/discovery.ts";
import type { Client } from "../../client/api/verbs.ts";
import { sleep, type Timeline } from "../../platform/timeline.ts";
import type { DynamicWatches, Notification, WatchContext } from "../api/definition.ts";

/** Options of `DiscoveredWatches`. */
export interface DiscoveredWatchesOptions {
  readonly controller: string;
  readonly dynamicWatches: DynamicWatches;
  readonly informers: SharedInformerFactory;
  readonly client: Client;
  readonly timeline: Timeline;
  readonly state: WatchContext["state"];
  /** Called when discovery fails: the first time, and then once a minute while it keeps failing. */
  readonly onFailed?: (why: string) => void;
  /** Creates the context for handling a notification. */
  readonly contextOf: (notification: Notification<StoredObject>) => WatchContext;
}

interface Watched {
  readonly kind: Kind;
  readonly registration: HandlerRegistration;
}

/**
 * Keeps the watches in line with the kinds of the server. Watches of a group version whose discovery fails are kept; kinds that no longer
 * exist are no longer watched.
 *
 * Source: kubernetes v1.36 pkg/controller/garbagecollector/garbagecollector.go Sync, graph_builder.go syncMonitors.
 */
export class DiscoveredWatches {
  #options: DiscoveredWatchesOptions;
  #watched = new Map<string, Watched>();
  #known: string | undefined;
  #startedAt = 0;
  /** When a failure was last reported; undefined while discovery succeeds. */
  #failedAt: number | undefined;
  #stop = new AbortController();
  #running: Promise<void> | undefined;

  constructor(options: DiscoveredWatchesOptions) {
    this.#options = options;
  }

  start(): void {
    this.#startedAt = this.#options.timeline.now();
    this.#running ??= this.#run(this.#stop.signal);
  }

  /** Stops discovery; resolves when no more watches are added. The factory stops the running informers. */
  async stop(): Promise<void> {
    this.#stop.abort(new Error("the discovery was stopped"));
    await this.#running;
  }

  /** Whether the handlers have received the initial list of every kind, or the time limit for that is over. */
  get hasSynced(): boolean {
    if (this.#known === undefined) return false;
    const { timeline, dynamicWatches } = this.#options;
    if (timeline.now() - this.#startedAt >= dynamicWatches.initialSyncTimeoutMs) return true;
    return [...this.#watched.values()].every(({ registration }) => registration.hasSynced());
  }

  has(kind: Kind): boolean {
    return this.#watched.has(nameOf(kind));
  }

  /** The kinds that are watched now. */
  get kinds(): readonly Kind[] {
    return [...this.#watched.values()].map(({ kind }) => kind);
  }

  async #run(signal: AbortSignal): Promise<void> {
    const { timeline, controller, dynamicWatches } = this.#options;
    while (!signal.aborted) {
      const found = await this.#discover(signal);
      if (found !== undefined && !signal.aborted) this.#update(found);
      const ms = this.#known === undefined ? firstRetryMs : dynamicWatches.discoveryIntervalMs;
      await sleep(timeline, ms, `${controller} discovery`, { signal, background: true }).catch(() => undefined);
    }
  }

  /** The result of discovery; undefined if it failed, in which case nothing changes until the next attempt. */
  async #discover(signal: AbortSignal): Promise<Discovery | undefined> {
    try {
      const found = await discover(this.#options.client, { signal });
      if (found.kinds.length === 0) this.#failed("it names none");
      else this.#failedAt = undefined;
      return found;
    } catch (error) {
      if (!signal.aborted) this.#failed(messageOf(error));
      return undefined;
    }
  }

  #failed(why: string): void {
    const now = this.#options.timeline.now();
    if (this.#failedAt !== undefined && now - this.#failedAt < reportAgainMs) return;
    this.#failedAt = now;
    this.#options.onFailed?.(why);
  }

  /** Adds and removes watches. Atomic. */
  #update({ kinds, unavailable }: Discovery): void {
    if (kinds.length === 0) return;
    const failed = new Set(unavailable.map(({ groupVersion }) => groupVersion));
    const { dynamicWatches, state } = this.#options;
    const selected = new Map(dynamicWatches.select(kinds).map((kind) => [nameOf(kind), kind]));
    for (const [name, { kind }] of this.#watched) if (failed.has(apiVersionOf(kind))) selected.set(name, kind);
    // What failed was kept: once it no longer fails and is still missing, it is gone.
    const known = JSON.stringify([
      kinds.map((kind) => `${apiVersionOf(kind)} ${kind.kind} ${kind.plural}`),
      [...failed].sort(),
    ]);
    if (known === this.#known) return;
    this.#known = known;
    dynamicWatches.discovered?.(kinds, { state });
    for (const [name, { kind, registration }] of this.#watched) {
      if (selected.has(name)) continue;
      this.#watched.delete(name);
      registration.remove();
      void this.#options.informers.stopMetadataInformer(kind);
    }
    for (const [name, kind] of selected) if (!this.#watched.has(name)) this.#watched.set(name, this.#watch(kind));
    this.#options.informers.start();
  }

  #watch(kind: Kind): Watched {
    const { informers, controller, dynamicWatches, contextOf } = this.#options;
    const registration = informers.forMetadata(kind).addHandler(
      {
        name: controller,
        on: (notification) => dynamicWatches.on(notification, kind, contextOf(notification)),
      },
      { resyncMs: 0 },
    );
    return { kind, registration };
  }
}

/** The interval at which a lasting failure is reported again. */
const reportAgainMs = 60_000;

/** The delay between attempts before the first success. */
const firstRetryMs = 1000;

function nameOf(kind: Kind): string {
  return `${kind.version} ${resourceOf(kind)}`;
}
