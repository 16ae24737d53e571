/** Observing: informers and handlers of controllers on a read-only connection. What `watch` runs. */
import type { Kind } from "../../api/kind.ts";
import type { Selector } from "../../api/labels.ts";
import { SharedInformerFactory } from "../../cache/shared-informer-factory.ts";
import type { InformerState } from "../../cache/shared-informer.ts";
import type { Selectors } from "../../client/api/lister-watcher.ts";
import type { Client } from "../../client/api/verbs.ts";
import { ControllerManager } from "../../controller/runtime/controller-manager.ts";
import type { ControllerDefinition } from "../../controller/api/definition.ts";
import type { Random } from "../../platform/random.ts";
import type { Timeline } from "../../platform/timeline.ts";
import type { TraceBus } from "../../trace/bus.ts";
import type { KindName } from "../../trace/names.ts";

/** Replaces the sync of a controller. */
export type SyncInstead = (definition: ControllerDefinition) => ControllerDefinition["sync"];

/** A kind to be watched. */
export interface ObservedKind {
  readonly kind: Kind;
  /** Restricts its cache, unless a controller reads it. */
  readonly selectors?: Selectors;
}

/** What is observed. */
export interface ObserveOptions {
  /** Kinds to be watched in addition to those of the controllers. */
  readonly kinds: readonly ObservedKind[];
  readonly controllers: readonly ControllerDefinition[];
  /** Default: a no-op sync, so that keys pass through the queue. */
  readonly sync?: SyncInstead;
  /** A client on a read-only connection. */
  readonly client: Client;
  readonly bus: TraceBus;
  readonly timeline: Timeline;
  readonly random: Random;
  /** Unset: all namespaces. */
  readonly namespace?: string;
  /** Which primary objects are queued; does not restrict caches. */
  readonly selector?: Selector;
  /** Each controller's resync period; unset: 12 to 24 hours. */
  readonly resyncMs?: number;
}

/** Informers and controllers that only observe. */
export interface Observation {
  readonly manager: ControllerManager;
  /** Names of the controllers that watch the kind. */
  controllersWatching(of: KindName): readonly string[];
  states(): readonly InformerState[];
  /** Fills the caches, then lets keys pass through the queues. To be called once. @throws the signal's reason. */
  start(signal: AbortSignal): Promise<void>;
  /** Ends all requests; resolves when they have ended. */
  stop(): Promise<void>;
}

/** A no-op sync: the queue drains as fast as it fills. */
const noSync: SyncInstead = () => () => Promise.resolve();

/**
 * Prepares to observe; nothing is requested before `start`, and nothing is ever written.
 * @throws RangeError for a scope that a controller does not support.
 */
export function observe(options: ObserveOptions): Observation {
  const { client, bus, timeline, random, controllers, namespace, selector, sync = noSync } = options;
  const read = new Set(controllers.flatMap(({ watches }) => watches.map(({ kind }) => nameOf(kind))));
  const narrowed = new Map(options.kinds.map(({ kind, selectors }) => [nameOf(kind), selectors]));
  const informers = new SharedInformerFactory({
    client,
    bus,
    timeline,
    random,
    trackFieldManagers: true,
    ...(namespace !== undefined && { namespace }),
    ...(options.resyncMs !== undefined && { resyncMs: options.resyncMs }),
    tweakListOptions: (kind) => (read.has(nameOf(kind)) ? undefined : narrowed.get(nameOf(kind))),
  });
  const manager = new ControllerManager({
    controllers: controllers.map((definition) => ({ ...definition, sync: sync(definition) })),
    informers,
    clientOf: () => client,
    bus,
    timeline,
    random,
    scope: { ...(namespace !== undefined && { namespace }), ...(selector !== undefined && { selector }) },
  });
  for (const { kind } of options.kinds) informers.forKind(kind);
  return {
    manager,
    controllersWatching: (of) =>
      manager.controllers.filter((running) => watchesKind(running, of)).map((running) => running.definition.name),
    states: () => informers.states(),
    async start(signal) {
      await manager.fillCaches(signal);
      await informers.waitForCacheSync(signal);
      manager.startWorkers();
    },
    stop: async () => void (await manager.stop()),
  };
}

function watchesKind({ definition, discovered }: ControllerManager["controllers"][number], of: KindName): boolean {
  const kinds = [...definition.watches.map(({ kind }) => kind), ...(discovered?.kinds ?? [])];
  return kinds.some(({ group, kind }) => group === of.group && kind === of.kind);
}

function nameOf({ group, plural }: Kind): string {
  return `${plural}.${group}`;
}
