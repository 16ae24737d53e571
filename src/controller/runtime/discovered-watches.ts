/** Watches of kinds that a controller does not name: discovery does, again and again while it runs. */
import { messageOf } from "../../api/error-message.ts";
import { apiVersionOf, type Kind, resourceOf } from "../../api/kind.ts";
import type { StoredObject } from "../../api/object.ts";
import type { HandlerRegistration } from "../../cache/shared-informer.ts";
import type { SharedInformerFactory } from "../../cache/shared-informer-factory.ts";
import { discover, type Discovery } from "../../client/api/discovery.ts";
import type { Client } from "../../client/api/verbs.ts";
import { sleep, type Timeline } from "../../platform/timeline.ts";
import type { DynamicWatches, Notification, WatchContext } from "../api/definition.ts";

/** Whose watches they are, and what they need. */
export interface DiscoveredWatchesOptions {
  readonly controller: string;
  readonly dynamicWatches: DynamicWatches;
  readonly informers: SharedInformerFactory;
  readonly client: Client;
  readonly timeline: Timeline;
  readonly state: WatchContext["state"];
  /** Called when the server could not be asked which kinds it has: the first time, and then once a minute while that lasts. */
  readonly onFailed?: (why: string) => void;
  /** What a notification is handled with. */
  readonly contextOf: (notification: Notification<StoredObject>) => WatchContext;
}

interface Watched {
  readonly kind: Kind;
  readonly registration: HandlerRegistration;
}

/**
 * Keeps the watches in step with what the server has. A group version that cannot be asked for a while keeps the watches that it
 * has; kinds that are gone are no longer watched.
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

  /** Resolves when no watch is added any more. Those that run are the factory's to stop. */
  async stop(): Promise<void> {
    this.#stop.abort(new Error("the discovery was stopped"));
    await this.#running;
  }

  /** Whether the handlers have seen the first list of every kind, or have waited for it long enough. */
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
      const found = await this.#ask(signal);
      if (found !== undefined && !signal.aborted) this.#follow(found);
      const ms = this.#known === undefined ? firstRetryMs : dynamicWatches.discoveryIntervalMs;
      await sleep(timeline, ms, `${controller} discovery`, { signal, background: true }).catch(() => undefined);
    }
  }

  /** What the server has; undefined if it does not say: then all stays as it is until the next time. */
  async #ask(signal: AbortSignal): Promise<Discovery | undefined> {
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
    if (this.#failedAt !== undefined && now - this.#failedAt < tellAgainMs) return;
    this.#failedAt = now;
    this.#options.onFailed?.(why);
  }

  /** Atomic. */
  #follow({ kinds, unavailable }: Discovery): void {
    if (kinds.length === 0) return;
    const failed = new Set(unavailable.map(({ groupVersion }) => groupVersion));
    const { dynamicWatches, state } = this.#options;
    const selected = new Map(dynamicWatches.select(kinds).map((kind) => [nameOf(kind), kind]));
    for (const [name, { kind }] of this.#watched) if (failed.has(apiVersionOf(kind))) selected.set(name, kind);
    const known = JSON.stringify(kinds.map((kind) => `${apiVersionOf(kind)} ${kind.kind} ${kind.plural}`));
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

/** How often a failure that lasts is reported again. */
const tellAgainMs = 60_000;

/** Before the first success. */
const firstRetryMs = 1000;

function nameOf(kind: Kind): string {
  return `${kind.version} ${resourceOf(kind)}`;
}
