/** Informers without a controller. */
import { SharedInformerFactory } from "../../cache/shared-informer-factory.ts";
import type { Client } from "../../client/api/verbs.ts";
import type { Random } from "../../platform/random.ts";
import type { Timeline } from "../../platform/timeline.ts";
import type { TraceBus } from "../../trace/bus.ts";

/** What informers need from a connection: a `Cluster` and a `Sandbox` both provide it. */
export interface InformerSource {
  /** Lists and watches with it. */
  readonly client: Client;
  /** Receives the stage events of the informers. */
  readonly bus: TraceBus;
  /** The clock of relists and resyncs. */
  readonly timeline: Timeline;
  /** Spreads relists and resyncs. */
  readonly random: Random;
}

/** What the informers cache. */
export interface InformerOptions {
  /** Caches one namespace of namespaced kinds. Unset: all namespaces. */
  readonly namespace?: string;
  /** How often handlers are notified of every object again, in milliseconds; 0 for never. Default: 12 to 24 hours. */
  readonly resyncMs?: number;
}

/**
 * Creates a factory of shared informers: `forKind` returns one per kind, whose `lister` reads the cache and whose `addHandler` adds an
 * event handler. Call `start` after that, then await `waitForCacheSync`. Lists come in pages of 500, or as a stream where the server
 * offers it; a broken watch is resumed, an expired one relists.
 *
 * Source: client-go v0.36 informers/factory.go.
 *
 * @example
 * ```ts
 * import { createInformerFactory, kinds, startSandbox } from "kubectl-reconcile";
 *
 * const sandbox = await startSandbox();
 * const informers = createInformerFactory(sandbox);
 * const nodes = informers.forKind(kinds.Nodes);
 * nodes.addHandler({ name: "printer", on: ({ type, object }) => console.log(type, object.metadata.name) });
 * informers.start();
 * await sandbox.settle();
 * if (nodes.lister.size !== 3) throw new Error("expected 3 nodes in the cache");
 * await sandbox.stop();
 * ```
 */
export function createInformerFactory(source: InformerSource, options: InformerOptions = {}): SharedInformerFactory {
  const { client, bus, timeline, random } = source;
  return new SharedInformerFactory({ client, bus, timeline, random, ...options });
}
